"""Corpora, datasets and documents: read, split, stored, changed, and checked."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
