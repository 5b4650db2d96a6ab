"""The built-in reader: extractive, and dialectic for D-RAG. It is not a language model, and says so."""
