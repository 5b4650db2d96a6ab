"""Storage: the SQL database, cached steps, atomic files, YAML files."""
