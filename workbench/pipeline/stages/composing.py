"""Composing: the exact prompt, from the variant or for a dialectic answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core import Task, component
from workbench.languages import ENGLISH
from workbench.pipeline.prompts import dialectic, family_texts
from workbench.pipeline.prompts.compose import PassageOrder, in_order, render
from workbench.pipeline.prompts.variant import variant
from workbench.pipeline.prompts.variant_texts import shipped
from workbench.pipeline.recipes.recipe import Dialectic, UserTurn
from workbench.pipeline.stage import BatchStage, Facts
from workbench.pipeline.state import State


@dataclass(frozen=True)
class Compose(BatchStage):
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
        more |= {"families": family_texts.shipped().identity} if variant(self.variant).family else {}
        return component("compose", variant=self.variant, texts=shipped().identity, english=self.english, **more)

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with a prompt, None where there should be passages and are none."""
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
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
class ComposeDialectic(BatchStage):
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

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with a prompt, None where there are no passages."""
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
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
