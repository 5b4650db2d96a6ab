"""Experiments that are shipped, as YAML files."""
