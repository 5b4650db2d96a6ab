"""What an index on disk consists of: the passages of its parts, their files, and what was added and removed since."""
