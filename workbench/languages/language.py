"""What the workbench knows of a language: script, direction, spacing, names, articles.

The facts lie in `languages.yaml`, with their sources. Any other well-formed code gets plain defaults, so a corpus
in a language we never heard of still passes through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import regex
import yaml

from workbench.errors import UsageError, shorten

ENGLISH = "en"
"""The pivot: what trag, crossrag and pivot translate to, and the first language of every scope."""
RTL_SCRIPTS = frozenset({"Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm"})
CODE = regex.compile(r"[a-z]{2,3}")


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `script` is an ISO 15924 code ("" if unknown); `resource` is `high`, `low` or "" as grouped by
    Ranaldi et al. 2025; `articles` are words that a normaliser of short answers drops; `proclitics` and `enclitics`
    say that words may carry a glued prefix or particle, so that a border inside a token is a border all the same.
    """

    code: str
    name: str
    native: str
    script: str = ""
    direction: Literal["ltr", "rtl"] = "ltr"
    spaceless: bool = False
    articles: tuple[str, ...] = ()
    alphabet: str = ""
    resource: str = ""
    s1: bool = False
    nllb: str = ""
    proclitics: tuple[str, ...] = ()
    enclitics: bool = False


@cache
def _known() -> dict[str, Language]:
    text = files("workbench.languages").joinpath("languages.yaml").read_text(encoding="utf-8")
    return {code: _language(code, facts) for code, facts in yaml.safe_load(text).items()}


def _language(code: str, facts: dict[str, Any]) -> Language:
    fields: dict[str, Any] = {**facts, **{key: tuple(facts[key]) for key in ("articles", "proclitics") if key in facts}}
    return Language(code=code, direction="rtl" if facts["script"] in RTL_SCRIPTS else "ltr", **fields)


def known_languages() -> Sequence[Language]:
    """Every language described in `languages.yaml`, in its order (the thirteen of Chirkova et al. first)."""
    return tuple(_known().values())


def is_known(code: str) -> bool:
    """Whether `languages.yaml` describes the language."""
    return code in _known()


def language(code: str) -> Language:
    """The language with this ISO 639 code; plain defaults for one we have no facts about.

    >>> language("th").spaceless, language("ar").direction, language("xx").name
    (True, 'rtl', 'xx')

    Raises UsageError for anything that is not a code of two or three lower-case letters.
    """
    found = _known().get(code)
    if found is not None:
        return found
    if not CODE.fullmatch(code):
        raise UsageError(
            f"Unknown language “{shorten(code)}”. Allowed: an ISO 639 code of two or three lower-case letters. "
            "For example: --lang fi"
        )
    return Language(code=code, name=code, native=code, alphabet=code)


S1_LANGUAGES: tuple[str, ...] = tuple(item.code for item in _known().values() if item.s1)
"""The thirteen languages of Chirkova et al. 2024, English first."""
