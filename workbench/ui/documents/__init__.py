"""Adding people's files to a corpus on the Data screen: upload, preview, choices, progress."""
