"""Metrics, statistics and judges, each a page with formula, source and range; and the published figures."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
