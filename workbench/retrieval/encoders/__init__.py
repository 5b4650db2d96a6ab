"""Encoders: texts to vectors, by real models that are already on this machine, or by a service a person chose."""
