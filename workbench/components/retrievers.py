"""The retriever of a recipe over a corpus, every component that a recipe names, and indexing by an encoder."""

from __future__ import annotations

from pathlib import Path

from workbench.components import dense_search, factory, identifiers
from workbench.components.references import adapter_of, check_rewriting, reference
from workbench.core import Augmenter, Components, Compressor, Expander, Retriever
from workbench.data import Corpus, Progress
from workbench.models import REWRITING_LIMITS, TokenLimits
from workbench.pipeline import Recipe, RetrieverName
from workbench.retrieval import Fusion

MODEL_LEXICAL_WEIGHT = 0.5
"""The lexical part of a hybrid with a real encoder, which needs less help than the built-in one."""
FUSIONS: dict[RetrieverName, Fusion] = {"hybrid": "weighted", "rrf": "rrf", "cc": "cc", "dbsf": "dbsf"}
"""How a retriever that is a hybrid fuses the lexical and the dense ranking."""


def components_of(recipe: Recipe, corpus: Corpus, home: Path) -> Components:
    """Every component that the recipe names. Raises UsageError for one that does not exist, MissingError."""
    return Components(
        retriever=retriever(recipe, corpus, home),
        reranker=factory.reranker(recipe.reranker, home),
        translator=factory.translator(recipe.translator, home),
        generator=factory.generator(recipe.generator, home, recipe.translator, TokenLimits.of(recipe.max_new_tokens)),
        detector=identifiers.identifier(home),
        passages=corpus.table.passages,
        corpus=corpus.manifest.fingerprint,
        expander=expander(recipe, home),
        compressor=compressor(recipe, home),
        augmenter=augmenter(recipe, corpus, home),
    )


def augmenter(recipe: Recipe, corpus: Corpus, home: Path) -> Augmenter | None:
    """What adds neighbouring passages to the candidates, None where the recipe adds none. Raises as `retriever`."""
    if not recipe.neighbours:
        return None
    from workbench.data import NeighbourAugmenter

    search = dense_search.vector_search(recipe, corpus, home)
    return NeighbourAugmenter(corpus.table, search, recipe.neighbours, recipe.neighbour_side)


def retriever(recipe: Recipe, corpus: Corpus, home: Path) -> Retriever:
    """The recipe's retriever over a corpus, with its language balance.

    Raises UsageError for an encoder that does not exist, MissingError for one that is not on this machine or has not
    indexed the corpus.
    """
    from workbench.retrieval import BalancedRetriever

    plain = _retriever(recipe, corpus, home)
    return plain if recipe.balance == "none" else BalancedRetriever(plain, recipe.balance)


def expander(recipe: Recipe, home: Path) -> Expander | None:
    """Writes what is searched with, None where the recipe searches with the question or not at all.

    Raises UsageError where no language model is named, MissingError for one that is not on this machine.
    """
    if recipe.query_expansion == "none" or not recipe.expanding_model:
        return None
    check_rewriting(recipe)
    from workbench.pipeline import QueryExpander

    generator = factory.generator(recipe.expanding_model, home, limits=REWRITING_LIMITS)
    return QueryExpander(generator, recipe.query_expansion)


def compressor(recipe: Recipe, home: Path) -> Compressor | None:
    """Writes what is read in place of the documents, None where those are read. Raises as `expander` does."""
    if recipe.compressor == "none" or not recipe.compressing_model:
        return None
    check_rewriting(recipe)
    from workbench.pipeline import PassageCompressor

    generator = factory.generator(recipe.compressing_model, home, limits=REWRITING_LIMITS)
    return PassageCompressor(generator, recipe.compressor)


def index(
    corpus: Corpus, recipe: Recipe, home: Path, progress: Progress, spread: factory.EncoderSpread | None = None
) -> None:
    """Builds the corpus's index that the recipe searches, dense or sparse. Raises UsageError, MissingError."""
    from workbench.data import index_sparse

    if recipe.retriever == "sparse":
        encoder = factory.sparse_encoder(recipe.encoder, home)
        encoder = spread.sparse(recipe.encoder, encoder) if spread else encoder
        index_sparse(corpus, recipe.encoder, encoder, progress)
    else:
        dense_search.index_dense(corpus, recipe, home, progress, spread)


def _retriever(recipe: Recipe, corpus: Corpus, home: Path) -> Retriever:
    if recipe.retriever == "lexical":
        return corpus.lexical
    if recipe.retriever == "sparse":
        from workbench.data import open_sparse

        return open_sparse(corpus, recipe.encoder, factory.sparse_encoder(recipe.encoder, home))
    of_corpus = adapter_of(reference(recipe.encoder, "encoder"), "encoder").corpus_retriever
    if of_corpus is not None or dense_search.stand_in(recipe, corpus, home):
        return _hybrid(recipe, corpus, dense_search.builtin_search(recipe, corpus), None)
    return _hybrid(recipe, corpus, dense_search.dense_retriever(recipe, corpus, home), MODEL_LEXICAL_WEIGHT)


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
