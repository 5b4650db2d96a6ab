"""The result tables of five papers as data: references to draw beside measured figures, never mixed with them."""

from workbench.published.loader import Reference, published, references

__all__ = ["Reference", "published", "references"]
