"""Recipes measured question by question over the machinery of experiments, and what was measured kept."""
