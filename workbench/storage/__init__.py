"""The SQL database, cached steps, atomic file writes, YAML files and safe CSV cells."""
