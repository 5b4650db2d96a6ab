"""The published dataset formats, one reader per format."""
