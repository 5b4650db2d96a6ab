"""The modes, each one readable expression over the stages. Definitions: docs/methods.md."""

from __future__ import annotations

from typing import Protocol

from workbench.core import Augmenter, Components, Expander, PassageLookup, Reranker, Retriever, Translator
from workbench.pipeline.answering import (
    Compose,
    ComposeDialectic,
    Compress,
    DetectLanguage,
    Generate,
    GenerateByPart,
    ParseSections,
    ReadAnswer,
)
from workbench.pipeline.prompts.compose import PassageOrder
from workbench.pipeline.recipe import Recipe
from workbench.pipeline.searching import Augment, Contextualise, ExpandQuery, FilterPassages, Rerank, Retrieve
from workbench.pipeline.stage import Chain, Stage
from workbench.pipeline.translating import TranslateAnswer, TranslatePassages, TranslateQuestion
from workbench.retrieval import RRF_K

SEARCH_NOTHING = frozenset({"baseline"})
SEARCH_IN_ENGLISH = frozenset({"trag", "pivot"})
"""Modes that search with the question in English; the others do so when the recipe asks for it."""


READ_AS_FOUND = "multirag"
"""The mode that stands for those whose chains differ only in what they search and in which language they ask."""


def same_chain(recipe: Recipe) -> Recipe:
    """The recipe by which those with the same stages are equal: monoRAG and tRAG are MultiRAG in another scope.

    >>> same_chain(Recipe(mode="monorag", scope="all")) == same_chain(Recipe(mode="multirag", scope="all"))
    True
    """
    if recipe.mode not in ("monorag", "trag", READ_AS_FOUND):
        return recipe
    translates = recipe.mode in SEARCH_IN_ENGLISH or recipe.translate_question
    return recipe.with_(mode=READ_AS_FOUND, translate_question=translates)


class SearchComponents(Protocol):
    """The components that a search uses; `Components` is one."""

    @property
    def retriever(self) -> Retriever:
        """Finds the candidates."""

    @property
    def augmenter(self) -> Augmenter | None:
        """Adds passages to the candidates; None where the recipe adds none."""

    @property
    def reranker(self) -> Reranker:
        """Orders the candidates anew."""

    @property
    def translator(self) -> Translator:
        """Used only where the question is translated."""

    @property
    def expander(self) -> Expander | None:
        """Writes what is searched with in place of the question; None where the recipe has none."""

    @property
    def passages(self) -> PassageLookup:
        """The texts of the candidates."""

    @property
    def corpus(self) -> str:
        """The fingerprint of the corpus that is searched."""


def search_stages(recipe: Recipe, components: SearchComponents, candidates: int | None = None) -> tuple[Stage, ...]:
    """The recipe's stages from the question to its evidence, () for a mode that searches nothing.

    `candidates` replaces the recipe's number, and its k: as many passages are ranked as are retrieved.
    """
    if recipe.mode in SEARCH_NOTHING:
        return ()
    expander, augmenter, k = components.expander, components.augmenter, candidates or recipe.k
    expand = () if expander is None else (ExpandQuery(expander),)
    fuses = None if expander is None else RRF_K if recipe.rrf_k is None else recipe.rrf_k
    retrieve = Retrieve(components.retriever, candidates or recipe.candidates, fuses)
    augment = () if augmenter is None else (Augment(augmenter, components.corpus),)
    rerank = Rerank(components.reranker, components.passages, components.corpus, k)
    limits = (recipe.score_threshold, recipe.score_percentile)
    keep = () if limits == (None, None) else (FilterPassages(components.passages, components.corpus, k, *limits),)
    search = (*expand, retrieve, *augment, rerank, *keep)
    if recipe.mode in SEARCH_IN_ENGLISH or recipe.translate_question:
        return (TranslateQuestion(components.translator), *search)
    return search


def build_chain(recipe: Recipe, components: Components) -> Chain:
    """The recipe's stages in order; first the question is rewritten where a conversation comes before it."""
    rewrite = () if components.contextualiser is None else (Contextualise(components.contextualiser),)
    search = search_stages(recipe, components)
    passages_to_english = TranslatePassages(components.translator)
    searches = recipe.mode not in SEARCH_NOTHING
    compressor, turn = components.compressor if searches else None, recipe.user_turn
    compressed = compressor is not None
    compress = () if compressor is None else (Compress(compressor, english=recipe.mode == "pivot"),)
    # Notes are one text: there is no order of passages, and recipes that differ in it alone share their steps.
    order: PassageOrder = recipe.passage_order if searches and not compressed else "ranked"
    compose = Compose(recipe.prompt, user_turn=turn, searches=searches, order=order, compressed=compressed)
    compose_in_english = Compose(recipe.prompt, english=True, user_turn=turn, order=order, compressed=compressed)
    compose_dialectic = ComposeDialectic(recipe.dialectic, order, compressed)
    generate = Generate(components.generator)
    by_part = GenerateByPart(components.generator, recipe.dialectic.argument_language_in)
    argue: Stage = generate if recipe.dialectic.prompts == "one" else by_part
    read = ReadAnswer()
    answer_to_ul = TranslateAnswer(components.translator)
    modes: dict[str, tuple[Stage, ...]] = {
        "baseline": (compose, generate, read),
        "monorag": (*search, *compress, compose, generate, read),
        "trag": (*search, *compress, compose, generate, read),  # the search begins by translating the question
        "multirag": (*search, *compress, compose, generate, read),
        "crossrag": (*search, passages_to_english, *compress, compose, generate, read),
        "drag": (*search, *compress, compose_dialectic, argue, ParseSections()),
        "pivot": (*search, *compress, compose_in_english, generate, read, answer_to_ul),  # here too
    }
    stages = (*rewrite, *modes[recipe.mode], DetectLanguage(components.detector))
    return Chain(stages, name=recipe.mode, corpus=recipe.corpus)
