"""Jobs: work of any kind that a process of its own does, and its record, table, start, stop and end."""
