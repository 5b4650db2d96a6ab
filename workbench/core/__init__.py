"""Frozen records, protocols, errors and fingerprints that every package shares. It imports nothing of ours."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
