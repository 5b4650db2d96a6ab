"""Datasets: one reader per published format, and the datasets of a workspace."""
