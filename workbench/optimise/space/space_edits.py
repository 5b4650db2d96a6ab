"""A search space changed by a form: other questions, fewer modules, other values; what the form lacks stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from workbench.core import UsageError
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.space.space_files import FORM
from workbench.optimise.space.space_nodes import SpaceModule
from workbench.pipeline import NO, YES, from_words, words

ModuleEdits = Mapping[tuple[int, int, str], Sequence[str]]
"""The values, in words, of a field of a module: by the node's number, the module's and the field."""


def edited_space(
    template: SearchSpace, choices: Mapping[str, Any], modules: Mapping[int, Sequence[str]], values: ModuleEdits
) -> SearchSpace:
    """The template with other `choices` of the space itself, the named `modules` of each node, and other `values`.

    What none of them names stays. Raises UsageError for a node without a module, a field without a value, and
    whatever a space refuses.
    """
    nodes = []
    for number, node in enumerate(template.nodes):
        names = modules.get(number, [module.name for module in node.modules])
        edited = [
            {"name": module.name, "values": _values(module, (number, place), values)}
            for place, module in enumerate(node.modules)
            if module.name in names
        ]
        if not edited:
            raise UsageError(f"Choose at least one module of the node {node.node}.")
        nodes.append({**node.model_dump(mode="json"), "modules": edited})
    return FORM.make({**template.model_dump(mode="json"), **choices, "nodes": nodes})


def value_of(field: str, text: str) -> Any:
    """What a person typed as the value of a field: numbers as numbers, yes and no as such.

    >>> value_of("rrf_k", "60"), value_of("fusion_weight", "0.5"), value_of("retriever", "rrf")
    (60, 0.5, 'rrf')
    """
    text = text.strip()
    if text in (YES, NO):
        return text == YES
    plain = from_words(field, text)
    if plain is None:
        return None
    try:
        number = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    return number if isinstance(number, int | float) and not isinstance(number, bool) else text


def _values(module: SpaceModule, place: tuple[int, int], values: ModuleEdits) -> dict[str, list[Any]]:
    edited = {}
    for field, items in module.values.items():
        known = {words(item): item for item in items}
        texts = values.get((*place, field), list(known))
        if not texts:
            raise UsageError(f"Choose at least one value of {field} for the module {module.name}.")
        edited[field] = [known[text] if text in known else value_of(field, text) for text in texts]
    return edited
