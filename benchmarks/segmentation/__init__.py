"""How well the segmenter's tokens find the right paragraph, by language."""
