"""Verbs that answer other programs."""
