"""Demonstrations: answers that a strong model writes, checked and reviewed, on which smaller models are tuned."""
