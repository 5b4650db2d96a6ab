"""Composing: the exact prompt, from the variant or for a dialectic answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.identity import component
from workbench.languages import ENGLISH
from workbench.pipeline.stage import Facts
from workbench.pipeline.state import State
from workbench.prompts import dialectic, render
from workbench.prompts.variant_texts import shipped
from workbench.recipes.recipe import Dialectic
from workbench.records import Task


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
            question, code = state.question_translation.text, ENGLISH
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
