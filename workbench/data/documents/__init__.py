"""People's own documents in any language: files become passages that are cited to the page."""
