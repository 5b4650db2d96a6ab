"""Known models as data, a file a role."""
