"""What searching all languages adds to searching English alone, on the sample."""
