"""The stages from the evidence to the answer: notes on the documents, the exact prompt, the output, the answer in it.

Where nothing was retrieved there is no prompt, and no generator is called: the answer says so in the user's language.
It does so too where a generator abstains because nothing that was retrieved bears on the question. Notes are read in
place of the documents, which stay the evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core import (
    Compressor,
    Generation,
    Generator,
    IsolatingGenerator,
    LanguageIdentifier,
    Sections,
    Task,
    Usage,
    WorkbenchError,
    component,
    total_usage,
    without_thinking,
)
from workbench.languages import ENGLISH
from workbench.pipeline.prompts import dialectic
from workbench.pipeline.prompts.compose import PassageOrder, in_order, nothing_retrieved_answer, render
from workbench.pipeline.prompts.dialectic import format_failure, parse
from workbench.pipeline.prompts.variants import shipped_families, shipped_texts, variant
from workbench.pipeline.recipe import Dialectic, UserTurn
from workbench.pipeline.stage import BatchStage, Facts, State, StateStage, first_failure, usage_facts


@dataclass(frozen=True)
class Compose(StateStage):
    """The exact prompt, from the variant, the question as typed and the passages. `english`: ask in English (pivot).

    `user_turn`: whether the labels and the instruction follow the variant's language or are in English. `searches`:
    whether there should be passages; without any there is then no prompt, since it would ask what the model knows.
    `order`: in which order the passages are listed, each under the number of its rank. `compressed`: the notes on them
    are given in their place, unless there are none.
    """

    variant: str
    english: bool = False
    user_turn: UserTurn = "follows"
    searches: bool = True
    order: PassageOrder = "ranked"
    compressed: bool = False
    name: str = "compose"
    adds: tuple[str, ...] = ("prompt", "prompt_note")
    cacheable: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        """The question, its language, the evidence; its translation to ask in English; notes where there are some."""
        translated = ("question_translation",) if self.english else ()
        return ("question", "language", *translated, "evidence", *_notes_read(compressed=self.compressed))

    @property
    def identity(self) -> str:
        """The variant, the texts that it is made of and, where it is not by rank, the order."""
        more: dict[str, str] = {} if self.user_turn == "follows" else {"user_turn": self.user_turn}
        more |= _order_in_identity(self.order)
        more |= {"families": shipped_families().identity} if variant(self.variant).family else {}
        return component("compose", variant=self.variant, texts=shipped_texts().identity, english=self.english, **more)

    def one(self, state: State) -> State:
        """The state with a prompt, None where there should be passages and are none."""
        if self.searches and not _is_readable(state):
            return replace(state, prompt=None, prompt_note="")
        question, language = state.question, state.language
        if self.english and state.question_translation is not None:
            question, language = state.question_translation.text, ENGLISH
        evidence, notes = in_order(state.evidence, self.order), _notes(state, compressed=self.compressed)
        task = Task(question=question, language=language, evidence=evidence, compressed=notes)
        rendered = render(self.variant, task, user_turn=self.user_turn)
        return replace(state, prompt=rendered.prompt, prompt_note=rendered.note)

    def facts(self, state: State) -> Facts:
        """The variant, the user turn's language and the order where they are chosen, what the prompt could not do."""
        turn = (("user turn", "English"),) if self.user_turn == "en" else ()
        return (
            ("prompt", self.variant),
            *turn,
            *_order_fact(self.order),
            *((("note", state.prompt_note),) if state.prompt_note else ()),
        )


@dataclass(frozen=True)
class ComposeDialectic(StateStage):
    """D-RAG's prompt: extract, explain, weigh, answer. `order` and `compressed` as in `Compose`."""

    options: Dialectic
    order: PassageOrder = "ranked"
    compressed: bool = False
    name: str = "compose"
    adds: tuple[str, ...] = ("prompt",)
    cacheable: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        """The question, its language, the evidence, and notes where there are some."""
        return ("question", "language", "evidence", *_notes_read(compressed=self.compressed))

    @property
    def identity(self) -> str:
        """The options, the texts of the prompt and, where it is not by rank, the order."""
        return component(
            "compose dialectic",
            options=self.options.model_dump(mode="json"),
            texts=dialectic.shipped().identity,
            **_order_in_identity(self.order),
        )

    def one(self, state: State) -> State:
        """The state with a prompt, None where there are no passages."""
        if not _is_readable(state):
            return replace(state, prompt=None)
        task = Task(
            question=state.question,
            language=state.language,
            evidence=in_order(state.evidence, self.order),
            compressed=_notes(state, compressed=self.compressed),
            dialectic=self.options.parts,
            argument_language=self.options.argument_language,
            argument_language_in=self.options.argument_language_in,
        )
        return replace(state, prompt=dialectic.render(task))

    def facts(self, state: State) -> Facts:
        """The parts that are asked for."""
        return (("prompt", "dialectic"), ("parts", " ".join(self.options.parts)), *_order_fact(self.order))


def _is_readable(state: State) -> bool:
    """Whether there is something to answer from: documents, and not notes that none of them bears on the question."""
    return bool(state.evidence) and not (state.compression is not None and state.compression.abstains)


def _notes(state: State, *, compressed: bool) -> str:
    return state.compression.text if compressed and state.compression is not None else ""


def _notes_read(*, compressed: bool) -> tuple[str, ...]:
    return ("compression",) if compressed else ()


def _order_in_identity(order: PassageOrder) -> dict[str, str]:
    return {} if order == "ranked" else {"order": order}


def _order_fact(order: PassageOrder) -> Facts:
    return () if order == "ranked" else (("passage order", order),)


@dataclass(frozen=True)
class Compress:
    """Notes on the evidence, in the question's language. `english`: in English, by the translated question (pivot)."""

    compressor: Compressor
    english: bool = False
    name: str = "compress"
    adds: tuple[str, ...] = ("compression",)
    cacheable: bool = True
    models: tuple[str, ...] = ("compressing_model",)

    @property
    def reads(self) -> tuple[str, ...]:
        """The question, its language, the evidence and, for notes in English, the question's translation."""
        return ("question", "language", *(("question_translation",) if self.english else ()), "evidence")

    @property
    def identity(self) -> str:
        """The compressor's identity."""
        return self.compressor.identity

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with notes. Raises the first failure."""
        return first_failure(self.run_each(states))

    def run_each(self, states: Sequence[State]) -> list[State | WorkbenchError]:
        """One state with notes or failure per state, in order; without evidence there are no notes and no call."""
        read = [index for index, state in enumerate(states) if state.evidence]
        results: list[State | WorkbenchError] = [replace(state, compression=None) for state in states]
        notes = self.compressor.compress([self._task(states[index]) for index in read]) if read else []
        for index, item in zip(read, notes, strict=True):
            if isinstance(item, WorkbenchError):
                results[index] = item
            else:
                results[index] = replace(states[index], compression=item)
        return results

    def _task(self, state: State) -> Task:
        if self.english and state.question_translation is not None:
            return Task(state.question_translation.text, ENGLISH, state.evidence)
        return Task(state.question, state.language, state.evidence)

    def usage(self, state: State) -> Usage | None:
        """The tokens that the notes took."""
        return state.compression.usage if state.compression else None

    def facts(self, state: State) -> Facts:
        """How much shorter the notes are than the documents, what there is to note, and the tokens."""
        if state.compression is None:
            return ()
        before = sum(len(item.text) for item in state.evidence)
        length = f"{before:,} → {len(state.compression.text):,}"
        size = (("characters", length),) if state.compression.text else ()
        note = (("note", state.compression.note),) if state.compression.note else ()
        return (*size, *note, *usage_facts(state.compression.usage))


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
class GenerateByPart(StateStage):
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

    def one(self, state: State) -> State:
        """The state with all parts as one generation; the answer is the last part. Raises GenerationFailed."""
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
class ReadAnswer(StateStage):
    """The answer in the generator's output: without what a model wrote while thinking.

    A step of its own, so that what a generator wrote is cached, shown and counted as it came.
    """

    name: str = "read answer"
    identity: str = "read answer 1"
    reads: tuple[str, ...] = ("prompt", "generation", "language")
    adds: tuple[str, ...] = ("answer",)
    cacheable: bool = False

    def one(self, state: State) -> State:
        """The state with its answer; where nothing was retrieved or bears on the question, it says so."""
        return replace(state, answer=self._answer(state))

    def _answer(self, state: State) -> str:
        return nothing_retrieved_answer(state.language) if _not_answered(state) else without_thinking(_output(state))

    def facts(self, state: State) -> Facts:
        """That there is no answer, and why, or how much of the output was thinking."""
        if _not_answered(state):
            return _not_answered(state)
        left_out = len(_output(state)) - len(without_thinking(_output(state)))
        return (("thinking left out", f"{left_out:,} characters"),) if left_out else ()


@dataclass(frozen=True)
class ParseSections(StateStage):
    """A dialectic output split into its labelled parts; the answer is the part with that label.

    An output without that label is a format failure: its text is shown, but not scored as an answer.
    """

    name: str = "parse sections"
    identity: str = "parse sections 2"
    reads: tuple[str, ...] = ("prompt", "generation", "language")
    adds: tuple[str, ...] = ("sections", "answer")
    cacheable: bool = False

    def one(self, state: State) -> State:
        """The state with the parts of its generation; the answer is "" where it ends before that part."""
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
class DetectLanguage(StateStage):
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

    def one(self, state: State) -> State:
        """The state with the language of its answer, "" where it cannot be identified."""
        return replace(
            state, answer_language=self.detector(state.answer, sorted({state.language, ENGLISH, *state.scope}))
        )

    def facts(self, state: State) -> Facts:
        """The language of the answer."""
        return (("answer language", state.answer_language or "cannot be told"),)
