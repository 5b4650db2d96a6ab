"""The result tables of five papers as data: references to draw next to measured figures, never mixed with them."""

from workbench.metrics.published.published_figures import PublishedTable, published_figures, published_tables

__all__ = ["PublishedTable", "published_figures", "published_tables"]
