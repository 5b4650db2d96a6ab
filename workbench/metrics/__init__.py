"""Metrics: one module for each, with formula, source, range and edge cases."""
