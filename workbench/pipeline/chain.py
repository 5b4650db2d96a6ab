"""The modes, each one readable expression over the stages. Definitions: docs/methods.md."""

from __future__ import annotations

from collections.abc import Callable

from workbench.pipeline.stage import Chain, Stage
from workbench.pipeline.stages import (
    Compose,
    ComposeDialectic,
    DetectLanguage,
    Generate,
    GenerateByPart,
    ParseSections,
    Rerank,
    Retrieve,
    TranslateAnswer,
    TranslatePassages,
    TranslateQuestion,
)
from workbench.protocols import Components
from workbench.recipes.recipe import Recipe


def build_chain(recipe: Recipe, parts: Components) -> Chain:
    """The recipe's stages in order. A mode that does not translate the question does so when the recipe asks."""
    translate = TranslateQuestion(parts.translator)
    asked: tuple[Stage, ...] = (translate,) if recipe.translate_question else ()
    search = (
        Retrieve(parts.retriever, recipe.candidates),
        Rerank(parts.reranker, parts.passages, parts.corpus, recipe.k),
    )
    compose = Compose(recipe.prompt)
    generate = Generate(parts.generator)
    to_english = TranslatePassages(parts.translator)
    dialectic = ComposeDialectic(recipe.dialectic)
    argue: Stage = generate if recipe.dialectic.prompts == "one" else GenerateByPart(parts.generator)
    in_english = Compose(recipe.prompt, english=True)
    detect = DetectLanguage(parts.detector)
    modes: dict[str, Callable[[], tuple[Stage, ...]]] = {
        "baseline": lambda: (compose, generate),
        "monorag": lambda: (*asked, *search, compose, generate),
        "trag": lambda: (translate, *search, compose, generate),
        "multirag": lambda: (*asked, *search, compose, generate),
        "crossrag": lambda: (*asked, *search, to_english, compose, generate),
        "drag": lambda: (*asked, *search, dialectic, argue, ParseSections()),
        "pivot": lambda: (translate, *search, in_english, generate, TranslateAnswer(parts.translator)),
    }
    return Chain((*modes[recipe.mode](), detect), name=recipe.mode)
