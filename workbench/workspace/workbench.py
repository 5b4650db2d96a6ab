"""The workbench itself: a workspace opened, and the one verb that everything else builds on, `ask`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.components import parts
from workbench.components.prices import Pricing
from workbench.corpora.build import Progress, quiet
from workbench.corpora.corpus_library import Corpus, Library
from workbench.languages import language
from workbench.pipeline import executor
from workbench.pipeline.chain import build_chain
from workbench.pipeline.state import State
from workbench.recipes.recipe import Recipe
from workbench.recipes.scope import languages_in
from workbench.records import Answer, Generation, Prompt, Task
from workbench.settings import Settings
from workbench.storage.cache import StepCache
from workbench.storage.database import open_store
from workbench.workspace.answer_stream import ObservedGenerator, StreamObserver
from workbench.workspace.question import checked_question

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
        on_step: executor.OnStep = executor.ignore_progress,
        watched: StreamObserver | None = None,
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
        on_step: executor.OnStep = executor.ignore_progress,
        watched: StreamObserver | None = None,
        cached: bool = True,
    ) -> list[Answer]:
        """The answers to questions in one language, as one batch. Raises as `ask` does."""
        texts = [checked_question(question) for question in questions]
        asked_in = language(code).code
        corpus = self.corpus(recipe.corpus)
        scope = () if recipe.mode == "baseline" else languages_in(recipe.scope, asked_in, corpus.languages)
        made = parts.parts(recipe, corpus, self.settings.home)
        if watched is not None:
            made = replace(made, generator=ObservedGenerator(made.generator, watched))
        chain = build_chain(recipe, made)
        states = [State(text, asked_in, scope) for text in texts]
        traced = executor.run(chain, states, self.cache if cached else executor.NoCache(), on_step)
        pricing = Pricing(recipe.generator, self.settings.home)
        return [_answer(item, pricing) for item in traced]

    def retriever(self, recipe: Recipe, code: str) -> BaseRetriever:
        """What the recipe finds for questions in the language `code`, as a LlamaIndex retriever: see `taking_out`.

        Raises UsageError for a language or scope that cannot be searched, and what a component raises.
        """
        from workbench.workspace.llama_index_retriever import llama_retriever

        return llama_retriever(recipe, self.corpus(recipe.corpus), self.settings.home, code)


def _answer(traced: executor.TracedState, pricing: Pricing) -> Answer:
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
