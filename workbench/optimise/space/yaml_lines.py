"""Where a value stands in a YAML text, so that a message can name the line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import yaml


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
