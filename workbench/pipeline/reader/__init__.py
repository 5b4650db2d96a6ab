"""The built-in reader: extractive, and dialectic for D-RAG. Not a language model, and its notes say so."""
