"""The published dataset formats, one reader for each."""
