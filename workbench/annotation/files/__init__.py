"""Labels as files, out and in."""
