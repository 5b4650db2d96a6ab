"""Stand-ins that answer at once and always the same, for tests of what lies above them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from types import MappingProxyType

from workbench.corpora.manifest import CorpusManifest
from workbench.recipes.recipe import Recipe
from workbench.records import Answer, Evidence, Generation, Passage, Prompt, Sections, Span, Step, Task, Translation
from workbench.settings import Settings
from workbench.workspace.answer_stream import StreamObserver
from workbench.workspace.question import checked_question

LANGUAGES = {"en": 2, "fi": 1}

STEPS = ("retrieve", "rerank", "compose", "generate")


def evidence(*texts: str, language: str = "en", title: str = "Radio") -> tuple[Evidence, ...]:
    """Texts as ranked passages with two scores each."""
    return tuple(
        Evidence(
            Passage(f"doc.{rank}", "doc", title, language, text),
            rank,
            MappingProxyType({"lexical": 2.5, "hybrid": 1 / rank}),
        )
        for rank, text in enumerate(texts, start=1)
    )


def answer(question: str = "Who?", language: str = "en", text: str = "Marconi", **changes: object) -> Answer:
    """A finished answer over one passage, its first seven characters marked."""
    found = evidence("Marconi is named as the inventor of radio.")
    given: dict[str, object] = {
        "question": question,
        "language": language,
        "text": text,
        "answer_language": "en",
        "evidence": found,
        "prompt": Prompt("Be brief.", f"Question: {question}", Task(question, language, found)),
        "generation": Generation(text, (Span(1, 0, 7),), "The fake reader always says this."),
        "steps": tuple(Step(name, "fake", 0.001, cached=False, facts={"note": "done"}) for name in STEPS),
    }
    return Answer(**{**given, **changes})  # type: ignore[arg-type]


def _set() -> Event:
    event = Event()
    event.set()
    return event


@dataclass
class FakeLibrary:
    """Two corpora."""

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
    """A workbench whose answers repeat the question; what it was asked is kept. `raises` is raised instead.

    A watched answer begins with “Mar”, says so by `begun`, and waits for `held`, which is set unless a test clears it.
    """

    home: Path
    raises: Exception | None = None
    asked: list[tuple[str, str, Recipe]] = field(default_factory=list)
    library: FakeLibrary = field(default_factory=FakeLibrary)
    begun: Event = field(default_factory=Event)
    held: Event = field(default_factory=_set)

    @property
    def settings(self) -> Settings:
        return Settings(self.home, f"sqlite:///{self.home / 'test.db'}")

    def corpus(self, name: str, progress: Callable[[str, int, int], None]) -> None:
        progress("lexical index", 1, 3)

    def ask(
        self,
        question: str,
        code: str,
        recipe: Recipe,
        *,
        on_step: Callable[[str, int, int], None],
        watched: StreamObserver | None = None,
        cached: bool = True,
    ) -> Answer:
        text = checked_question(question)
        self.asked.append((text, code, recipe))
        for number, name in enumerate(STEPS, start=1):
            on_step(name, number, len(STEPS))
        generation = None if watched is None else self._written(watched)
        if self.raises is not None:
            raise self.raises
        sections = Sections(
            "first", "second", "third", "Marconi", ("extraction", "explanation", "argumentation", "answer")
        )
        made = Translation("Who?", code, "en", "fuzzy", 0.9)
        return answer(
            text,
            code,
            sections=sections if recipe.mode == "drag" else None,
            question_translation=made if recipe.mode == "trag" else None,
            **({} if generation is None else {"generation": generation, "text": generation.text}),
        )

    def _written(self, watched: StreamObserver) -> Generation:
        """The answer piece by piece; the last one comes when `held` is set or the answer is stopped."""
        watched.on_piece("Mar")
        self.begun.set()
        while not (self.held.wait(0.01) or watched.stop.is_set()):
            continue
        if watched.stop.is_set():
            return Generation("Mar", finish="stopped")
        watched.on_piece("coni")
        return Generation("Marconi", finish="stop")
