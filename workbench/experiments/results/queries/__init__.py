"""SQL by subject, over a connection and a filter: what `result_store` offers as methods."""
