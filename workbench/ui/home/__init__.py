"""The Home screen."""
