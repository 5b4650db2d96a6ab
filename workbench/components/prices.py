"""What an answer cost: its generator's tokens by the workspace's price table.

Services for encoding, reranking or translation are not counted: none of them reports its tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from workbench.components.reference import reference
from workbench.errors import DataError
from workbench.llm.cost import PricedUsage, PriceTable, load_prices
from workbench.records import Generation, Step

STEP = "generate"
FACT = "estimated cost"
"""The step that states the cost, and the name of the fact."""


class Pricing:
    """The current prices, for the answers of one generator."""

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
        if generation.usage is None or not self._table.models:
            return generation
        model = reference(self._generator, "generator").model
        return replace(generation, usage=self._table.priced(model, generation.usage) or generation.usage)

    def with_cost(self, steps: Sequence[Step], generation: Generation) -> tuple[Step, ...]:
        """`steps`, with the cost among the facts of the generating one; unchanged where no price is known."""
        usage = generation.usage
        cost = usage.label if isinstance(usage, PricedUsage) else self._problem if usage else ""
        return tuple(_with(step, cost) if cost and step.name == STEP else step for step in steps)


def _with(step: Step, cost: str) -> Step:
    return replace(step, facts={**step.facts, FACT: f"{cost}; nothing this time" if step.cached else cost})
