"""Results: written with their totals, scored, and read back by SQL."""
