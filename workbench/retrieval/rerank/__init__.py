"""Rerankers: read question and passage together, or token by token, and reorder the candidates."""
