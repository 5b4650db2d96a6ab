"""What a search space must not hold. A recipe itself checks the values, over the choices that all recipes share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from workbench.core import UsageError, shorten, unknown_name
from workbench.optimise.space.node_types import node_type
from workbench.optimise.space.space_nodes import Choices, SpaceModule, SpaceNode
from workbench.pipeline import Recipe, make_recipe, nested, recipe_fields

VARIANTS_LIMIT = 2_000
"""Most variants of a node."""


class RefusedPlace(UsageError):
    """A value that is not allowed. `place` is where it stands in the space: keys and numbers, outermost first."""

    def __init__(self, message: str, place: tuple[int | str, ...]) -> None:
        super().__init__(message)
        self.place = place


def placed(check: Callable[[], object], place: tuple[int | str, ...]) -> None:
    """Runs a check; what it refuses is refused at `place`."""
    try:
        check()
    except UsageError as error:
        raise RefusedPlace(error.on_screen, place) from error


def check_nodes(
    nodes: Sequence[SpaceNode], shared: Choices, complete: Callable[[Sequence[str]], tuple[str, ...]]
) -> None:
    """Raises RefusedPlace for the first thing that nodes must not have, over the choices `shared` by all recipes.

    `complete` checks names of metrics.
    """
    setters: dict[str, str] = {}
    for number, node in enumerate(nodes):
        _check_node(nodes, number, shared, setters)
        placed(lambda: complete(node.metrics), ("nodes", number, "metrics"))  # noqa: B023  # called at once


def _check_node(nodes: Sequence[SpaceNode], number: int, shared: Choices, setters: dict[str, str]) -> None:
    """Raises RefusedPlace for what a node must not have. `setters`: which node sets a field, added to."""
    here = ("nodes", number)
    node = nodes[number]
    placed(lambda: node_type(node.node), (*here, "node"))
    if any(other.node == node.node for other in nodes[:number]):
        raise RefusedPlace(f"The node “{node.node}” occurs twice: put all its modules into one.", (*here, "node"))
    if (count := sum(module.size for module in node.modules)) > VARIANTS_LIMIT:
        problem = f"The node {node.node} has {count:,} variants; {VARIANTS_LIMIT:,} are allowed: name fewer values."
        raise RefusedPlace(problem, (*here, "modules"))
    for order, module in enumerate(node.modules):
        place = (*here, "modules", order)
        if any(other.name == module.name for other in node.modules[:order]):
            problem = f"The node {node.node} has two modules “{shorten(module.name)}”: give each a name of its own."
            raise RefusedPlace(problem, (*place, "name"))
        for name in module.values:
            _check_field(name, (*place, "values", name))
            rivals = [setters[other] for other in setters if _overlap(name, other) and setters[other] != node.node]
            if rivals:
                problem = f"“{name}” is set by the nodes {rivals[0]} and {node.node}: leave it to one of them."
                raise RefusedPlace(problem, (*place, "values", name))
            setters[name] = node.node
        _check_values(node, module, shared, place)


def _check_values(node: SpaceNode, module: SpaceModule, shared: Choices, place: tuple[int | str, ...]) -> None:
    """Raises RefusedPlace for a value with which no variant of the module makes a recipe over the choices `shared`."""
    allowed: set[tuple[str, int]] = set()
    refusal = ""
    for numbers in product(*(range(len(items)) for items in module.values.values())):
        places = set(zip(module.values, numbers, strict=True))
        if places <= allowed:
            continue
        choices = {name: module.values[name][item] for name, item in places}
        try:
            make_recipe(nested({**shared, **choices}))
        except UsageError as error:
            refusal = refusal or error.on_screen
            continue
        allowed |= places
    for name, items in module.values.items():
        for number in range(len(items)):
            if (name, number) not in allowed:
                raise RefusedPlace(
                    f"The module “{shorten(module.name)}” of the node {node.node} cannot be used: {refusal}",
                    (*place, "values", name, number),
                )


def _check_field(name: str, place: tuple[int | str, ...]) -> None:
    """Raises RefusedPlace unless recipes have a field of that name."""
    if name not in Recipe.model_fields and name not in recipe_fields():
        raise RefusedPlace(str(unknown_name("recipe field", name, recipe_fields())), place)


def _overlap(one: str, other: str) -> bool:
    """Whether two fields are the same, or one lies within the other."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")
