"""The retriever of a recipe over a corpus, and indexing by its dense encoder.

What a recipe leaves open of its dense search (centred or not, with or without sentences, joined with the built-in
encoder's) is decided by the encoder's adapter (`DenseOptions`).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from workbench.components import factory
from workbench.components.adapter import Adapter, DenseOptions
from workbench.components.references import adapter_of, reference
from workbench.core import Retriever
from workbench.data import Corpus, Progress
from workbench.pipeline import Recipe, RetrieverName
from workbench.retrieval import DenseIndex, Fusion, VectorSearch

WITHOUT_VECTORS = ("lexical", "sparse")
"""Retrievers that search no dense index."""


def dense_options(recipe: Recipe) -> DenseOptions:
    """How the vectors of the recipe's encoder are used. Raises UsageError for an encoder that does not exist."""
    default = _adapter(recipe.encoder).dense_options
    return DenseOptions(
        default.centring if recipe.centring is None else recipe.centring,
        default.levelling if recipe.levelling is None else recipe.levelling,
        default.sentence_share if recipe.sentence_share is None else recipe.sentence_share,
        default.builtin_view if recipe.builtin_view is None else recipe.builtin_view,
    )


def index_dense(
    corpus: Corpus, recipe: Recipe, home: Path, progress: Progress, spread: factory.EncoderSpread | None = None
) -> None:
    """Builds the corpus's index by the recipe's encoder, with its options. Raises UsageError, MissingError."""
    from workbench.data import index_dense as index

    options = dense_options(recipe)
    encoder = factory.centred_encoder(recipe.encoder, options.centring, home)
    encoder = spread.dense(recipe.encoder, options.centring, encoder) if spread else encoder
    index(corpus, _index_name(recipe), encoder, progress, by_sentences=options.sentence_share > 0)


def dense_retriever(recipe: Recipe, corpus: Corpus, home: Path) -> Retriever:
    """Dense search over the corpus. Raises MissingError where it is not indexed so, UsageError."""
    from workbench.retrieval import JoinedRetriever

    search = _search(recipe, corpus, home)
    if not dense_options(recipe).builtin_view:
        return search
    knows = _adapter(recipe.encoder).knows_language
    return JoinedRetriever(
        search, builtin_search(recipe, corpus), corpus.encoder, knows=knows, aligned=corpus.manifest.aligned
    )


def builtin_search(recipe: Recipe, corpus: Corpus) -> DenseIndex:
    """Dense search over the corpus by the built-in encoder. Raises DataError where the index is damaged."""
    return corpus.dense.exactly() if recipe.exact_search else corpus.dense


def vector_search(recipe: Recipe, corpus: Corpus, home: Path) -> VectorSearch:
    """What scores any passage of the corpus by its likeness to a question: the recipe's dense index.

    That of the built-in encoder where the recipe's retriever searches no dense index, or another is not there yet.
    Raises as `dense_retriever`.
    """
    builtin = recipe.retriever in WITHOUT_VECTORS or _adapter(recipe.encoder).corpus_retriever is not None
    return corpus.dense if builtin or stand_in(recipe, corpus, home) else _search(recipe, corpus, home)


def _search(recipe: Recipe, corpus: Corpus, home: Path) -> VectorSearch:
    from workbench.data import open_dense

    options = dense_options(recipe)
    encoder = factory.centred_encoder(recipe.encoder, options.centring, home)
    return open_dense(
        corpus,
        _index_name(recipe),
        encoder,
        levelling=options.levelling,
        sentence_share=options.sentence_share,
        exact=recipe.exact_search,
    )


def searches_on_demand(recipe: Recipe) -> bool:
    """Whether a recipe searches by an encoder whose index is built on demand. Raises UsageError."""
    searches = recipe.retriever not in WITHOUT_VECTORS and recipe.mode != "baseline"
    return searches and _adapter(recipe.encoder).indexes_on_demand


def stand_in(recipe: Recipe, corpus: Corpus, home: Path) -> str:
    """Why the built-in encoder serves in place of the recipe's, in a sentence; "" where it does not."""
    if not searches_on_demand(recipe):
        return ""
    # What an index with other options than the encoder's own lacks is told as an error: nobody builds it unasked.
    if _index_name(recipe) != recipe.encoder or is_indexed(recipe, corpus, home):
        return ""
    return (
        f"The corpus “{corpus.manifest.name}” has no vectors by {recipe.encoder} yet, so the built-in encoder searched "
        "in its place: it finds less across languages."
    )


def is_indexed(recipe: Recipe, corpus: Corpus, home: Path) -> bool:
    """Whether the corpus is indexed by the recipe's encoder, with its options. Raises UsageError, MissingError."""
    from workbench.data import is_dense_indexed

    options = dense_options(recipe)
    encoder = factory.centred_encoder(recipe.encoder, options.centring, home)
    return is_dense_indexed(corpus, encoder, by_sentences=options.sentence_share > 0)


def unindexed(recipe: Recipe, corpus: Corpus, home: Path) -> int:
    """How many passages have no vectors by the recipe's encoder, with its options. Raises as `is_indexed`."""
    from workbench.data import dense_unindexed

    options = dense_options(recipe)
    encoder = factory.centred_encoder(recipe.encoder, options.centring, home)
    return dense_unindexed(corpus, encoder, by_sentences=options.sentence_share > 0)


def unknown_languages(encoder: str, codes: Iterable[str]) -> tuple[str, ...]:
    """Those of `codes` of languages that an encoder was not trained on: there, transliteration serves."""
    knows = _adapter(encoder).knows_language
    return tuple(code for code in codes if not knows(code))


def _adapter(encoder: str) -> Adapter:
    return adapter_of(reference(encoder, "encoder"), "encoder")


def _index_name(recipe: Recipe) -> str:
    """The encoder's name, with those options of the index that its adapter does not choose by itself."""
    options, default = dense_options(recipe), _adapter(recipe.encoder).dense_options
    words = [recipe.encoder]
    if options.centring != default.centring:
        words.append(f"--centring {options.centring:g}")
    if (options.sentence_share > 0) != (default.sentence_share > 0):
        words.append("--sentences" if options.sentence_share > 0 else "--no-sentences")
    return " ".join(words)


MODEL_LEXICAL_WEIGHT = 0.5
"""The lexical part of a hybrid with a real encoder, which needs less help than the built-in one."""
FUSIONS: dict[RetrieverName, Fusion] = {"hybrid": "weighted", "rrf": "rrf", "cc": "cc", "dbsf": "dbsf"}
"""How a retriever that is a hybrid fuses the lexical and the dense ranking."""


def unbalanced_retriever(recipe: Recipe, corpus: Corpus, home: Path) -> Retriever:
    """The recipe's retriever over a corpus, without its language balance.

    Raises UsageError for an encoder that does not exist, MissingError for one that is not on this machine or has not
    indexed the corpus.
    """
    if recipe.retriever == "lexical":
        return corpus.lexical
    if recipe.retriever == "sparse":
        from workbench.data import open_sparse

        return open_sparse(corpus, recipe.encoder, factory.sparse_encoder(recipe.encoder, home))
    of_corpus = adapter_of(reference(recipe.encoder, "encoder"), "encoder").corpus_retriever
    if of_corpus is not None or stand_in(recipe, corpus, home):
        return _hybrid(recipe, corpus, builtin_search(recipe, corpus), None)
    return _hybrid(recipe, corpus, dense_retriever(recipe, corpus, home), MODEL_LEXICAL_WEIGHT)


def _hybrid(recipe: Recipe, corpus: Corpus, dense: Retriever, lexical_weight: float | None) -> Retriever:
    """The dense retriever alone, or fused with the lexical one where the recipe asks for that."""
    from workbench.retrieval import CC_NORMALISATION, DEPTH, RRF_K, HybridRetriever

    if recipe.retriever not in FUSIONS:
        return dense
    fusion = FUSIONS[recipe.retriever]
    # The weight for a real encoder is that of the weighted rule; the published rules have their own.
    default_weight = lexical_weight if fusion == "weighted" else None
    return HybridRetriever(
        corpus.lexical,
        dense,
        fusion=fusion,
        depth=DEPTH if recipe.fusion_depth is None else recipe.fusion_depth,
        lexical_weight=default_weight if recipe.fusion_weight is None else recipe.fusion_weight,
        rrf_k=RRF_K if recipe.rrf_k is None else recipe.rrf_k,
        normalisation=recipe.normalisation or CC_NORMALISATION,
    )
