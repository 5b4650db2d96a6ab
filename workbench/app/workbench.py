"""The workbench: an opened workspace, and `ask`, the one verb that everything else builds on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING

from sqlalchemy import select

from workbench import languages
from workbench.app.background_answer import ObservedGenerator, StreamObserver
from workbench.app.question import LazySearchComponents, checked_question
from workbench.app.recent_answers import RecentAnswers
from workbench.components import Pricing, Registry
from workbench.core import (
    Answer,
    DataError,
    Evidence,
    Generation,
    Message,
    Prompt,
    Task,
    Translation,
    TranslationFailed,
    WorkbenchError,
)
from workbench.data import SAMPLE, Corpus, CorpusLibrary, CorpusManifest, Progress, StoreState, quiet
from workbench.languages import ENGLISH, language
from workbench.pipeline import (
    BUILTIN,
    DEFAULT_ENCODER,
    Chain,
    Compress,
    Contextualise,
    Executor,
    ExpandQuery,
    NoCache,
    OnStep,
    Recipe,
    State,
    TracedState,
    TranslatePassages,
    build_chain,
    ignore_progress,
    search_stages,
)
from workbench.workspace import Settings, StepCache, load, open_store, runs, verb

if TYPE_CHECKING:
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.base_retriever import BaseRetriever


class Workbench:
    """One workspace: the one that the environment names, unless `settings` name another.

    Opening it reads nothing; its parts are opened when first used.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or load()
        self._indexed: set[str] = set()

    @cached_property
    def library(self) -> CorpusLibrary:
        """The corpora of this workspace."""
        return CorpusLibrary(self.settings.corpora, self._has_runs)

    @cached_property
    def registry(self) -> Registry:
        """The components of this workspace."""
        return Registry(self.settings.home)

    @cached_property
    def cache(self) -> StepCache:
        """The outputs of steps that were run in this workspace."""
        return StepCache(open_store(self.settings.database_url))

    @cached_property
    def _recent(self) -> RecentAnswers:
        return RecentAnswers()

    def indexes(self) -> dict[str, tuple[str, ...]]:
        """The corpora, each with the names of the encoders that indexed it besides the built-in one."""
        from workbench.data import encoders_of

        folder = self.settings.corpora
        manifests = self.library.list()
        return {item.name: encoders_of(Corpus(item, folder / item.name / item.version)) for item in manifests}

    def stores(self) -> dict[str, StoreState]:
        """Where those corpora are searched that have a store besides their files, by name; damaged files left out."""
        from workbench.data import store_state

        folder, states = self.settings.corpora, {}
        for item in self.library.list():
            with suppress(DataError):
                states[item.name] = store_state(Corpus(item, folder / item.name / item.version))
        return {name: state for name, state in states.items() if state is not None}

    def corpus(self, name: str, progress: Progress = quiet) -> Corpus:
        """The corpus called `name`; the sample with its vectors, which ship with it. Raises UsageError."""
        corpus = self.library.open(name, progress)
        if corpus.manifest.name == SAMPLE and DEFAULT_ENCODER != BUILTIN and not self._is_indexed(corpus):
            self.registry.index(corpus, DEFAULT_ENCODER, "dense", progress)
        return corpus

    def corpus_as_of(self, name: str, version: str) -> Corpus:
        """The version of a corpus with this fingerprint while it is kept, else as it is now. Raises UsageError."""
        return (self.library.version_of(name, version) if version else None) or self.corpus(name)

    def _has_runs(self, corpus: CorpusManifest) -> bool:
        """Whether a stored run searched the corpus as it is; also where the database cannot be read."""
        statement = select(runs.c.id).where(runs.c.corpus_version == corpus.fingerprint).limit(1)
        try:
            with open_store(self.settings.database_url).connect() as connection:
                return connection.execute(statement).first() is not None
        except WorkbenchError:
            return True

    def _is_indexed(self, corpus: Corpus) -> bool:
        """Whether the default encoder has indexed the corpus; what once was so is not looked up again."""
        if corpus.manifest.version not in self._indexed and self.registry.is_indexed(corpus, DEFAULT_ENCODER):
            self._indexed.add(corpus.manifest.version)
        return corpus.manifest.version in self._indexed

    @verb("questions.ask")
    def ask(
        self,
        question: str,
        language: str,
        recipe: Recipe,
        *,
        on_step: OnStep = ignore_progress,
        observer: StreamObserver | None = None,
        stop: Event | None = None,
        cached: bool = True,
        conversation: Sequence[Message] = (),
    ) -> Answer:
        """The answer to one question in a language; the observer receives it as it is written and can stop it.

        With a `conversation`, the messages before the question, the answer is to the question as rewritten from them.
        Once `stop` is set, JobStopped is raised and no part is kept, where the observer keeps one. `cached` False
        neither reads nor writes the cache. Raises UsageError for a question, language or scope that cannot be asked,
        and what a component raises.
        """
        (answer,) = self.ask_all(
            [question],
            language,
            recipe,
            on_step=on_step,
            observer=observer,
            stop=stop,
            cached=cached,
            conversation=conversation,
        )
        return answer

    @verb("questions.ask")
    def ask_all(
        self,
        questions: Sequence[str],
        language: str,
        recipe: Recipe,
        *,
        on_step: OnStep = ignore_progress,
        observer: StreamObserver | None = None,
        stop: Event | None = None,
        cached: bool = True,
        conversation: Sequence[Message] = (),
    ) -> list[Answer]:
        """The answers to questions in one language, as one batch, in order. Raises as `ask` does."""
        texts = [checked_question(question) for question in questions]
        asker = languages.language(language).code
        corpus = self.corpus(recipe.corpus)
        scope = recipe.searched(asker, corpus.languages)
        components = self.registry.components(recipe, corpus)
        if conversation:
            components = replace(components, contextualiser=self.registry.contextualiser(recipe))
        if observer is not None:
            components = replace(components, generator=ObservedGenerator(components.generator, observer))
        states = [State(text, asker, scope, tuple(conversation)) for text in texts]
        see = None if observer is None else observer.see
        executor = Executor(self.cache if cached else NoCache(), stop=stop or Event(), on_states=see)
        traced = self._recent.run(executor, build_chain(recipe, components), states, on_step)
        models = (recipe.generator, recipe.expanding_model, recipe.compressing_model)
        pricings = [Pricing(name, self.settings.home) for name in models]
        return [_answer(item, *pricings) for item in traced]

    @verb("questions.ask")
    def search(
        self, question: str, language: str, recipe: Recipe, *, stop: Event | None = None, cached: bool = True
    ) -> tuple[Evidence, ...]:
        """The evidence of a question in a language, best first, without an answer; () in a mode that searches nothing.

        It is that of `ask`, but for CrossRAG's translations, which come after the search. Raises and stops as `ask`
        does.
        """
        text, asker = checked_question(question), languages.language(language).code
        corpus = self.corpus(recipe.corpus)
        stages = search_stages(recipe, LazySearchComponents(recipe, corpus, self.registry))
        if not stages:
            return ()
        state = State(text, asker, recipe.searched(asker, corpus.languages))
        executor = Executor(self.cache if cached else NoCache(), stop=stop or Event())
        chain = Chain(stages, "search", recipe.corpus)
        return self._recent.run(executor, chain, [state], ignore_progress)[0].state.evidence

    @verb("questions.ask")
    def evidence_in_english(self, evidence: Sequence[Evidence], recipe: Recipe) -> Mapping[int, Translation]:
        """English by rank for each passage that came without, for people to read: it is no part of the recipe.

        What the recipe's translator cannot translate is left out.
        """
        translator = self.registry.translator(recipe.translator)
        foreign = tuple(item for item in evidence if item.translation is None and item.passage.language != ENGLISH)
        (state,) = TranslatePassages(translator).run([State("", ENGLISH, evidence=foreign)])
        return {item.rank: item.translation for item in state.evidence if item.translation is not None}

    @verb("questions.ask")
    def retriever(self, recipe: Recipe, language: str) -> BaseRetriever:
        """The recipe's search for questions in a language, as a LlamaIndex retriever: see `llama_retriever`.

        Raises UsageError for a language or scope that cannot be searched, and what a component raises.
        """
        from workbench.app.llama_index import llama_retriever

        return llama_retriever(recipe, self.corpus(recipe.corpus), self.registry, language)

    @verb("questions.ask")
    def query_engine(self, recipe: Recipe, language: str) -> BaseQueryEngine:
        """The complete recipe for a language's questions, as a LlamaIndex query engine: `llama_query_engine`.

        Raises UsageError for a language or a component that does not exist.
        """
        from workbench.app.llama_index import llama_query_engine

        self.registry.check(recipe)
        asker = languages.language(language).code
        return llama_query_engine(
            lambda question: self.ask(question, asker, recipe), lambda question: self.search(question, asker, recipe)
        )


def _answer(traced: TracedState, generating: Pricing, expanding: Pricing, compressing: Pricing) -> Answer:
    state = traced.state
    generation = generating.priced(state.generation or Generation(""))
    steps = generating.with_cost(traced.steps, generation.usage)
    expansion, compression = state.expansion, state.compression
    if state.contextualisation is not None:
        usage = generating.priced_usage(state.contextualisation.usage)
        steps = generating.with_cost(steps, usage, Contextualise.name)
    if expansion is not None:
        expansion = replace(expansion, usage=expanding.priced_usage(expansion.usage))
        steps = expanding.with_cost(steps, expansion.usage, ExpandQuery.name)
    if compression is not None:
        compression = replace(compression, usage=compressing.priced_usage(compression.usage))
        steps = compressing.with_cost(steps, compression.usage, Compress.name)
    empty = Prompt("", "", Task(state.question, state.language))
    return Answer(
        question=state.question,
        language=state.language,
        text=state.answer,
        answer_language=state.answer_language,
        evidence=state.evidence,
        prompt=state.prompt or empty,
        generation=generation,
        steps=steps,
        sections=state.sections,
        question_translation=state.question_translation,
        answer_translation=state.answer_translation,
        expansion=expansion,
        compression=compression,
    )


UNKNOWN_WORD = "qzxv"
"""A word of no language: no translation memory contains it, so the translator has to learn its word gloss."""


def warm_up(workbench: Workbench, recipe: Recipe, codes: Sequence[str]) -> None:
    """Asks a question with the recipe once, uncached, then lets the translator learn its gloss for each language.

    Raises what the workbench raises; stores nothing but what a first answer would store too.
    """
    workbench.ask(f"Radio {UNKNOWN_WORD}?", ENGLISH, recipe, cached=False)
    translator = workbench.registry.translator(recipe.translator)
    for code in codes:
        for source, target in ((code, ENGLISH), (ENGLISH, code)):
            try:
                translator.translate([UNKNOWN_WORD], language(source).code, language(target).code)
            except TranslationFailed:
                continue
