"""Inspect on a hundred thousand answers, and the time and memory of its server."""
