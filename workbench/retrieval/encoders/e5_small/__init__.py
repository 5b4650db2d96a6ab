"""multilingual-e5-small in numpy: loaded in a second, in half a gigabyte, on any machine."""

from workbench.retrieval.encoders.e5_small.e5_small_encoder import MEANS, E5SmallEncoder

__all__ = ["MEANS", "E5SmallEncoder"]
