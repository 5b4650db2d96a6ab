"""Where a corpus is searched besides its own files: the file that names it, and dropping what is needed no more."""
