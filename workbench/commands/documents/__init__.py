"""Documents into corpora, from the command line."""
