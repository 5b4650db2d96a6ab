"""One reader per format of people's files; each streams the parts of a document."""
