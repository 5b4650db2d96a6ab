"""What labels say about metrics, judges and the labels themselves: tables, charts and files."""
