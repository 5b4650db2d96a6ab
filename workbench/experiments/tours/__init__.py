"""Answers with all that led to them, kept in a file, to be shown offline."""
