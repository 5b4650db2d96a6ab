"""Files read record by record: text, JSON lines, CSV, Excel, Parquet."""
