"""What the workbench knows of a language: script, direction, spacing, names, articles.

The facts are in `languages.yaml`, with their sources. Any other well-formed code gets plain defaults, so a corpus
in an unknown language still passes through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import regex
import yaml

from workbench.core import UsageError, shorten
from workbench.languages.scripts import MEMBERS, RIGHT_TO_LEFT

ENGLISH = "en"
"""The pivot: what trag, crossrag and pivot translate to, and the first language of every scope."""
CODE = regex.compile(r"[a-z]{2,3}")


@dataclass(frozen=True, slots=True)
class Language:
    """One language, by its ISO 639 `code`.

    `script` is an ISO 15924 code ("" if unknown); `spaceless` says that words are not separated; `resource` is `high`,
    `low` or "" as grouped by Ranaldi et al. (2025, CrossRAG); `articles` are words that a normaliser of short answers
    drops; `proclitics` and `enclitics` say that words may carry a glued prefix or particle, so that a border inside a
    token is a border all the same; `s1` that it is one of the thirteen of Chirkova et al. (2024); `nllb` is its
    FLORES-200 code.
    """

    code: str
    name: str
    native: str
    script: str = ""
    direction: Literal["ltr", "rtl"] = "ltr"
    spaceless: bool = False
    articles: tuple[str, ...] = ()
    resource: str = ""
    s1: bool = False
    nllb: str = ""
    proclitics: tuple[str, ...] = ()
    enclitics: bool = False

    def __hash__(self) -> int:
        """That of the code: caches by language are asked for every answer, and all fields take five times as long."""
        return hash(self.code)

    @property
    def letter_scripts(self) -> frozenset[str]:
        """The scripts of its letters, as `script_shares` names them: Han and Kana for Japanese; {""} if unknown."""
        return MEMBERS.get(self.script, frozenset({self.script}))


@cache
def _known() -> dict[str, Language]:
    text = files("workbench.languages").joinpath("languages.yaml").read_text(encoding="utf-8")
    return {code: _language(code, facts) for code, facts in yaml.safe_load(text).items()}


def _language(code: str, facts: dict[str, Any]) -> Language:
    fields: dict[str, Any] = {**facts, **{key: tuple(facts[key]) for key in ("articles", "proclitics") if key in facts}}
    return Language(code=code, direction="rtl" if facts["script"] in RIGHT_TO_LEFT else "ltr", **fields)


def known_languages() -> Sequence[Language]:
    """Every language described in `languages.yaml`, in its order (the thirteen of Chirkova et al. (2024) first)."""
    return tuple(_known().values())


def is_known(code: str) -> bool:
    """Whether `languages.yaml` describes the language."""
    return code in _known()


def language(code: str) -> Language:
    """The language with this ISO 639 code; plain defaults where we have no facts about it.

    >>> language("th").spaceless, language("ar").direction, language("xx").name
    (True, 'rtl', 'xx')

    Raises UsageError for anything that is not a code of two or three lower-case letters.
    """
    known = _known().get(code)
    if known is not None:
        return known
    if not CODE.fullmatch(code):
        raise UsageError(
            f"Unknown language “{shorten(code)}”. Allowed: an ISO 639 code of two or three lower-case letters.",
            command="For example: --lang fi",
        )
    return Language(code=code, name=code, native=code)


CHIRKOVA_LANGUAGES: tuple[str, ...] = tuple(item.code for item in _known().values() if item.s1)
"""The thirteen languages of Chirkova et al. (2024), English first."""
