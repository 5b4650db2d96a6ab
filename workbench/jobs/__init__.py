"""Kinds of work in the background: indexing, imports and question generation. The job itself is in `workspace`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
