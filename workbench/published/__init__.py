"""The result tables of five papers as data: references to draw beside measured figures, never mixed with them."""

from workbench.published.loader import UNITS, Reference, published, references

__all__ = ["UNITS", "Reference", "published", "references"]
