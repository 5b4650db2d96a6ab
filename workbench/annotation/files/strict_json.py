"""JSON from strangers: a text that says one thing only, no deeper and no larger than a file of labels can be.

What is refused: a key that an object has twice (programs differ in which of the two they read), NaN and infinities,
nesting beyond `DEPTH_LIMIT`, the character NUL, which not every database can hold, and half characters, which no text
in UTF-8 can.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from workbench.core import DataError, shorten

DEPTH_LIMIT = 30
"""Lists and objects within each other; a file of labels has fewer than ten."""
HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def strict_json(text: str) -> Any:
    """The value that a JSON text states. Raises DataError, one sentence that begins with “It”."""
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except RecursionError:
        raise DataError("It is nested too deeply to be labels: export the file again.") from None
    except ValueError as error:
        raise DataError(f"It is not JSON ({shorten(error)}): export the file again.") from None
    _check(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"It has an object with the key “{shorten(twice)}” twice: keep one of the two.")
    return values


def _no_number(text: str) -> NoReturn:
    raise DataError(f"It contains {text}, which is not a number in JSON: export the file again.")


def _check(value: Any) -> None:
    """Refuses depth and characters that cannot be stored; without recursion, however deep the value is."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEPTH_LIMIT:
            raise DataError(f"It is nested more than {DEPTH_LIMIT} levels deep: export the file again.")
        texts = [item for item in level if isinstance(item, str)]
        texts += [name for item in level if isinstance(item, dict) for name in item]
        if any("\0" in text for text in texts):
            raise DataError("It contains the character NUL, which no label has: export the file again.")
        if any(HALF_CHARACTER.search(text) for text in texts):
            raise DataError("It contains half a character (an unpaired \\ud800 to \\udfff): export the file again.")
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
