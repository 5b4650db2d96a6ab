"""`Workbench`: asks, retrieves and compares over one workspace, checks what is ready, and fits LlamaIndex."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
