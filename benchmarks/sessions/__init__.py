"""Many browser sessions at once."""
