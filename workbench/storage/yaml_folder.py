"""Data that ships as a folder of YAML files: another file adds to it, and nothing else need change."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources.abc import Traversable
from typing import Any

import yaml

from workbench.errors import DataError, shorten


def mappings(folder: Traversable, kind: str, holds: str) -> Iterator[tuple[str, dict[Any, Any]]]:
    """The name and the keys of each YAML file of `folder`, in order of name.

    `kind` is what people call such a file, `holds` what must be in it. Raises DataError, one sentence that names the
    file, for one that is no YAML or holds something else.
    """
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if not file.name.endswith(".yaml"):
            continue
        try:
            found = yaml.safe_load(file.read_text(encoding="utf-8"))
        except (yaml.YAMLError, ValueError) as error:  # ValueError: not UTF-8, or an impossible date
            raise DataError(f"{kind} {file.name}: it is not YAML in UTF-8: {shorten(error, 120)}.") from None
        if not isinstance(found, dict):
            raise DataError(f"{kind} {file.name}: it must hold {holds}.")
        yield file.name, found
