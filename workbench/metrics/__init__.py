"""Metrics: a page for each, with formula, source, range and edge cases."""
