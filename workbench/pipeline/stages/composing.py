"""Composing: the exact prompt, from the variant or for a dialectic answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.identity import component
from workbench.languages import ENGLISH
from workbench.pipeline.stage import Facts
from workbench.pipeline.state import State
from workbench.prompts import dialectic, family_texts, render, variant
from workbench.prompts.variant_texts import shipped
from workbench.recipes.recipe import Dialectic, UserTurn
from workbench.records import Task


@dataclass(frozen=True)
class Compose:
    """The exact prompt, from the variant, the question as typed and the passages. `english`: ask in English (pivot).

    `user_turn`: whether the labels and the instruction follow the variant's language or are in English. `searches`:
    whether there should be passages; without any there is then no prompt, since it would ask what the model knows.
    """

    variant: str
    english: bool = False
    user_turn: UserTurn = "follows"
    searches: bool = True
    name: str = "compose"
    adds: tuple[str, ...] = ("prompt", "prompt_note")
    cacheable: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        """The question, its language, the evidence and, to ask in English, the question's translation."""
        translated = ("question_translation",) if self.english else ()
        return ("question", "language", *translated, "evidence")

    @property
    def identity(self) -> str:
        """The variant and the texts that it is made of."""
        more: dict[str, str] = {} if self.user_turn == "follows" else {"user_turn": self.user_turn}
        more |= {"families": family_texts.shipped().identity} if variant(self.variant).family else {}
        return component("compose", variant=self.variant, texts=shipped().identity, english=self.english, **more)

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with a prompt, None where there should be passages and are none."""
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        if self.searches and not state.evidence:
            return replace(state, prompt=None, prompt_note="")
        question, language = state.question, state.language
        if self.english and state.question_translation is not None:
            question, language = state.question_translation.text, ENGLISH
        task = Task(question=question, language=language, evidence=state.evidence)
        rendered = render(self.variant, task, user_turn=self.user_turn)
        return replace(state, prompt=rendered.prompt, prompt_note=rendered.note)

    def facts(self, state: State) -> Facts:
        """The variant, the language of the user turn where it is chosen, and what the prompt could not do."""
        turn = (("user turn", "English"),) if self.user_turn == "en" else ()
        return (("prompt", self.variant), *turn, *((("note", state.prompt_note),) if state.prompt_note else ()))


@dataclass(frozen=True)
class ComposeDialectic:
    """D-RAG's prompt: extract, explain, weigh, answer."""

    options: Dialectic
    name: str = "compose"
    reads: tuple[str, ...] = ("question", "language", "evidence")
    adds: tuple[str, ...] = ("prompt",)
    cacheable: bool = False

    @property
    def identity(self) -> str:
        """The options and the texts of the prompt."""
        return component(
            "compose dialectic", options=self.options.model_dump(mode="json"), texts=dialectic.shipped().identity
        )

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with a prompt, None where there are no passages."""
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        if not state.evidence:
            return replace(state, prompt=None)
        task = Task(
            question=state.question,
            language=state.language,
            evidence=state.evidence,
            dialectic=self.options.parts,
            argument_language=self.options.argument_language,
            argument_language_in=self.options.argument_language_in,
        )
        return replace(state, prompt=dialectic.render(task))

    def facts(self, state: State) -> Facts:
        """The parts that are asked for."""
        return (("prompt", "dialectic"), ("parts", " ".join(self.options.parts)))
