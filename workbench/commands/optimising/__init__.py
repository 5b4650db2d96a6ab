"""`optimise`: searches for the best recipe."""
