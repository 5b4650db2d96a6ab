"""The Settings screen: what is ready, models, endpoints, the identifier."""
