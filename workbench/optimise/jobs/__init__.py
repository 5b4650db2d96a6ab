"""Searches worked on by processes that outlive who starts them: started, watched, stopped and resumed."""
