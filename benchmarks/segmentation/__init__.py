"""How well the segmenter's tokens retrieve the right paragraph, by language."""
