"""The result tables of five papers as data: references to draw beside measured figures, never mixed with them."""

from workbench.published.loader import PublishedTable, published, references

__all__ = ["PublishedTable", "published", "references"]
