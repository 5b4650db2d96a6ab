"""Rerankers: read question and passage together, or token by token, and order the candidates anew."""
