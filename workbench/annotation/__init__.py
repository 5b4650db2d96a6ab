"""Labels by people: queues, taxonomies, agreement, blind votes, and proposals of what went wrong."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
