"""Experiments: a matrix of runs, planned, run in a process of its own, and resumed."""
