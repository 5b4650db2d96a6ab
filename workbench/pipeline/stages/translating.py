"""Translating: the question before the search, the passages after it, the answer at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.errors import TranslationFailed
from workbench.languages import ENGLISH, language
from workbench.pipeline.stage import Facts
from workbench.pipeline.state import State
from workbench.protocols import Translator
from workbench.records import Evidence, Translation


@dataclass(frozen=True)
class TranslateQuestion:
    """The question in English, to search with."""

    translator: Translator
    name: str = "translate question"
    reads: tuple[str, ...] = ("question", "language")
    adds: tuple[str, ...] = ("question_translation",)

    @property
    def identity(self) -> str:
        return self.translator.identity

    def run(self, states: Sequence[State]) -> list[State]:
        done: dict[tuple[str, str], Translation] = {}
        for code in {state.language for state in states}:
            texts = [state.question for state in states if state.language == code]
            done.update(
                zip(((text, code) for text in texts), self.translator.translate(texts, code, ENGLISH), strict=True)
            )
        return [replace(state, question_translation=done[state.question, state.language]) for state in states]

    def facts(self, state: State) -> Facts:
        return (("translation", translation_words(state.question_translation)),)


@dataclass(frozen=True)
class TranslatePassages:
    """Each passage in English. One that cannot be translated stays as it is, and the step says so."""

    translator: Translator
    name: str = "translate passages"
    reads: tuple[str, ...] = ("evidence",)
    adds: tuple[str, ...] = ("evidence",)

    @property
    def identity(self) -> str:
        return self.translator.identity

    def run(self, states: Sequence[State]) -> list[State]:
        return [replace(state, evidence=tuple(self._one(item) for item in state.evidence)) for state in states]

    def _one(self, item: Evidence) -> Evidence:
        if item.passage.language == ENGLISH:
            return item
        try:
            made = self.translator.translate([item.passage.text], item.passage.language, ENGLISH)[0]
        except TranslationFailed:
            return item
        return replace(item, translation=made)

    def facts(self, state: State) -> Facts:
        foreign = [item for item in state.evidence if item.passage.language != ENGLISH]
        done = sum(item.translation is not None for item in foreign)
        failed = len(foreign) - done
        return (("translated", f"{done} of {len(foreign)}"), *((("failed", str(failed)),) if failed else ()))


@dataclass(frozen=True)
class TranslateAnswer:
    """The English answer in the user's language. One that cannot be translated stays English, and the step says so."""

    translator: Translator
    name: str = "translate answer"
    reads: tuple[str, ...] = ("answer", "language")
    adds: tuple[str, ...] = ("answer", "answer_translation")

    @property
    def identity(self) -> str:
        return self.translator.identity

    def run(self, states: Sequence[State]) -> list[State]:
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        if not state.answer.strip() or state.language == ENGLISH:
            return state
        try:
            made = self.translator.translate([state.answer], ENGLISH, state.language)[0]
        except TranslationFailed:
            return state
        return replace(state, answer=made.text, answer_translation=made)

    def facts(self, state: State) -> Facts:
        if state.language == ENGLISH or not state.answer:
            return ()
        if state.answer_translation is None:
            return (("failed", f"the answer could not be translated to {language(state.language).name}"),)
        return (("translation", translation_words(state.answer_translation)),)


def translation_words(made: Translation | None) -> str:
    if made is None:
        return "none"
    match = "" if made.match is None or made.kind in ("same", "exact") else f", match {made.match:.0%}"
    return f"{made.source} → {made.target}, {made.kind}{match}"
