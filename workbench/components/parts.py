"""Components by the name that a recipe gives them.

Adding one: write it against its protocol, add a line here. Heavy libraries are imported when a component is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from workbench.components import identifiers, makers
from workbench.corpora.build import Progress
from workbench.corpora.corpus_library import Corpus
from workbench.errors import UsageError
from workbench.protocols import Components, Generator, Reranker, Retriever, Translator
from workbench.recipes.recipe import Recipe, RetrieverName
from workbench.records import Hit, Passage, Query, Ranking
from workbench.retrieval.hybrid import Fusion

BUILTIN, EXTRACTIVE, PASS = "builtin", "extractive", "pass"
"""The parts that need nothing else, by the names that recipes give them."""


class KeepOrder:
    """The reranker `pass`: the retriever's order stands."""

    identity = "pass"

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        return tuple(hits)


MODEL_LEXICAL_WEIGHT = 0.5
"""The lexical part of a hybrid with a real encoder, which needs less help than the built-in one."""


def retriever(recipe: Recipe, corpus: Corpus, home: Path) -> Retriever:
    """The recipe's retriever over a corpus, with its language balance.

    Raises UsageError for an encoder that does not exist, MissingError for one that is not here or has not indexed the
    corpus.
    """
    from workbench.retrieval.balance import Balanced
    from workbench.retrieval.hybrid import HybridRetriever

    def hybrid(fusion: Fusion) -> Retriever:
        if recipe.encoder == BUILTIN:
            return HybridRetriever(corpus.lexical, corpus.dense, fusion=fusion)
        dense = _dense(recipe.encoder, corpus, home)
        return HybridRetriever(corpus.lexical, dense, fusion=fusion, lexical_weight=MODEL_LEXICAL_WEIGHT)

    made: dict[str, Callable[[], Retriever]] = {
        "lexical": lambda: corpus.lexical,
        "dense": lambda: _dense(recipe.encoder, corpus, home),
        "sparse": lambda: _sparse(recipe.encoder, corpus),
        "hybrid": lambda: hybrid("weighted"),
        "rrf": lambda: hybrid("rrf"),
        "cc": lambda: hybrid("cc"),
        "dbsf": lambda: hybrid("dbsf"),
    }
    plain = made[recipe.retriever]()
    return plain if recipe.balance == "none" else Balanced(plain, recipe.balance)


def _dense(name: str, corpus: Corpus, home: Path) -> Retriever:
    if name == BUILTIN:
        return corpus.dense
    from workbench.corpora.encoded import open_dense

    return open_dense(corpus, name, makers.dense_encoder(name, home))


def _sparse(name: str, corpus: Corpus) -> Retriever:
    if name == BUILTIN:
        raise UsageError(
            "The built-in encoder gives no sparse vectors. Choose the encoder bge-m3 or splade-v3 with the retriever "
            "sparse, or the retriever hybrid."
        )
    from workbench.corpora.encoded import open_sparse

    return open_sparse(corpus, name, makers.sparse_encoder(name))


def index(corpus: Corpus, encoder: str, kind: RetrieverName, home: Path, progress: Progress) -> None:
    """Builds the corpus's index by an encoder, dense or sparse. Raises UsageError, MissingError."""
    from workbench.corpora.encoded import index_dense, index_sparse

    if kind == "sparse":
        index_sparse(corpus, encoder, makers.sparse_encoder(encoder), progress)
    else:
        index_dense(corpus, encoder, makers.dense_encoder(encoder, home), progress)


def reranker(name: str, home: Path) -> Reranker:
    """The reranker called `name`. Raises UsageError, MissingError."""
    return KeepOrder() if name == PASS else makers.reranker(name, home)


@cache
def _builtin_translator(cache_folder: Path) -> Translator:
    from workbench.translation.memory.builtin_translator import BuiltinTranslator
    from workbench.translation.memory.translation_memory import TranslationMemory

    with as_file(files("workbench.corpora.sample").joinpath("memory.tmx")) as path:
        return BuiltinTranslator(TranslationMemory.load(path), cache_folder)


def translator(name: str, home: Path) -> Translator:
    """The translator called `name`; what the built-in one learns is kept in the workspace.

    Raises UsageError, MissingError.
    """
    return _builtin_translator(home / "translation") if name == BUILTIN else makers.translator(name, home)


def generator(name: str, with_translator: Translator, home: Path) -> Generator:
    """The generator called `name`. Raises UsageError, MissingError."""
    if name != EXTRACTIVE:
        return makers.generator(name, home)
    from workbench.reader.extractive import ExtractiveReader

    return ExtractiveReader(with_translator)


def parts(recipe: Recipe, corpus: Corpus, home: Path) -> Components:
    """Every component that the recipe names."""
    chosen = translator(recipe.translator, home)
    return Components(
        retriever=retriever(recipe, corpus, home),
        reranker=reranker(recipe.reranker, home),
        translator=chosen,
        generator=generator(recipe.generator, chosen, home),
        detector=identifiers.identifier(home),
        passages=corpus.table.passages,
        corpus=corpus.manifest.fingerprint,
    )


def leaves_for(recipe: Recipe, home: Path) -> tuple[str, ...]:
    """The hosts that texts are sent to when a question is asked under this recipe; () where none leaves the machine.

    Raises UsageError for a component that does not exist.
    """
    named = [recipe.generator, recipe.translator]
    named += [] if recipe.retriever == "lexical" else [recipe.encoder]
    named += [recipe.reranker]
    return tuple(dict.fromkeys(host for name in named if (host := makers.sends_to(name, home))))
