"""Prompts as checked data: variants and families in nineteen languages, the RAG layout, and D-RAG with its parser."""
