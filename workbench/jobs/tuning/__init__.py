"""Tuning a language model on demonstrations: what is tuned how, what it will take, the training, and its job."""
