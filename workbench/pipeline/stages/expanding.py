"""Expanding the question: what is searched with in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core import Expander, Usage, WorkbenchError
from workbench.pipeline.stage import Facts
from workbench.pipeline.stages.calling import first_failure, usage_facts
from workbench.pipeline.stages.searching import query_of
from workbench.pipeline.state import State


@dataclass(frozen=True)
class ExpandQuery:
    """The queries that a language model writes from the question as typed or as translated."""

    expander: Expander
    name: str = "expand query"
    reads: tuple[str, ...] = ("question", "language", "question_translation")
    adds: tuple[str, ...] = ("expansion",)
    cacheable: bool = True
    models: tuple[str, ...] = ("expanding_model",)

    @property
    def identity(self) -> str:
        """The expander's identity."""
        return self.expander.identity

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with their expansion. Raises the first failure."""
        return first_failure(self.run_each(states))

    def run_each(self, states: Sequence[State]) -> list[State | WorkbenchError]:
        """One state with its expansion or failure per state, in order."""
        expansions = self.expander.expand([query_of(state) for state in states])
        return [
            item if isinstance(item, WorkbenchError) else replace(state, expansion=item)
            for state, item in zip(states, expansions, strict=True)
        ]

    def usage(self, state: State) -> Usage | None:
        """The tokens that the expansion took."""
        return state.expansion.usage if state.expansion else None

    def facts(self, state: State) -> Facts:
        """The queries, what there is to note, and the tokens."""
        if state.expansion is None:
            return ()
        numbered = " ".join(f"[{number}] {query}" for number, query in enumerate(state.expansion.queries, start=1))
        note = (("note", state.expansion.note),) if state.expansion.note else ()
        return (("queries", numbered), *note, *usage_facts(state.expansion.usage))
