"""Answering: the generator's output, its parts, and the language it is in."""

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
    """The generator's output, unchanged."""

    generator: Generator
    name: str = "generate"
    reads: tuple[str, ...] = ("prompt",)
    adds: tuple[str, ...] = ("generation", "answer")
    cacheable: bool = True

    @property
    def identity(self) -> str:
        """The generator's identity."""
        return self.generator.identity

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with a generation, whose text is the answer. Raises GenerationFailed."""
        prompts = [state.prompt for state in states if state.prompt is not None]
        generations = self.generator.generate(prompts)
        return [
            replace(state, generation=generation, answer=generation.text)
            for state, generation in zip(states, generations, strict=True)
        ]

    def facts(self, state: State) -> Facts:
        """What the generator notes of its output."""
        note = state.generation.note if state.generation else ""
        return (("note", note),) if note else ()


@dataclass(frozen=True)
class GenerateByPart:
    """A dialectic output from one prompt per part, each with the earlier outputs.

    Source: Ranaldi et al. (2025, D-RAG), Table 14.
    """

    generator: Generator
    name: str = "generate"
    reads: tuple[str, ...] = ("prompt",)
    adds: tuple[str, ...] = ("generation", "answer")
    cacheable: bool = True

    @property
    def identity(self) -> str:
        """The generator and the texts of the prompts."""
        return component("generate by part", generator=self.generator.identity, texts=dialectic.shipped().identity)

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with all parts as one generation; the answer is the last part. Raises GenerationFailed."""
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        if state.prompt is None:
            return state
        sections, last = Sections(), Generation("")
        usages: list[Usage] = []
        for part in state.prompt.task.dialectic:
            last = self.generator.generate([dialectic.render_part(state.prompt.task, part, sections)])[0]
            usages += [last.usage] if last.usage else []
            sections = dialectic.add_part(sections, part, last.text)
        generation = replace(last, text=dialectic.write(sections), usage=_sum(usages))
        return replace(state, generation=generation, answer=sections.answer)

    def facts(self, state: State) -> Facts:
        """The number of prompts."""
        parts = state.prompt.task.dialectic if state.prompt else ()
        return (("prompts", str(len(parts))),)


def _sum(usages: Sequence[Usage]) -> Usage | None:
    """What several calls used, None where none counted."""
    if not usages:
        return None
    return Usage(
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        estimated=any(usage.estimated for usage in usages),
        seconds=sum(usage.seconds for usage in usages),
    )


@dataclass(frozen=True)
class ParseSections:
    """A dialectic output split into its labelled parts; the answer is the part with that label."""

    name: str = "parse sections"
    identity: str = "parse sections 1"
    reads: tuple[str, ...] = ("generation",)
    adds: tuple[str, ...] = ("sections", "answer")
    cacheable: bool = True

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with the parts of their generation; the answer is "" where it has none."""
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        sections = parse(state.generation.text if state.generation else "")
        return replace(state, sections=sections, answer=sections.answer)

    def facts(self, state: State) -> Facts:
        """The parts that are present."""
        return (("parts found", " ".join(state.sections.present) if state.sections else ""),)


@dataclass(frozen=True)
class DetectLanguage:
    """The language that the answer is in, among those it can be in."""

    detector: LanguageIdentifier
    name: str = "detect language"
    reads: tuple[str, ...] = ("answer", "language", "scope")
    adds: tuple[str, ...] = ("answer_language",)
    cacheable: bool = True

    @property
    def identity(self) -> str:
        """The identifier and the version of this stage."""
        return component("detect language", identifier=self.detector.identity, version=1)

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with the language of their answer, "" where it cannot be identified."""
        return [
            replace(state, answer_language=self.detector(state.answer, sorted({state.language, ENGLISH, *state.scope})))
            for state in states
        ]

    def facts(self, state: State) -> Facts:
        """The language of the answer."""
        return (("answer language", state.answer_language or "cannot be told"),)
