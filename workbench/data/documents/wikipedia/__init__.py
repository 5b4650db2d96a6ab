"""Wikipedia as people download it: dumps, the hub's parquet files and KILT's pages, streamed into passages."""
