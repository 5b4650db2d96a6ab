"""A step's key, and its output as bytes.

A key is the fingerprint of the stage's identity and of the fields that it reads, by content: recipes that share a
step share its key. A value that many states hold is digested once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NotRequired, get_type_hints

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from workbench.core import fingerprint
from workbench.pipeline.stage import BoundStage, Stage
from workbench.pipeline.state import State

SECONDS = "seconds"


class StepKeys:
    """Computes the keys of steps. It keeps every value that it has digested, so one serves a batch and is dropped."""

    def __init__(self) -> None:
        self._digests: dict[int, tuple[object, str]] = {}

    def key(self, stage: BoundStage, state: State) -> str:
        """The step's key, 16 hexadecimal digits: the same for equal work on equal input."""
        inputs = [f"{name} {self._digest(getattr(state, name))}" for name in stage.stage.reads]
        return fingerprint("step", [stage.name, stage.identity, *inputs])

    def _digest(self, value: object) -> str:
        if value is None or isinstance(value, str | int | float):
            return json.dumps(value, ensure_ascii=False)
        entry = self._digests.get(id(value))
        if entry is None:
            digest = hashlib.sha256(self._spelling(value).encode("utf-8", "surrogatepass")).hexdigest()
            # The value is kept with its digest: while it lives, no other can have its id.
            entry = self._digests[id(value)] = (value, digest)
        return entry[1]

    def _spelling(self, value: object) -> str:
        if isinstance(value, Mapping):
            inside = [f"{json.dumps(name)}:{self._digest(value[name])}" for name in sorted(value)]
        elif isinstance(value, tuple | list):
            inside = [self._digest(item) for item in value]
        elif is_dataclass(value) and not isinstance(value, type):
            inside = [self._digest(getattr(value, name)) for name in _names(type(value))]
        else:
            raise TypeError(f"A stage reads a {type(value).__name__}, which has no fingerprint.")
        return f"{type(value).__name__}({','.join(inside)})"


def added_fields(stage: Stage, state: State) -> dict[str, Any]:
    """The fields that the stage set of a finished state, by name."""
    return {name: getattr(state, name) for name in stage.adds}


def pack(stage: Stage, state: State, seconds: float) -> bytes:
    """The fields that the stage set, as JSON, with the seconds that it took."""
    added = {**added_fields(stage, state), SECONDS: seconds}
    return _shape(tuple(stage.adds)).dump_json(added)


def unpack(stage: Stage, output: bytes) -> tuple[dict[str, Any], float]:
    """The fields that `pack` was given, by name, and the seconds."""
    added = _shape(tuple(stage.adds)).validate_json(output)
    return added, added.pop(SECONDS, 0.0)


def is_complete(state: State) -> bool:
    """Whether a stage's output may be cached: an answer that a person stopped may not."""
    return state.generation is None or state.generation.finish != "stopped"


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind))


@cache
def _shape(adds: tuple[str, ...]) -> TypeAdapter[Any]:
    hints = get_type_hints(State)
    added: Any = TypedDict  # called with fields that only running code knows, which a type checker cannot follow
    return TypeAdapter(added("Added", {**{name: hints[name] for name in adds}, SECONDS: NotRequired[float]}))
