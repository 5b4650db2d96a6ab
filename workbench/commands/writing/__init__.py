"""The verbs that write, review and create questions."""
