"""Online translation services, called through deep-translator."""
