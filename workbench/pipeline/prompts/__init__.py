"""Prompts as checked data: variants and families in thirteen languages, the RAG layout, and D-RAG with its parser."""
