"""The recipe and what it becomes: modes, stages, prompts, rewriting, the reader, and the executor that runs them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
