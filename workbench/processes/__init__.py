"""Processes that outlive who starts them: each has a lock, whose end tells its own."""
