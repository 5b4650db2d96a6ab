"""The stages: what each reads of a state, what it adds, and nothing of storage or screens.

Contract. A stage has a `name`, an `identity` (the component's, plus the stage's own parameters), the fields it
`reads` and those it `adds`. `run` takes a sequence of states and returns as many, in order, each changed in the added
fields only. What it raises ends the batch. `facts` tells, in pairs of words, what is worth showing of a finished state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from workbench.errors import TranslationFailed
from workbench.identity import component
from workbench.languages import language
from workbench.pipeline.recipe import Dialectic
from workbench.pipeline.state import State
from workbench.prompts import dialectic, parse, render
from workbench.prompts.catalogue import shipped
from workbench.protocols import Generator, Reranker, Retriever, Translator
from workbench.records import Evidence, Generation, Passage, Query, Sections, Task, Translation

Passages = Callable[[Sequence[int]], list[Passage]]
"""Fetches passages by row."""

Detector = Callable[[str, Sequence[str]], str]
"""The language of a text among candidates, "" where it cannot be told."""

Facts = tuple[tuple[str, str], ...]
PIVOT = "en"


class Stage(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> str: ...

    @property
    def reads(self) -> tuple[str, ...]: ...

    @property
    def adds(self) -> tuple[str, ...]: ...

    def run(self, states: Sequence[State]) -> list[State]: ...

    def facts(self, state: State) -> Facts: ...


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
                zip(((text, code) for text in texts), self.translator.translate(texts, code, PIVOT), strict=True)
            )
        return [replace(state, question_translation=done[state.question, state.language]) for state in states]

    def facts(self, state: State) -> Facts:
        return (("translation", _translation_words(state.question_translation)),)


@dataclass(frozen=True)
class Retrieve:
    """Candidates from the scope, with the question as asked or as translated."""

    retriever: Retriever
    candidates: int
    name: str = "retrieve"
    reads: tuple[str, ...] = ("question", "language", "scope", "question_translation")
    adds: tuple[str, ...] = ("query", "ranking")

    @property
    def identity(self) -> str:
        return component("retrieve", retriever=self.retriever.identity, candidates=self.candidates)

    def run(self, states: Sequence[State]) -> list[State]:
        queries = [self._query(state) for state in states]
        rankings = self.retriever.retrieve(queries, self.candidates)
        return [
            replace(state, query=query, ranking=ranking)
            for state, query, ranking in zip(states, queries, rankings, strict=True)
        ]

    def _query(self, state: State) -> Query:
        translated = state.question_translation
        if translated is None:
            return Query(state.question, state.language, state.scope)
        return Query(translated.text, translated.target, state.scope)

    def facts(self, state: State) -> Facts:
        return (("candidates", str(len(state.ranking or ()))), ("languages searched", " ".join(state.scope)))


@dataclass(frozen=True)
class Rerank:
    """The best `k` candidates, in the reranker's order, with their texts from `corpus` (its fingerprint: two corpora
    may give one ranking and hold other texts)."""

    reranker: Reranker
    passages: Passages
    corpus: str
    k: int
    name: str = "rerank"
    reads: tuple[str, ...] = ("query", "ranking")
    adds: tuple[str, ...] = ("ranking", "evidence")

    @property
    def identity(self) -> str:
        return component("rerank", reranker=self.reranker.identity, corpus=self.corpus, k=self.k)

    def run(self, states: Sequence[State]) -> list[State]:
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        hits = state.ranking or ()
        if state.query is None or not hits:
            return replace(state, ranking=(), evidence=())
        passages = self.passages([hit.row for hit in hits])
        ranked = self.reranker.rerank(state.query, hits, passages)[: self.k]
        texts = {passage.id: passage for passage in passages}
        evidence = tuple(
            Evidence(passage=texts[hit.id], rank=rank, scores=dict(hit.scores))
            for rank, hit in enumerate(ranked, start=1)
        )
        return replace(state, ranking=ranked, evidence=evidence)

    def facts(self, state: State) -> Facts:
        return (("passages kept", str(len(state.evidence))),)


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
        if item.passage.language == PIVOT:
            return item
        try:
            made = self.translator.translate([item.passage.text], item.passage.language, PIVOT)[0]
        except TranslationFailed:
            return item
        return replace(item, translation=made)

    def facts(self, state: State) -> Facts:
        foreign = [item for item in state.evidence if item.passage.language != PIVOT]
        done = sum(item.translation is not None for item in foreign)
        failed = len(foreign) - done
        return (("translated", f"{done} of {len(foreign)}"), *((("failed", str(failed)),) if failed else ()))


@dataclass(frozen=True)
class Compose:
    """The exact prompt, from the variant, the question as asked and the passages. `english`: ask in English (pivot)."""

    variant: str
    english: bool = False
    name: str = "compose"
    adds: tuple[str, ...] = ("prompt", "prompt_note")

    @property
    def reads(self) -> tuple[str, ...]:
        translated = ("question_translation",) if self.english else ()
        return ("question", "language", *translated, "evidence")

    @property
    def identity(self) -> str:
        return component("compose", variant=self.variant, texts=shipped().identity, english=self.english)

    def run(self, states: Sequence[State]) -> list[State]:
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        question, code = state.question, state.language
        if self.english and state.question_translation is not None:
            question, code = state.question_translation.text, PIVOT
        rendered = render(self.variant, Task(question=question, language=code, evidence=state.evidence))
        return replace(state, prompt=rendered.prompt, prompt_note=rendered.note)

    def facts(self, state: State) -> Facts:
        return (("prompt", self.variant), *((("note", state.prompt_note),) if state.prompt_note else ()))


@dataclass(frozen=True)
class ComposeDialectic:
    """D-RAG's prompt: extract, explain, weigh, answer."""

    options: Dialectic
    name: str = "compose"
    reads: tuple[str, ...] = ("question", "language", "evidence")
    adds: tuple[str, ...] = ("prompt",)

    @property
    def identity(self) -> str:
        return component(
            "compose dialectic", options=self.options.model_dump(mode="json"), texts=dialectic.shipped().identity
        )

    def run(self, states: Sequence[State]) -> list[State]:
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        task = Task(
            question=state.question,
            language=state.language,
            evidence=state.evidence,
            dialectic=self.options.parts,
            argument_language=self.options.argument_language,
        )
        return replace(state, prompt=dialectic.render(task))

    def facts(self, state: State) -> Facts:
        return (("prompt", "dialectic"), ("parts", " ".join(self.options.parts)))


@dataclass(frozen=True)
class Generate:
    """The generator's output, as it gave it."""

    generator: Generator
    name: str = "generate"
    reads: tuple[str, ...] = ("prompt",)
    adds: tuple[str, ...] = ("generation", "answer")

    @property
    def identity(self) -> str:
        return self.generator.identity

    def run(self, states: Sequence[State]) -> list[State]:
        prompts = [state.prompt for state in states if state.prompt is not None]
        made = self.generator.generate(prompts)
        return [replace(state, generation=given, answer=given.text) for state, given in zip(states, made, strict=True)]

    def facts(self, state: State) -> Facts:
        note = state.generation.note if state.generation else ""
        return (("note", note),) if note else ()


@dataclass(frozen=True)
class GenerateByPart:
    """A dialectic output from one prompt a part, each seeing what the earlier ones gave (D-RAG, Table 14)."""

    generator: Generator
    name: str = "generate"
    reads: tuple[str, ...] = ("prompt",)
    adds: tuple[str, ...] = ("generation", "answer")

    @property
    def identity(self) -> str:
        return component("generate by part", generator=self.generator.identity, texts=dialectic.shipped().identity)

    def run(self, states: Sequence[State]) -> list[State]:
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        if state.prompt is None:
            return state
        sections, last = Sections(), Generation("")
        for part in state.prompt.task.dialectic:
            last = self.generator.generate([dialectic.render_part(state.prompt.task, part, sections)])[0]
            sections = dialectic.add_part(sections, part, last.text)
        whole = replace(last, text=dialectic.write(sections))
        return replace(state, generation=whole, answer=sections.answer)

    def facts(self, state: State) -> Facts:
        parts = state.prompt.task.dialectic if state.prompt else ()
        return (("prompts", str(len(parts))),)


@dataclass(frozen=True)
class ParseSections:
    """A dialectic output cut into its labelled parts; the answer is the part so labelled."""

    name: str = "parse sections"
    identity: str = "parse sections 1"
    reads: tuple[str, ...] = ("generation",)
    adds: tuple[str, ...] = ("sections", "answer")

    def run(self, states: Sequence[State]) -> list[State]:
        made = [parse(state.generation.text if state.generation else "") for state in states]
        return [replace(state, sections=parts, answer=parts.answer) for state, parts in zip(states, made, strict=True)]

    def facts(self, state: State) -> Facts:
        return (("parts found", " ".join(state.sections.found) if state.sections else ""),)


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
        if not state.answer.strip() or state.language == PIVOT:
            return state
        try:
            made = self.translator.translate([state.answer], PIVOT, state.language)[0]
        except TranslationFailed:
            return state
        return replace(state, answer=made.text, answer_translation=made)

    def facts(self, state: State) -> Facts:
        if state.language == PIVOT or not state.answer:
            return ()
        if state.answer_translation is None:
            return (("failed", f"the answer could not be translated to {language(state.language).name}"),)
        return (("translation", _translation_words(state.answer_translation)),)


@dataclass(frozen=True)
class DetectLanguage:
    """The language that the answer is in, among those it can be in."""

    detector: Detector
    name: str = "detect language"
    identity: str = "detect language 1"
    reads: tuple[str, ...] = ("answer", "language", "scope")
    adds: tuple[str, ...] = ("answer_language",)

    def run(self, states: Sequence[State]) -> list[State]:
        return [
            replace(state, answer_language=self.detector(state.answer, sorted({state.language, PIVOT, *state.scope})))
            for state in states
        ]

    def facts(self, state: State) -> Facts:
        return (("answer language", state.answer_language or "cannot be told"),)


@dataclass(frozen=True)
class Chain:
    """Stages one after another; itself a stage."""

    stages: tuple[Stage, ...]
    name: str = "chain"

    @property
    def identity(self) -> str:
        return " → ".join(f"{stage.name}: {stage.identity}" for stage in self.stages)

    @property
    def reads(self) -> tuple[str, ...]:
        added: set[str] = set()
        needed: list[str] = []
        for stage in self.stages:
            needed.extend(field for field in stage.reads if field not in added and field not in needed)
            added.update(stage.adds)
        return tuple(needed)

    @property
    def adds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(field for stage in self.stages for field in stage.adds))

    def run(self, states: Sequence[State]) -> list[State]:
        current = list(states)
        for stage in self.stages:
            current = stage.run(current)
        return current

    def facts(self, state: State) -> Facts:
        return tuple(fact for stage in self.stages for fact in stage.facts(state))


def _translation_words(made: Translation | None) -> str:
    if made is None:
        return "none"
    match = "" if made.match is None or made.kind in ("same", "exact") else f", match {made.match:.0%}"
    return f"{made.source} → {made.target}, {made.kind}{match}"
