"""Searching an index in Milvus: it gives the candidates, which are scored from the corpus's files as always."""
