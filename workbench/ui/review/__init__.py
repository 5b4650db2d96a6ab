"""How drafts of questions are drawn for the person who reviews them."""
