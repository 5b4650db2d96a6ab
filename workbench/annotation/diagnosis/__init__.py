"""What went wrong with an answer, proposed by rules: counterfactuals on the same recipe, and what they show."""
