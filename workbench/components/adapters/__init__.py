"""The adapters, a module for each family of components; the registry finds every module in this package."""
