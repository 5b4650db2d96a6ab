"""Is the best recipe the best? What a search gained, what luck alone gains, and which recipes may be as good."""
