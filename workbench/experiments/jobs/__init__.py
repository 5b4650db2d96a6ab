"""Jobs: experiments and pilots, each run by a process that has a lock."""
