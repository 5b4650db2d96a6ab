"""Languages as sourced data, their scripts, the one normaliser and the one segmenter."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
