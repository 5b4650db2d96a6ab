"""Is the best recipe the best? What a search gained, what luck alone would have gained, and which recipes may be equal."""
