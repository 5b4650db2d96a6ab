"""The Ask screen: its controls, the question being answered, the answer and its documents."""
