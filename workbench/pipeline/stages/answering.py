"""Answering: the generator's output, the answer in it, and the language it is in.

Where nothing was retrieved there is no prompt, and no generator is called: the answer says so in the user's language.
It does so too where a generator abstains because nothing that was retrieved bears on the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core import (
    Generation,
    Generator,
    IsolatingGenerator,
    LanguageIdentifier,
    Sections,
    Usage,
    WorkbenchError,
    component,
    total_usage,
    without_thinking,
)
from workbench.languages import ENGLISH
from workbench.pipeline.prompts import dialectic
from workbench.pipeline.prompts.nothing_retrieved import nothing_retrieved_answer
from workbench.pipeline.prompts.sections import format_failure, parse
from workbench.pipeline.stage import BatchStage, Facts
from workbench.pipeline.state import State

NOTHING_RETRIEVED = ("not found", "nothing was retrieved, so no model was asked")
"""The fact of a step that answers without evidence."""
NOTHING_BEARS = ("not found", "no document that was retrieved bears on the question")
"""The fact of a step whose generator abstained."""


@dataclass(frozen=True)
class Generate(BatchStage):
    """The generator's output, unchanged."""

    generator: Generator
    name: str = "generate"
    reads: tuple[str, ...] = ("prompt",)
    adds: tuple[str, ...] = ("generation", "answer")
    cacheable: bool = True
    models: tuple[str, ...] = ("generator",)

    @property
    def identity(self) -> str:
        """The generator's identity."""
        return self.generator.identity

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with a generation, whose text is the answer. Raises GenerationFailed."""
        prompts = [state.prompt for state in states if state.prompt is not None]
        generations = iter(self.generator.generate(prompts) if prompts else ())
        return [with_generation(state, next(generations) if state.prompt else Generation("")) for state in states]

    def run_each(self, states: Sequence[State]) -> list[State | WorkbenchError]:
        """One state with its generation or failure per state, in order."""
        if not isinstance(self.generator, IsolatingGenerator):
            return super().run_each(states)
        prompts = [state.prompt for state in states if state.prompt is not None]
        generations = iter(self.generator.attempt(prompts) if prompts else ())
        results: list[State | WorkbenchError] = []
        for state in states:
            item = next(generations) if state.prompt else Generation("")
            results.append(item if isinstance(item, WorkbenchError) else with_generation(state, item))
        return results

    def usage(self, state: State) -> Usage | None:
        """The tokens that the generation took."""
        return state.generation.usage if state.generation else None

    def facts(self, state: State) -> Facts:
        """What the generator notes of its output, and which of several hosts wrote it."""
        generation = state.generation or Generation("")
        pairs = (("note", generation.note), ("answered by", generation.server))
        return tuple((word, value) for word, value in pairs if value)


def with_generation(state: State, generation: Generation) -> State:
    """The state with a generation, whose text is its answer."""
    return replace(state, generation=generation, answer=generation.text)


@dataclass(frozen=True)
class GenerateByPart(BatchStage):
    """A dialectic output from one prompt per part, each with the earlier outputs.

    `argument_language_in` is the recipe's. Source: Ranaldi et al. (2025, D-RAG), Table 14.
    """

    generator: Generator
    argument_language_in: str = "all"
    name: str = "generate"
    reads: tuple[str, ...] = ("prompt",)
    adds: tuple[str, ...] = ("generation", "answer")
    cacheable: bool = True
    models: tuple[str, ...] = ("generator",)

    @property
    def identity(self) -> str:
        """The generator and the texts of the prompts."""
        template = dialectic.shipped()
        more = {} if self.argument_language_in == "all" else {"unnamed": template.unnamed_identity}
        return component("generate by part", generator=self.generator.identity, texts=template.identity, **more)

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with all parts as one generation; the answer is the last part. Raises GenerationFailed."""
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        if state.prompt is None:
            return with_generation(state, Generation(""))
        sections, last = Sections(), Generation("")
        usages: list[Usage | None] = []
        for part in state.prompt.task.dialectic:
            last = self.generator.generate([dialectic.render_part(state.prompt.task, part, sections)])[0]
            usages.append(last.usage)
            if last.abstains:
                return with_generation(state, replace(last, usage=total_usage(usages)))
            sections = dialectic.add_part(sections, part, without_thinking(last.text))
        generation = replace(last, text=dialectic.write(sections), usage=total_usage(usages))
        return replace(state, generation=generation, answer=sections.answer)

    def facts(self, state: State) -> Facts:
        """The number of prompts."""
        parts = state.prompt.task.dialectic if state.prompt else ()
        return (("prompts", str(len(parts))),)


@dataclass(frozen=True)
class ReadAnswer(BatchStage):
    """The answer in the generator's output: without what a model wrote while thinking.

    A step of its own, so that what a generator wrote is cached, shown and counted as it came.
    """

    name: str = "read answer"
    identity: str = "read answer 1"
    reads: tuple[str, ...] = ("prompt", "generation", "language")
    adds: tuple[str, ...] = ("answer",)
    cacheable: bool = False

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with their answer; where nothing was retrieved or bears on the question, it says so."""
        return [replace(state, answer=self._answer(state)) for state in states]

    def _answer(self, state: State) -> str:
        return nothing_retrieved_answer(state.language) if _not_answered(state) else without_thinking(_output(state))

    def facts(self, state: State) -> Facts:
        """That there is no answer, and why, or how much of the output was thinking."""
        if _not_answered(state):
            return _not_answered(state)
        left_out = len(_output(state)) - len(without_thinking(_output(state)))
        return (("thinking left out", f"{left_out:,} characters"),) if left_out else ()


@dataclass(frozen=True)
class ParseSections(BatchStage):
    """A dialectic output split into its labelled parts; the answer is the part with that label.

    An output without that label is a format failure: its text is shown, but not scored as an answer.
    """

    name: str = "parse sections"
    identity: str = "parse sections 2"
    reads: tuple[str, ...] = ("prompt", "generation", "language")
    adds: tuple[str, ...] = ("sections", "answer")
    cacheable: bool = False

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with the parts of their generation; the answer is "" where it ends before that part."""
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        if _not_answered(state):
            return replace(state, sections=None, answer=nothing_retrieved_answer(state.language))
        sections = parse(without_thinking(_output(state)))
        return replace(state, sections=sections, answer=sections.answer)

    def facts(self, state: State) -> Facts:
        """The parts that are present, and why the output is not an answer where it is not."""
        if _not_answered(state):
            return _not_answered(state)
        failure = format_failure(state.sections)
        present = " ".join(state.sections.present) if state.sections else ""
        return (("parts found", present), *((("format failure", failure),) if failure else ()))


def _not_answered(state: State) -> Facts:
    """The fact that there is no answer: nothing was retrieved, or its generator abstains; () where there is one."""
    if state.prompt is None:
        noted = state.compression is not None and state.compression.abstains
        return (NOTHING_BEARS if noted else NOTHING_RETRIEVED,)
    return (NOTHING_BEARS,) if state.generation is not None and state.generation.abstains else ()


def _output(state: State) -> str:
    return state.generation.text if state.generation else ""


@dataclass(frozen=True)
class DetectLanguage(BatchStage):
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
