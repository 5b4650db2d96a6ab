"""Compare: one question under several recipes or in several languages, and blind votes on two runs."""
