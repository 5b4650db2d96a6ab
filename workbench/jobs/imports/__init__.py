"""People's files on their way into a corpus: staged, previewed and added by a process of their own."""
