"""Options for models on several workers."""
