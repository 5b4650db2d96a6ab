"""Metrics that a language model judges."""
