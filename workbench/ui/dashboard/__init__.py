"""The Dashboard: looks that the address holds, their figures, and the answers behind a mark."""
