"""Translation: the built-in memory and gloss, online services, NLLB and language models."""
