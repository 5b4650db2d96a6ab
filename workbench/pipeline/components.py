"""Components by the name that a recipe gives them.

Adding one: write it against its protocol, add a line here. Heavy libraries are imported when a component is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from workbench.corpora.library import Corpus
from workbench.errors import unknown
from workbench.languages.detect import detect
from workbench.pipeline.modes import Parts
from workbench.pipeline.recipe import Recipe
from workbench.protocols import Generator, Reranker, Retriever, Translator
from workbench.records import Hit, Passage, Query, Ranking


class KeepOrder:
    """The reranker `pass`: the retriever's order stands."""

    identity = "pass"

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        return tuple(hits)


def retriever(recipe: Recipe, corpus: Corpus) -> Retriever:
    """The recipe's retriever over a corpus, with its language balance."""
    from workbench.retrieval.balance import Balanced
    from workbench.retrieval.hybrid import HybridRetriever

    made: dict[str, Callable[[], Retriever]] = {
        "lexical": lambda: corpus.lexical,
        "dense": lambda: corpus.dense,
        "hybrid": lambda: HybridRetriever(corpus.lexical, corpus.dense, fusion="weighted"),
        "rrf": lambda: HybridRetriever(corpus.lexical, corpus.dense, fusion="rrf"),
        "cc": lambda: HybridRetriever(corpus.lexical, corpus.dense, fusion="cc"),
    }
    plain = made[recipe.retriever]()
    return plain if recipe.balance == "none" else Balanced(plain, recipe.balance)


def reranker(name: str) -> Reranker:
    """The reranker called `name`. Raises UsageError."""
    if name == "pass":
        return KeepOrder()
    raise unknown("reranker", name, ["pass"])


@cache
def _builtin_translator(cache_folder: Path) -> Translator:
    from workbench.translation.builtin import BuiltinTranslator
    from workbench.translation.memory import TranslationMemory

    with as_file(files("workbench.corpora.sample").joinpath("memory.tmx")) as path:
        return BuiltinTranslator(TranslationMemory.load(path), cache_folder)


def translator(name: str, cache_folder: Path) -> Translator:
    """The translator called `name`; what it learns is kept in `cache_folder`. Raises UsageError."""
    if name == "builtin":
        return _builtin_translator(cache_folder)
    raise unknown("translator", name, ["builtin"])


def generator(name: str, with_translator: Translator) -> Generator:
    """The generator called `name`. Raises UsageError."""
    from workbench.generation.extractive import ExtractiveReader

    if name == "extractive":
        return ExtractiveReader(with_translator)
    raise unknown("generator", name, ["extractive"])


def parts(recipe: Recipe, corpus: Corpus, cache_folder: Path) -> Parts:
    """Every component that the recipe names."""
    chosen = translator(recipe.translator, cache_folder)
    return Parts(
        retriever=retriever(recipe, corpus),
        reranker=reranker(recipe.reranker),
        translator=chosen,
        generator=generator(recipe.generator, chosen),
        detector=detect,
        passages=corpus.table.passages,
        corpus=corpus.manifest.fingerprint,
    )
