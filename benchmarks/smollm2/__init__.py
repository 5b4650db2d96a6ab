"""What a very small real language model does in each path of a generator."""
