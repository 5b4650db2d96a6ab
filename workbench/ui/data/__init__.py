"""The Data screen: corpora and datasets, what they contain, and their names."""
