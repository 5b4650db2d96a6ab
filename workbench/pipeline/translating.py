"""Translating: the question before the search, the passages after it, the answer at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core import Evidence, Translation, TranslationFailed, Translator, check_stop, component
from workbench.languages import ENGLISH, language
from workbench.pipeline.prompts.compose import nothing_retrieved_answer
from workbench.pipeline.stage import BatchStage, Facts, State, StateStage


@dataclass(frozen=True)
class TranslateQuestion(BatchStage):
    """The question in English, to search with."""

    translator: Translator
    name: str = "translate question"
    reads: tuple[str, ...] = ("question", "language")
    adds: tuple[str, ...] = ("question_translation",)
    cacheable: bool = True
    models: tuple[str, ...] = ("translator",)

    @property
    def identity(self) -> str:
        """The translator's identity."""
        return self.translator.identity

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with their question in English. Raises TranslationFailed."""
        translations: dict[tuple[str, str], Translation] = {}
        for source in {state.language for state in states}:
            texts = [state.question for state in states if state.language == source]
            for text, translation in zip(texts, self.translator.translate(texts, source, ENGLISH), strict=True):
                translations[text, source] = translation
        return [replace(state, question_translation=translations[state.question, state.language]) for state in states]

    def facts(self, state: State) -> Facts:
        """The language pair and the kind of translation."""
        return (("translation", translation_words(state.question_translation)),)


@dataclass(frozen=True)
class TranslatePassages(BatchStage):
    """Each passage in English, with its title. What cannot be translated stays as it is, and the step reports it."""

    translator: Translator
    name: str = "translate passages"
    reads: tuple[str, ...] = ("evidence",)
    adds: tuple[str, ...] = ("evidence",)
    cacheable: bool = True
    models: tuple[str, ...] = ("translator",)

    @property
    def identity(self) -> str:
        """The translator's identity, and the version since which titles are translated."""
        return component("translate passages", translator=self.translator.identity, version=2)

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with a translation for each passage and title that has one."""
        titles: dict[tuple[str, str], Translation | None] = {}
        return [replace(state, evidence=tuple(self._one(item, titles) for item in state.evidence)) for state in states]

    def _one(self, item: Evidence, titles: dict[tuple[str, str], Translation | None]) -> Evidence:
        """The passage in English. `titles` are those of the batch: the passages of an article share one."""
        title, source = item.passage.title, item.passage.language
        if source == ENGLISH:
            return item
        translation = self._translation(item.passage.text, source)
        if translation is None:
            return item
        if title.strip() and (title, source) not in titles:
            titles[title, source] = self._translation(title, source)
        return replace(item, translation=translation, title_translation=titles.get((title, source)))

    def _translation(self, text: str, source: str) -> Translation | None:
        check_stop()  # nobody waits for it, and an online translator would be sent it
        try:
            return self.translator.translate([text], source, ENGLISH)[0]
        except TranslationFailed:
            return None

    def facts(self, state: State) -> Facts:
        """How many passages were translated, and how many could not be."""
        foreign = [item for item in state.evidence if item.passage.language != ENGLISH]
        done = sum(item.translation is not None for item in foreign)
        failed = len(foreign) - done
        titles = sum(
            item.translation is not None and item.title_translation is None and bool(item.passage.title)
            for item in foreign
        )
        return (
            ("translated", f"{done} of {len(foreign)}"),
            *((("failed", str(failed)),) if failed else ()),
            *((("titles as they were", str(titles)),) if titles else ()),
        )


@dataclass(frozen=True)
class TranslateAnswer(StateStage):
    """The English answer in the user's language. One that cannot be translated stays, and the step reports it."""

    translator: Translator
    name: str = "translate answer"
    reads: tuple[str, ...] = ("answer", "language")
    adds: tuple[str, ...] = ("answer", "answer_translation")
    cacheable: bool = True
    models: tuple[str, ...] = ("translator",)

    @property
    def identity(self) -> str:
        """The translator's identity."""
        return self.translator.identity

    def one(self, state: State) -> State:
        """The state with its answer translated where it can be."""
        if (
            not state.answer.strip()
            or state.language == ENGLISH
            or state.answer == nothing_retrieved_answer(state.language)
        ):
            return state
        try:
            translation = self.translator.translate([state.answer], ENGLISH, state.language)[0]
        except TranslationFailed:
            return state
        return replace(state, answer=translation.text, answer_translation=translation)

    def facts(self, state: State) -> Facts:
        """The language pair and the kind of translation, or that there is none."""
        if state.language == ENGLISH or not state.answer or state.answer == nothing_retrieved_answer(state.language):
            return ()
        if state.answer_translation is None:
            return (("failed", f"the answer could not be translated to {language(state.language).name}"),)
        return (("translation", translation_words(state.answer_translation)),)


def translation_words(translation: Translation | None) -> str:
    """A translation's languages, its kind and, where it is not exact, its match; "none" for None."""
    if translation is None:
        return "none"
    exact = translation.match is None or translation.kind in ("same", "exact")
    match = "" if exact else f", match {translation.match:.0%}"
    return f"{translation.source} → {translation.target}, {translation.kind}{match}"
