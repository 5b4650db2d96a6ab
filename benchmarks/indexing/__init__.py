"""Indexing in the background: its pace, and what it costs those who ask meanwhile."""
