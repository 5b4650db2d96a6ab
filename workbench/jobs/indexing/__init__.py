"""Indexing a corpus by a further encoder: in the background, stopped and resumed, and swapped in whole."""
