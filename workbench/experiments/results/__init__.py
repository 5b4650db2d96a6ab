"""Results: scored, written with their totals, read by SQL, and compared."""
