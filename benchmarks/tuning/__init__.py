"""Tuning smollm2 on demonstrations of the sample: what it takes, and what it changes."""
