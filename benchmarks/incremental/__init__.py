"""Changing a corpus by a document, against its size; and what another language's documents do to its answers."""
