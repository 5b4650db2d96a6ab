"""Metrics against independent implementations, on random texts and, where they are available, on real ones."""
