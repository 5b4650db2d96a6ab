"""What went wrong with an answer: counterfactuals of it, and the label that they propose."""
