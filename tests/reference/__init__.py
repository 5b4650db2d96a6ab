"""Metrics against independent implementations, on random texts and, where it is at hand, on real ones."""
