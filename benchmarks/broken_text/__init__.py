"""Whether texts with broken words are recognised, and how well a question finds its passage among them."""
