"""Splitting documents into passages, by the methods of the papers and of LlamaIndex."""
