"""A recipe served over HTTP, with a client of OpenAI in mind."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
