"""Scopes: which languages are searched. A scope is exact: nothing outside it is ever shown to a generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from workbench.core import UsageError, unknown_name
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
