"""A corpus's documents split anew: their texts put together again, a sister corpus, and the gold passages there."""
