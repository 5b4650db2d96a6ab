"""Means, intervals, paired tests and agreement."""
