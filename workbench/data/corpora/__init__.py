"""Corpora: named sets of passages with their indexes, and the sample corpus."""
