"""What a recipe's fields mean to people: scopes, modes, and how a field is described beside its type and limits.

A scope says which languages are searched, and is exact: nothing outside it is ever shown to a generator. A mode is a
way of doing RAG; its stages are in `pipeline/chain.py`. `About` stands at the field itself, in `Recipe`: forms, the
command line's options, what experiments vary, the nodes of search spaces and docs/recipes.md are made from it, so that
a field is described once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from workbench.core import Role, UsageError, unknown_name
from workbench.languages import language

ScopeName = Literal["en", "ul", "en+ul", "all"]
SCOPES: tuple[ScopeName, ...] = get_args(ScopeName)

TITLES: dict[ScopeName, str] = {
    "en": "English",
    "ul": "User's language",
    "en+ul": "English + UL",
    "all": "All languages",
}

EXPLAINED: dict[ScopeName, str] = {
    "en": "English passages only, whatever the question's language.",
    "ul": "Passages in the user's language (UL) only.",
    "en+ul": "English and the user's language together.",
    "all": "Every language of the corpus together.",
}

SEARCHED: dict[ScopeName, str] = {
    "en": "English",
    "ul": "the user's language",
    "en+ul": "English and the user's language",
    "all": "all languages",
}
"""What a scope searches, in words to follow “searches”."""


class EmptyScopeError(UsageError):
    """A scope that includes none of the corpus's languages."""


def scope(name: str) -> ScopeName:
    """The scope called `name`. Raises UsageError."""
    for known in SCOPES:
        if name.casefold() == known:
            return known
    raise unknown_name("scope", name, SCOPES, command="For example: --scope en+ul")


def languages_in(name: ScopeName, ul: str, corpus: Sequence[str]) -> tuple[str, ...]:
    """The corpus's languages that the scope includes, in the corpus's order.

    Raises EmptyScopeError when the corpus has none of them: a search that cannot find anything is a mistake worth
    reporting.
    """
    searched = {"en": {"en"}, "ul": {ul}, "en+ul": {"en", ul}, "all": set(corpus)}[name]
    languages = tuple(code for code in corpus if code in searched)
    if not languages:
        missing = " or ".join(language(code).name for code in sorted(searched))
        raise EmptyScopeError(
            f"The corpus has no passages in {missing or 'any language'}, so scope “{name}” holds nothing. "
            f"Its languages: {', '.join(corpus) or 'none'}.",
            command="For example: --scope all",
        )
    return languages


@dataclass(frozen=True, slots=True)
class Mode:
    """A way of doing RAG, described for people. `scope` is the one its paper defines; `source` names the paper."""

    name: str
    title: str
    scope: ScopeName
    source: str
    explanation: str


MODES: tuple[Mode, ...] = (
    Mode(
        "baseline",
        "No retrieval",
        "all",
        "Chirkova et al. (2024), Table 1",
        "The generator answers from what it knows. No documents.",
    ),
    Mode(
        "monorag",
        "monoRAG",
        "ul",
        "Ranaldi et al. (2025, CrossRAG)",
        "Search the user's language with the question as typed; the passages are given to the generator as they are.",
    ),
    Mode(
        "trag",
        "tRAG",
        "en",
        "Ranaldi et al. (2025, CrossRAG)",
        "Translate the question to English, search English, answer the original question.",
    ),
    Mode(
        "multirag",
        "MultiRAG",
        "all",
        "Ranaldi et al. (2025, CrossRAG)",
        "Search every language with the question as typed; documents stay in their languages.",
    ),
    Mode(
        "crossrag",
        "CrossRAG",
        "all",
        "Ranaldi et al. (2025, CrossRAG)",
        "Search every language, then translate each retrieved document to English before answering.",
    ),
    Mode(
        "drag",
        "D-RAG",
        "all",
        "Ranaldi et al. (2025, D-RAG)",
        "Search every language, then extract, explain and weigh the documents' claims against each "
        "other before answering.",
    ),
    Mode(
        "pivot",
        "Pivot",
        "all",
        "Singh et al. (n.d.)",
        "Translate the question to English, answer in English, translate the answer back.",
    ),
)


def mode(name: str) -> Mode:
    """The mode called `name`. Raises UsageError."""
    for known in MODES:
        if known.name == name.casefold():
            return known
    raise unknown_name("mode", name, [item.name for item in MODES], command="For example: --mode multirag")


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
