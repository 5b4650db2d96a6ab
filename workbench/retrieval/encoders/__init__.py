"""Encoders: texts to vectors, by models already on this machine, or by a service that a person chose."""
