"""Search spaces as YAML files: people's, and the shipped examples. Messages name the file and the line."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from workbench.core import UsageError, unknown_name
from workbench.optimise.space.search_space import COUNTED, SearchSpace
from workbench.optimise.space.space_checks import RefusedPlace
from workbench.optimise.space.yaml_lines import line_of
from workbench.workspace import YamlForm

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
