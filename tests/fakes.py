"""Fakes of the workbench and its answers, always the same, for tests of the layers above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from types import MappingProxyType

from tests.databases import database_url
from workbench.app.background_answer import StreamObserver
from workbench.app.question import checked_question
from workbench.components.registry import Registry
from workbench.core.records import (
    Answer,
    Evidence,
    Generation,
    Passage,
    Prompt,
    Sections,
    Span,
    Step,
    Task,
    Translation,
)
from workbench.data.corpora.build import CorpusManifest
from workbench.data.corpora.corpus import StoreState
from workbench.pipeline.recipe import Recipe
from workbench.workspace.settings import Settings

LANGUAGES = {"en": 2, "fi": 1}

STEPS = ("retrieve", "rerank", "compose", "generate")


def evidence(*texts: str, language: str = "en", title: str = "Radio") -> tuple[Evidence, ...]:
    """Return texts as ranked passages with two scores each."""
    return tuple(
        Evidence(
            Passage(f"doc.{rank}", "doc", title, language, text),
            rank,
            MappingProxyType({"lexical": 2.5, "hybrid": 1 / rank}),
        )
        for rank, text in enumerate(texts, start=1)
    )


def answer(
    question: str = "Who?",
    language: str = "en",
    text: str = "Marconi",
    *,
    passages: tuple[Evidence, ...] = (),
    generation: Generation | None = None,
    sections: Sections | None = None,
    question_translation: Translation | None = None,
) -> Answer:
    """Return a finished answer over `passages`, by default one whose first seven characters the answer cites."""
    passages = passages or evidence("Marconi is named as the inventor of radio.")
    return Answer(
        question=question,
        language=language,
        text=text,
        answer_language="en",
        evidence=passages,
        prompt=Prompt("Be brief.", f"Question: {question}", Task(question, language, passages)),
        generation=generation or Generation(text, (Span(1, 0, 7),), "The fake reader always says this."),
        steps=tuple(Step(name, "fake", 0.001, cached=False, facts={"note": "done"}) for name in STEPS),
        sections=sections,
        question_translation=question_translation,
    )


def _set_event() -> Event:
    event = Event()
    event.set()
    return event


@dataclass
class FakeLibrary:
    """A `CorpusLibrary` of two corpora."""

    def list(self) -> list[CorpusManifest]:
        return [self._manifest("mine"), self._manifest("sample")]

    def _manifest(self, name: str) -> CorpusManifest:
        return CorpusManifest(
            name=name,
            version="1",
            fingerprint="1",
            passages=sum(LANGUAGES.values()),
            languages=LANGUAGES,
            aligned=False,
            source="a test",
            licence="none",
            built="2026-01-01",
            seconds=0.0,
        )


@dataclass
class FakeWorkbench:
    """A `Workbench` whose answers repeat the question.

    `requests` records question, language and recipe of each, `cached` whether it may come from the cache.

    `raises` is raised instead of an answer. An observed answer begins with “Mar”, sets `started`, and waits for
    `may_finish`, which is set unless a test clears it.
    """

    home: Path
    raises: Exception | None = None
    requests: list[tuple[str, str, Recipe]] = field(default_factory=list)
    cached: list[bool] = field(default_factory=list)
    library: FakeLibrary = field(default_factory=FakeLibrary)
    started: Event = field(default_factory=Event)
    may_finish: Event = field(default_factory=_set_event)

    @property
    def settings(self) -> Settings:
        return Settings(self.home, database_url(self.home / "test.db"))

    @property
    def registry(self) -> Registry:
        return Registry(self.home)

    def indexes(self) -> dict[str, tuple[str, ...]]:
        return dict.fromkeys(("sample", "mine"), ())

    def stores(self) -> dict[str, StoreState]:
        return {}

    def corpus(self, name: str, progress: Callable[[str, int, int], None]) -> None:
        progress("lexical index", 1, 3)

    def ask(
        self,
        question: str,
        language: str,
        recipe: Recipe,
        *,
        on_step: Callable[[str, int, int], None] = lambda name, number, count: None,
        observer: StreamObserver | None = None,
        cached: bool = True,
    ) -> Answer:
        text = checked_question(question)
        self.requests.append((text, language, recipe))
        self.cached.append(cached)
        for number, name in enumerate(STEPS, start=1):
            on_step(name, number, len(STEPS))
        generation = None if observer is None else self._stream(observer)
        if self.raises is not None:
            raise self.raises
        sections = Sections(
            "first", "second", "third", "Marconi", ("extraction", "explanation", "argumentation", "answer")
        )
        translation = Translation("Who?", language, "en", "fuzzy", 0.9)
        return answer(
            text,
            language,
            "Marconi" if generation is None else generation.text,
            generation=generation,
            sections=sections if recipe.mode == "drag" else None,
            question_translation=translation if recipe.mode == "trag" else None,
        )

    def _stream(self, observer: StreamObserver) -> Generation:
        """Give the answer in pieces; the last one comes when `may_finish` is set or the answer is stopped."""
        observer.on_piece("Mar")
        self.started.set()
        while not (self.may_finish.wait(0.01) or observer.stop.is_set()):
            continue
        if observer.stop.is_set():
            return Generation("Mar", finish="stopped")
        observer.on_piece("coni")
        return Generation("Marconi", finish="stop")
