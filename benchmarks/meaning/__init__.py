"""What the default encoder finds across languages, on parallel data of one's own."""
