"""Retrievers, rerankers, translators and generators made from their names in a recipe, here or on Ray."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
