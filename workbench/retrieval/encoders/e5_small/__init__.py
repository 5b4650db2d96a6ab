"""multilingual-e5-small in numpy: loaded in a second, in half a gigabyte, on any machine."""

from workbench.retrieval.encoders.e5_small.e5_small_encoder import MEANS, E5SmallEncoder
from workbench.retrieval.encoders.e5_small.known_languages import KNOWN_LANGUAGES, knows_language

__all__ = ["KNOWN_LANGUAGES", "MEANS", "E5SmallEncoder", "knows_language"]
