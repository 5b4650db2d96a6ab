"""Retrieval: lexical, dense, sparse and hybrid search, language balance, encoders and rerankers."""
