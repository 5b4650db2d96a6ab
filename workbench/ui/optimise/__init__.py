"""The Optimise screen: a search space as a form and as YAML, searches at work, and what they came to."""
