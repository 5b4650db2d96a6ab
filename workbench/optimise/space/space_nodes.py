"""The nodes of a search space and their modules: alternatives, each a set of choices of a recipe."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from workbench.core import canonical
from workbench.optimise.space.node_types import NodeType, node_type

Selection = Literal["mean", "rank", "normalised-mean"]
Choices = Mapping[str, Any]
"""Some choices of a recipe, fields dotted where they lie within another."""
NAME_LIMIT = 200
Name = Annotated[str, Field(min_length=1, max_length=NAME_LIMIT)]
Names = Annotated[tuple[Name, ...], Field(min_length=1, max_length=200)]


class SpaceModule(BaseModel):
    """One alternative of a node: the values of each of its fields. Its variants are all their combinations."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    values: dict[str, Annotated[tuple[Any, ...], Field(min_length=1, max_length=200)]] = Field(
        default_factory=dict, max_length=40
    )

    @field_validator("values", mode="before")
    @classmethod
    def _listed(cls, values: Any) -> Any:
        """Takes a single value as a list of one, and a value that occurs twice once."""
        if not isinstance(values, Mapping):
            return values
        lists = {name: list(items) if isinstance(items, list | tuple) else [items] for name, items in values.items()}
        return {name: list({_text(item): item for item in items}.values()) for name, items in lists.items()}

    @property
    def size(self) -> int:
        """How many combinations of its values there are."""
        return prod(len(items) for items in self.values.values())

    def variants(self) -> tuple[Choices, ...]:
        """All combinations of the values, the last field changing fastest."""
        return tuple(dict(zip(self.values, items, strict=True)) for items in product(*self.values.values()))


class SpaceNode(BaseModel):
    """A step of the pipeline and its alternatives.

    `metrics` judge it, by `selection`; one without metrics is judged by those of the next node that has some.
    `max_seconds` and `max_tokens` are the most that an answer may take in the mean, up to what the metrics measure.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    node: Name
    modules: Annotated[tuple[SpaceModule, ...], Field(min_length=1, max_length=200)]
    metrics: tuple[Name, ...] = Field(default=(), max_length=50, exclude_if=lambda names: not names)
    selection: Selection = Field(default="mean", exclude_if=lambda rule: rule == "mean")
    max_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False, exclude_if=lambda value: value is None)
    max_tokens: float | None = Field(default=None, gt=0, allow_inf_nan=False, exclude_if=lambda value: value is None)

    @field_validator("metrics", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @property
    def type(self) -> NodeType:
        """What is known about nodes of this name."""
        return node_type(self.node)

    @property
    def fields(self) -> frozenset[str]:
        """The recipe's fields that its modules set."""
        return frozenset(name for module in self.modules for name in module.values)

    def variants(self) -> tuple[tuple[str, Choices], ...]:
        """Every variant with its module's name, in order, equal choices once."""
        distinct: dict[str, tuple[str, Choices]] = {}
        for module in self.modules:
            for choices in module.variants():
                distinct.setdefault(_text(choices), (module.name, choices))
        return tuple(distinct.values())


def _text(value: object) -> str:
    """A value as text that equal values share; 1, 1.0 and True differ. What JSON cannot express is quoted."""
    try:
        return canonical(value)
    except (TypeError, ValueError):
        return repr(value)
