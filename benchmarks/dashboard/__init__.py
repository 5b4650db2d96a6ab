"""How long the Dashboard takes on a million scored answers."""
