"""What an answer cost: the tokens of each language model that was called, by the workspace's price table.

Services for encoding, reranking or translation are not counted: none of them reports its tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from workbench.components.references import reference
from workbench.core import DataError, Generation, Step, Usage
from workbench.models import PricedUsage, PriceTable, load_prices

STEP = "generate"
FACT = "estimated cost"
"""The step that states the cost, and the name of the fact."""


class Pricing:
    """The current prices, for the calls of one generator."""

    def __init__(self, generator: str, home: Path) -> None:
        """A price table that cannot be used stops no answer: the answer states the problem in place of the cost."""
        self._generator = generator
        self._problem = ""
        try:
            self._table = load_prices(home)
        except DataError as error:
            self._table = PriceTable()
            self._problem = str(error)

    def priced(self, generation: Generation) -> Generation:
        """`generation` with its cost, where it counted tokens and their price is known."""
        return replace(generation, usage=self.priced_usage(generation.usage))

    def priced_usage(self, usage: Usage | None) -> Usage | None:
        """`usage` with its cost, where tokens were counted and their price is known."""
        if usage is None or not self._table.models:
            return usage
        return self._table.priced(reference(self._generator, "generator").model, usage) or usage

    def with_cost(self, steps: Sequence[Step], usage: Usage | None, name: str = STEP) -> tuple[Step, ...]:
        """`steps`, with the cost of a priced usage among the facts of those called `name`.

        Unchanged where no price is known.
        """
        cost = usage.label if isinstance(usage, PricedUsage) else self._problem if usage else ""
        return tuple(_with(step, cost) if cost and step.name == name else step for step in steps)


def _with(step: Step, cost: str) -> Step:
    return replace(step, facts={**step.facts, FACT: f"{cost}; nothing this time" if step.cached else cost})
