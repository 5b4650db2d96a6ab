"""The Dashboard: its state, which the URL holds, its figures, and the answers behind a mark."""
