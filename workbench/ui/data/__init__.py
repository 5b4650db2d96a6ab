"""The Data screen: corpora and datasets, and the import of each format."""
