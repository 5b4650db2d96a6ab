"""What a workspace of several people needs."""
