"""Datasets: one reader for each published format, and the datasets of a workspace."""
