r"""Scripts: which letters they have, which languages need them, and how they are written.

Classes such as `HAN_AND_KANA` are the inside of a character class of `regex`: `regex.compile(rf"[{SPACELESS}]")`.
Scripts are named by ISO 15924 codes (`Latn`, `Hani`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

import regex

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

CASED = frozenset({"Latn", "Cyrl", "Grek"})
"""Scripts with capitals, by which a name can be recognised."""

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
