"""A search space: nodes with modules, each a set of choices of a recipe, over questions and one metric to be best at.

A module names fields of a recipe and the values that each may take; its variants are all combinations of them. A node
holds alternatives, of which a recipe takes one variant. The first variant of a node is what stands there until a
strategy has decided about it. Values are checked by the recipe itself, over the choices that all recipes share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from workbench.core import UsageError, fingerprint
from workbench.experiments import ALL, checked_judge, checked_metric_encoder
from workbench.languages import language
from workbench.metrics import DEFAULT_JUDGE_LANGUAGE
from workbench.optimise.space.space_checks import check_nodes, placed
from workbench.optimise.space.space_metrics import complete_names
from workbench.optimise.space.space_nodes import NAME_LIMIT, Choices, Name, Names, SpaceNode
from workbench.pipeline import Recipe, effective, make_recipe, nested

COUNTED = 20_000
"""Most combinations that `size` looks at one by one."""


class SearchSpace(BaseModel):
    """What is searched: `nodes` in the order of the pipeline, over `recipe`, the choices that all recipes share.

    `questions` is the size of a sample by `seed` of each dataset, None takes all; `objective` is the metric that the
    best recipe is best at. `judge`, `judge_language` and `semscore_encoder` are those of an experiment: metrics that
    use them are written without.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name = "Search"
    datasets: Names = ("sample",)
    languages: Names = (ALL,)
    questions: int | None = Field(default=None, ge=1)
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    judge: str = Field(default="", max_length=NAME_LIMIT, exclude_if=lambda name: not name)
    judge_language: str = Field(default="", max_length=NAME_LIMIT, exclude_if=lambda name: not name)
    semscore_encoder: str = Field(default="", max_length=NAME_LIMIT, exclude_if=lambda name: not name)
    objective: Name = "char3_recall"
    recipe: dict[str, Any] = Field(default_factory=dict)
    nodes: Annotated[tuple[SpaceNode, ...], Field(min_length=1, max_length=40)]

    @field_validator("datasets", "languages", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @field_validator("languages")
    @classmethod
    def _known_languages(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name if name == ALL else language(name).code for name in names)

    @field_validator("judge")
    @classmethod
    def _known_judge(cls, name: str) -> str:
        return checked_judge(name)

    @field_validator("semscore_encoder")
    @classmethod
    def _known_encoder(cls, name: str) -> str:
        return checked_metric_encoder(name)

    @model_validator(mode="after")
    def _allowed(self) -> SearchSpace:
        for place, check in (("recipe", lambda: make_recipe(nested(self.recipe))), ("objective", lambda: self.goal)):
            placed(check, (place,))
        check_nodes(self.nodes, self.recipe, self.complete)
        return self

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits, the same for spaces with the same choices."""
        return fingerprint("search space", self.model_dump(mode="json"))

    def complete(self, metrics: Sequence[str]) -> tuple[str, ...]:
        """The names that scores of these metrics are stored under, with the judge or encoder. Raises UsageError."""
        return complete_names(metrics, self.judge, self.semscore_encoder, self.judge_language or DEFAULT_JUDGE_LANGUAGE)

    @property
    def goal(self) -> str:
        """The objective under the name that its scores are stored under."""
        return self.complete((self.objective,))[0]

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics that the space names, the goal first, under the names that scores are stored under."""
        names = [self.goal, *self.complete([name for node in self.nodes for name in node.metrics])]
        return tuple(dict.fromkeys(names))

    def judges_of(self, number: int) -> tuple[str, ...]:
        """The metrics that judge a node: its, or those of the next node that has some, or else the goal alone."""
        for node in self.nodes[number:]:
            if node.metrics:
                return self.complete(node.metrics)
        return (self.goal,)

    @cached_property
    def variants(self) -> tuple[tuple[tuple[str, Choices], ...], ...]:
        """For each node its variants, with their modules' names."""
        return tuple(node.variants() for node in self.nodes)

    def recipe_of(self, numbers: Sequence[int]) -> Recipe | None:
        """The recipe that takes the variant of that number at each node; None where a recipe refuses the combination.

        A recipe may refuse what is right in itself, as a choice that needs another one.
        """
        choices: dict[str, Any] = dict(self.recipe)
        for variants, number in zip(self.variants, numbers, strict=True):
            choices.update(variants[number][1])
        try:
            return make_recipe(nested(choices))
        except UsageError:
            return None

    def assignments(self) -> Iterator[tuple[tuple[int, ...], Recipe]]:
        """Every distinct recipe with the numbers of its variants, the first that make it, the last node's fastest.

        Recipes that differ only in fields without an effect are one: the first of them.
        """
        seen: set[tuple[object, ...]] = set()
        for numbers in product(*(range(len(variants)) for variants in self.variants)):
            recipe = self.recipe_of(numbers)
            if recipe is not None and (key := effective(recipe)) not in seen:
                seen.add(key)
                yield numbers, recipe

    def recipes(self) -> Iterator[Recipe]:
        """Every distinct recipe that is allowed, one by one."""
        return (recipe for _, recipe in self.assignments())

    @property
    def combinations(self) -> int:
        """One variant of each node, in how many ways: no fewer than there are recipes."""
        return prod(len(variants) for variants in self.variants)

    @cached_property
    def size(self) -> int:
        """How many distinct recipes there are; where there are more than COUNTED combinations, that number instead."""
        return sum(1 for _ in self.assignments()) if self.combinations <= COUNTED else self.combinations
