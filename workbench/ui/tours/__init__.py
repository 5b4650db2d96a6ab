"""Tours: recorded answers, played step by step from a file, and the forms that record and edit them."""
