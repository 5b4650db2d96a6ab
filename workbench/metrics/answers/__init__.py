"""Metrics of an answer against its gold answers and its language."""
