"""The Ask screen: its controls, one question at work, the answer and its documents."""
