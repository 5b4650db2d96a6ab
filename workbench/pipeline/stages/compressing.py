"""Compressing: notes on the documents, which the generator reads in their place. The documents stay the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core import Compressor, Task, Usage, WorkbenchError
from workbench.languages import ENGLISH
from workbench.pipeline.stage import Facts
from workbench.pipeline.stages.calling import first_failure, usage_facts
from workbench.pipeline.state import State


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
        read = [place for place, state in enumerate(states) if state.evidence]
        results: list[State | WorkbenchError] = [replace(state, compression=None) for state in states]
        notes = self.compressor.compress([self._task(states[place]) for place in read]) if read else []
        for place, item in zip(read, notes, strict=True):
            if isinstance(item, WorkbenchError):
                results[place] = item
            else:
                results[place] = replace(states[place], compression=item)
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
