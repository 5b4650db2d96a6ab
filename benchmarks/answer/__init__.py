"""What an answer costs in processor time, and what a start does."""
