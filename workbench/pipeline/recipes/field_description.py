"""What is known of a recipe's field beside its type, default and limits; it stands at the field itself, in `Recipe`.

Forms, the command line's options, what experiments vary, the nodes of search spaces and docs/recipes.md are made from
it, so that a field is described once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench.core import Role

Node = Literal[
    "corpus",
    "mode",
    "scope",
    "question-translation",
    "translator",
    "query-expansion",
    "retrieval",
    "language-balance",
    "augmenter",
    "reranker",
    "filter",
    "compressor",
    "prompt-maker",
    "prompt-variant",
    "dialectic",
    "generator",
    "other",
]
"""The steps of the pipeline at which a field is decided, in order (`optimise.space.node_types` describes them)."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Under which recipes a field has an effect. `only` ends the sentence “It has an effect only …”."""

    only: str
    when: Callable[[Any], bool]


ALWAYS = Effect("", lambda _: True)


@dataclass(frozen=True, slots=True)
class About:
    """What `Recipe` says of a field in its annotation.

    `options` are titles by value, of those values that have one; `lists` names options that only a workspace or a table
    of languages knows. `role`: the field names a component. `unset` says what is used where nothing is chosen, for a
    field whose default does not say it. `step` is that of a number's control. `in_chain`: recipes that differ in the
    field alone have the same components; a field without it is taken to change them.
    """

    node: Node = "other"
    options: Mapping[Any, str] = field(default_factory=dict)
    role: Role | None = None
    effect: Effect = ALWAYS
    unset: str = ""
    step: float | None = None
    in_chain: bool = False
    lists: Literal["", "corpora", "languages"] = ""
