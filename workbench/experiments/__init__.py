"""A matrix of recipes over datasets: run, stored, compared, exported, replayed, and recorded as tours."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
