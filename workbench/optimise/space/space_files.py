"""Search spaces as YAML files: people's, and the shipped examples; and a space changed by a form.

Messages name the file and the line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from workbench.core import UsageError, unknown_name
from workbench.optimise.space.search_space import COUNTED, RefusedPlace, SearchSpace, SpaceModule
from workbench.pipeline import NO, YES, from_words, words
from workbench.workspace import YamlForm, yaml_files


def line_of(text: str, place: Sequence[int | str]) -> int:
    r"""The line, from 1, of the value at `place` (keys and numbers of items, outermost first).

    The line of the innermost part that exists, so that a missing key has its mapping's line.

    >>> line_of("nodes:\n- node: mode\n  modules: []\n", ("nodes", 0, "modules"))
    3
    """
    node = _composed(text)
    line = 1
    for part in place:
        mark, node = _inner(node, part)
        if node is None:
            return line
        line = mark + 1
    return line


@lru_cache(maxsize=4)
def _composed(text: str) -> yaml.Node | None:
    """The nodes of a YAML text, with their lines."""
    return yaml.compose(text, yaml.SafeLoader)


def _inner(node: yaml.Node | None, part: int | str) -> tuple[int, yaml.Node | None]:
    """The line, from 0, at which a part of `node` begins (a mapping's at its key), and the part."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return key.start_mark.line, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark.line, node.value[part]
    elif isinstance(node, yaml.ScalarNode) and part == 0:  # a single value, written without its list
        return node.start_mark.line, node
    return 0, None


TEXT_LIMIT = 64_000
FORM = YamlForm(
    SearchSpace,
    noun="search space",
    example="nodes:",
    command="mrag optimise space.yaml",
    limit=TEXT_LIMIT,
    remedy="docs/optimise.md shows the form.",
)
EXAMPLES = files("workbench.optimise.space.examples")


def space_from_text(text: str, name: str) -> SearchSpace:
    """The search space in a YAML text, called `name` in messages. Raises UsageError with the line of what is wrong."""
    try:
        return FORM.read(text, name)
    except UsageError as error:
        place = _place(error)
        if place is None:
            raise
        raise UsageError(f"“{name}”, line {line_of(text, place)}: {error.on_screen}") from error


def space_from_file(path: Path) -> SearchSpace:
    """The search space in a file. Raises UsageError."""
    try:
        return FORM.read_file(path)
    except UsageError as error:
        if _place(error) is None:
            raise
        return space_from_text(path.read_text(encoding="utf-8"), path.name)


def space_to_yaml(space: SearchSpace) -> str:
    """The search space as YAML that people can read and edit."""
    count = f"{space.size:,}" if space.combinations <= COUNTED else f"up to {space.combinations:,}"
    return FORM.write(
        space,
        (
            f"A search space of the mRAG workbench: {count} recipes, fingerprint {space.fingerprint}.",
            "Search it: python -m workbench optimise THIS_FILE",
        ),
    )


@cache
def example_spaces() -> Mapping[str, SearchSpace]:
    """The shipped search spaces by name, in order of name."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in EXAMPLES.iterdir() if file.name.endswith(".yaml")}
    return {name.removesuffix(".yaml"): space_from_text(texts[name], name) for name in sorted(texts)}


def example_space(name: str) -> SearchSpace:
    """The shipped search space called `name`. Raises UsageError for any other."""
    spaces = example_spaces()
    if name not in spaces:
        raise unknown_name("example", name, spaces)
    return spaces[name]


def _place(error: UsageError) -> tuple[int | str, ...] | None:
    """Where in the space an error is, None where that is unknown."""
    if isinstance(error, RefusedPlace):
        return error.place
    if isinstance(error.__cause__, ValidationError):
        return error.__cause__.errors(include_url=False)[0]["loc"]
    return None


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
            {"name": module.name, "values": _values(module, (number, index), values)}
            for index, module in enumerate(node.modules)
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
        number = yaml_files.parse(text)
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
