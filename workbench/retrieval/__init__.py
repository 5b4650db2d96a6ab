"""Lexical, dense and sparse search, fusion, encoders and rerankers, in files or in Milvus."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
