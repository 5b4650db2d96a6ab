"""Inspect: single instances, to read and to label."""
