"""Stored answers followed once more: how one came about, and what would have come with one thing changed."""
