"""An analyst's workbench for multilingual retrieval-augmented generation (mRAG)."""

__version__ = "0.1.0"
