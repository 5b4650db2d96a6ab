"""The workbench itself: a workspace opened, and the one verb that everything else builds on, `ask`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.corpora.build import Progress, quiet
from workbench.corpora.library import Corpus, Library
from workbench.errors import UsageError, shorten
from workbench.languages import language
from workbench.pipeline import components, engine
from workbench.pipeline.live import Live, Watched
from workbench.pipeline.modes import build_chain
from workbench.pipeline.pricing import Pricing
from workbench.pipeline.recipe import Recipe
from workbench.pipeline.scope import languages_in
from workbench.pipeline.state import State
from workbench.records import Answer, Generation, Prompt, Task
from workbench.settings import QUESTION_LIMIT, Settings
from workbench.storage.cache import StepCache
from workbench.storage.store import open_store

if TYPE_CHECKING:
    from llama_index.core.base.base_retriever import BaseRetriever


class Workbench:
    """One workspace. Opening it reads nothing; parts open when first used."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @cached_property
    def library(self) -> Library:
        return Library(self.settings.corpora)

    @cached_property
    def cache(self) -> StepCache:
        return StepCache(open_store(self.settings.database_url))

    def corpus(self, name: str, progress: Progress = quiet) -> Corpus:
        """The corpus called `name`. Raises UsageError."""
        return self.library.open(name, progress)

    def ask(
        self,
        question: str,
        code: str,
        recipe: Recipe,
        *,
        on_step: engine.OnStep = engine.unwatched,
        watched: Watched | None = None,
        cached: bool = True,
    ) -> Answer:
        """The answer to one question in the language `code`; `watched` sees it written and can stop it.

        Raises UsageError for a question, language or scope that cannot be asked, and what a component raises.
        """
        return self.ask_all([question], code, recipe, on_step=on_step, watched=watched, cached=cached)[0]

    def ask_all(
        self,
        questions: Sequence[str],
        code: str,
        recipe: Recipe,
        *,
        on_step: engine.OnStep = engine.unwatched,
        watched: Watched | None = None,
        cached: bool = True,
    ) -> list[Answer]:
        """The answers to questions in one language, as one batch. Raises as `ask` does."""
        texts = [checked_question(question) for question in questions]
        asked_in = language(code).code
        corpus = self.corpus(recipe.corpus)
        scope = () if recipe.mode == "baseline" else languages_in(recipe.scope, asked_in, corpus.languages)
        parts = components.parts(recipe, corpus, self.settings.home)
        if watched is not None:
            parts = replace(parts, generator=Live(parts.generator, watched))
        chain = build_chain(recipe, parts)
        states = [State(text, asked_in, scope) for text in texts]
        traced = engine.run(chain, states, self.cache if cached else engine.NoCache(), on_step)
        pricing = Pricing(recipe.generator, self.settings.home)
        return [_answer(item, pricing) for item in traced]

    def retriever(self, recipe: Recipe, code: str) -> BaseRetriever:
        """What the recipe finds for questions in the language `code`, as a LlamaIndex retriever: see `taking_out`.

        Raises UsageError for a language or scope that cannot be searched, and what a component raises.
        """
        from workbench.pipeline.taking_out import llama_retriever

        return llama_retriever(recipe, self.corpus(recipe.corpus), self.settings.home, code)


def checked_question(question: str) -> str:
    """`question` without white space around it. Raises UsageError when it is empty, too long, no whole text or
    without a letter or digit."""
    text = question.strip()
    example = "For example: “Who invented radio?”"
    if not text:
        raise UsageError(f"The question is empty. Type a question of 1 to {QUESTION_LIMIT:,} characters. {example}")
    if len(text) > QUESTION_LIMIT:
        raise UsageError(
            f"The question has {len(text):,} characters (“{shorten(text, 30)}”); at most {QUESTION_LIMIT:,} are "
            f"allowed. {example}"
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError(
            f"The question holds half a character, as text that is not UTF-8 does. Type it as UTF-8. {example}"
        )
    if not any(character.isalnum() for character in text):
        raise UsageError(
            f"The question “{shorten(text)}” holds no letter or digit, so there is nothing to search for. {example}"
        )
    return text


def _answer(traced: engine.Traced, pricing: Pricing) -> Answer:
    state = traced.state
    generation = pricing.priced(state.generation or Generation(""))
    empty = Prompt("", "", Task(state.question, state.language))
    return Answer(
        question=state.question,
        language=state.language,
        text=state.answer,
        answer_language=state.answer_language,
        evidence=state.evidence,
        prompt=state.prompt or empty,
        generation=generation,
        steps=pricing.told(traced.steps, generation),
        sections=state.sections,
        question_translation=state.question_translation,
        answer_translation=state.answer_translation,
    )
