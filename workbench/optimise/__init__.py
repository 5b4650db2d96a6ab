"""The search for the best recipe: search spaces, strategies, selection and budget."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
