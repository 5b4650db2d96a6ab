"""The Data screen: what is there, and importing each format."""
