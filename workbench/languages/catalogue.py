"""What the workbench knows of a language: script, direction, spacing, names, articles; and its codes elsewhere.

The facts are in `languages.yaml`, with their sources. Any other well-formed code gets plain defaults, so a corpus
in an unknown language still passes through.

Scripts are named by ISO 15924 codes (`Latn`, `Hani`). Classes such as `HAN_AND_KANA` are the inside of a character
class of `regex`: `regex.compile(rf"[{SPACELESS}]")`.

Labels of language identifiers and translators are read as our codes: `__label__arb_Arab`, `zho_Hans`, `zh_cn`, `por`.
lid.176 labels with Wikipedia's codes, OpenLID, GlotLID and NLLB with ISO 639-3 and a script; others write regions or
hyphens. Varieties that one corpus keeps together (Egyptian and Gulf Arabic, Dari and Persian) become one code; the
tables and their sources are in `labels.yaml`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

import regex

from workbench.core import UsageError, package_yaml, shorten

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
    return {
        code: _language(code, facts) for code, facts in package_yaml("workbench.languages", "languages.yaml").items()
    }


def _language(code: str, facts: dict[str, Any]) -> Language:
    fields: dict[str, Any] = {**facts, **{key: tuple(facts[key]) for key in ("articles", "proclitics") if key in facts}}
    return Language(code=code, direction="rtl" if facts["script"] in RIGHT_TO_LEFT else "ltr", **fields)


def known_languages() -> Sequence[Language]:
    """Every language described in `languages.yaml`, in its order (the thirteen of Chirkova et al. (2024) first)."""
    return tuple(_known().values())


def is_known(code: str) -> bool:
    """Whether `languages.yaml` describes the language."""
    return code in _known()


def is_named(code: str) -> bool:
    """Whether a language with this code is known by name, here or to Unicode's CLDR.

    >>> is_named("fi"), is_named("qu"), is_named("xx")
    (True, True, False)
    """
    from babel import Locale

    return is_known(code) or code in Locale(ENGLISH).languages


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


# --- character classes ----------------------------------------------------------------------------------------------

LETTER = regex.compile(r"\p{L}")

LONG_VOWEL = r"\u30FC"
"""The Kana mark of a long vowel, which Unicode assigns to no script."""

KATAKANA = rf"\p{{Katakana}}{LONG_VOWEL}"

HAN_AND_KANA = r"\p{Han}\p{Hiragana}\p{Katakana}"
"""Chinese and Japanese without the long vowel mark."""

DENSE = HAN_AND_KANA + LONG_VOWEL
"""Chinese and Japanese, in which one character says as much as several letters."""

ABJAD = r"\p{Arabic}\p{Hebrew}"
"""Scripts of consonants, whose languages inflect inside the word."""

THAI_AND_LAO = r"\p{Thai}\p{Lao}"

SPACELESS_BRAHMIC = rf"{THAI_AND_LAO}\p{{Khmer}}\p{{Myanmar}}\p{{Tibetan}}"
"""Scripts of letters and vowel signs whose words are not separated."""

SPACELESS = DENSE + SPACELESS_BRAHMIC
"""All scripts without spaces between words."""

# --- scripts by their codes -----------------------------------------------------------------------------------------

LATIN = "Latn"

RIGHT_TO_LEFT = frozenset({"Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm"})


UNSTOPPED = frozenset({"Thai", "Laoo", "Khmr"})
"""Scripts that are written without full stops: spaces separate phrases and sentences alike."""

MEMBERS: Mapping[str, frozenset[str]] = {
    "Hans": frozenset({"Hani"}),
    "Jpan": frozenset({"Hani", "Hira", "Kana"}),
    "Kore": frozenset({"Hang", "Hani"}),
}
"""The scripts of letters that a code stands for, where it stands for others than itself."""

REQUIRED: Mapping[str, tuple[str, ...]] = {"ja": ("Hira", "Kana"), "ko": ("Hang",)}
"""By language, the scripts of which every sentence has at least one; both languages share Han with Chinese."""

PATTERNS: Mapping[str, regex.Pattern[str]] = {
    code: regex.compile(rf"\p{{{name}}}")
    for code, name in {
        "Latn": "Latin", "Cyrl": "Cyrillic", "Arab": "Arabic", "Hebr": "Hebrew", "Grek": "Greek", "Hani": "Han",
        "Kana": "Katakana", "Hira": "Hiragana", "Hang": "Hangul", "Thai": "Thai", "Deva": "Devanagari",
        "Beng": "Bengali", "Telu": "Telugu", "Guru": "Gurmukhi", "Knda": "Kannada", "Taml": "Tamil",
        "Khmr": "Khmer", "Laoo": "Lao", "Mymr": "Myanmar", "Tibt": "Tibetan",
    }.items()
}  # fmt: skip
"""A letter of each script that `script_shares` recognises; equal shares come in this order."""


def script_shares(text: str) -> dict[str, float]:
    """The share of the text's letters in each script, in (0, 1], largest first; {} without letters."""
    letters = LETTER.findall(text)
    counts = Counter(code for letter in letters for code in _letter_scripts(letter))
    order = {code: place for place, code in enumerate(PATTERNS)}
    ordered = sorted(counts.items(), key=lambda item: (-item[1], order[item[0]]))
    return {code: count / len(letters) for code, count in ordered}


def script_of(text: str) -> str:
    """The script of most of the text's letters, "" without letters.

    >>> script_of("Wi-Fi по-русски"), script_of("12:30")
    ('Cyrl', '')
    """
    return next(iter(script_shares(text)), "")


@lru_cache(maxsize=1 << 16)
def _letter_scripts(letter: str) -> tuple[str, ...]:
    return tuple(code for code, pattern in PATTERNS.items() if pattern.match(letter))


PREFIX = "__label__"
PARTS = regex.compile(
    r"(?P<language>[a-z]{2,3})(?:[-_](?P<script>[a-z]{4}))?(?:[-_](?P<region>[a-z]{2}|\d{3}))?", regex.I
)


@dataclass(frozen=True, slots=True)
class Label:
    """A language code as we write it ("" for “none” or “undetermined”) and a script.

    `script` is an ISO 15924 code where the label names one, "" where it does not.
    """

    language: str
    script: str = ""


@dataclass(frozen=True, slots=True)
class _Tables:
    names: Mapping[str, str]
    bare: Mapping[str, str]
    regions: Mapping[str, str]
    none: frozenset[str]


@cache
def parse_label(label: str) -> Label | None:
    """The language and script that `label` stands for; None for what is not a language label.

    >>> parse_label("__label__arb_Arab"), parse_label("zh_tw")
    (Label(language='ar', script='Arab'), Label(language='zh', script='Hant'))
    """
    match = PARTS.fullmatch(label.strip().removeprefix(PREFIX))
    if not match:
        return None
    tables = _tables()
    code = match["language"].lower()
    script = (match["script"] or "").title()
    region = (match["region"] or "").lower()
    if code in tables.none:
        return Label("", "" if script in ("Zyyy", "Zxxx", "Zzzz") else script)
    if not script and code in tables.bare:
        return Label(tables.bare[code])
    code = tables.names.get(code, code)
    if code == "zh" and not script:
        script = tables.regions.get(region, "")
    return Label(code, script)


def language_of(label: str) -> Language:
    """The language that `label` names, in any of these notations: `zh_cn`, `pt-BR` and `arb_Arab` too.

    Raises UsageError, as `language` does, for a label that names none.

    >>> language_of("pt-BR").code
    'pt'
    """
    parsed = parse_label(label)
    return language(parsed.language if parsed and parsed.language else label)


def flores_code(code: str) -> str:
    """The FLORES-200 code that NLLB uses for a language, "" where we know none.

    >>> flores_code("zh")
    'zho_Hans'
    """
    return next((item.nllb for item in known_languages() if item.code == code), "")


@cache
def _tables() -> _Tables:
    data = package_yaml("workbench.languages", "labels.yaml")
    names = {**data["iso639_3"], **data["members"], **data["old"]}
    return _Tables(names, data["bare"], data["regions"], frozenset(data["none"]))


CHIRKOVA_LANGUAGES: tuple[str, ...] = tuple(item.code for item in _known().values() if item.s1)
"""The thirteen languages of Chirkova et al. (2024), English first."""
PROMPT_LANGUAGES: tuple[str, ...] = (*CHIRKOVA_LANGUAGES, "hi", "vi", "bn", "te", "pa", "kn")
"""The languages of every prompt: those, and the others of the data of MLQA (hi, vi), XOR-TyDi (bn, te) and Singh et al.
(n.d.; pa, kn), so that none of them falls back to English."""
