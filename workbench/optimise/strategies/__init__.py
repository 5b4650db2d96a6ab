"""Ways of searching a space: they see an evaluator only, are deterministic by seed, and replay what was measured."""
