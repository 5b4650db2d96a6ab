"""Work in the background: the job, and indexing, imports and question generation as kinds of it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
