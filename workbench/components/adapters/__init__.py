"""The adapters, one module per family of components; the registry discovers every module in this package."""
