"""The built-in encoder: transliterated character n-grams and cross-lingual latent semantic indexing."""
