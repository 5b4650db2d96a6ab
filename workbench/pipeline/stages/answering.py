"""Answering: what the generator gives, its parts, and the language it is in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.identity import component
from workbench.languages import ENGLISH
from workbench.pipeline.stage import Facts
from workbench.pipeline.state import State
from workbench.prompts import dialectic, parse
from workbench.protocols import Generator, LanguageIdentifier
from workbench.records import Generation, Sections, Usage


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
        used: list[Usage] = []
        for part in state.prompt.task.dialectic:
            last = self.generator.generate([dialectic.render_part(state.prompt.task, part, sections)])[0]
            used += [last.usage] if last.usage else []
            sections = dialectic.add_part(sections, part, last.text)
        whole = replace(last, text=dialectic.write(sections), usage=_together(used))
        return replace(state, generation=whole, answer=sections.answer)

    def facts(self, state: State) -> Facts:
        parts = state.prompt.task.dialectic if state.prompt else ()
        return (("prompts", str(len(parts))),)


def _together(used: Sequence[Usage]) -> Usage | None:
    """What several calls used, None where none counted."""
    if not used:
        return None
    return Usage(
        prompt_tokens=sum(usage.prompt_tokens for usage in used),
        completion_tokens=sum(usage.completion_tokens for usage in used),
        estimated=any(usage.estimated for usage in used),
        seconds=sum(usage.seconds for usage in used),
    )


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
class DetectLanguage:
    """The language that the answer is in, among those it can be in."""

    detector: LanguageIdentifier
    name: str = "detect language"
    reads: tuple[str, ...] = ("answer", "language", "scope")
    adds: tuple[str, ...] = ("answer_language",)

    @property
    def identity(self) -> str:
        return component("detect language", identifier=self.detector.identity, version=1)

    def run(self, states: Sequence[State]) -> list[State]:
        return [
            replace(state, answer_language=self.detector(state.answer, sorted({state.language, ENGLISH, *state.scope})))
            for state in states
        ]

    def facts(self, state: State) -> Facts:
        return (("answer language", state.answer_language or "cannot be told"),)
