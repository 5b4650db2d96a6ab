"""A workspace opened: asking a question, evaluating retrieval, checking what is ready."""
