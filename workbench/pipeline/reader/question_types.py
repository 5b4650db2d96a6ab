"""What kind of thing a question asks for, and whether a text contains such a thing.

The cues are in `question_types.yaml`, by language.  In a language without cues no question has a type, and every text
counts alike.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import regex
import yaml

from workbench.languages import CASED, fold, language

DIGIT = regex.compile(r"\p{N}")
YEAR = regex.compile(r"(?<!\p{N})(?:1\d{3}|20\d{2}|[๐-๙]{4}|[٠-٩]{4})(?!\p{N})")
CAPITALISED = regex.compile(
    r"(?<=[^\s.!?:]\s)\p{Lu}[\p{L}\p{M}]+|\p{Katakana}{2,}|\p{Lu}[\p{L}\p{M}]+ \p{Lu}[\p{L}\p{M}]+|·"
)

NOT = "not "
"""Before a type in the file: the words that rule it out."""
OPENING = r"[\p{P}\s]*"
"""What may stand before the first word of a question: ¿, a quotation mark."""
UP_TO_TWO_WORDS = r"(?: [^\s?？]+){0,2} "
THAI_SYLLABLE = r"(?<![เแโใไ])"
"""A vowel that is written before its consonant: what follows it is inside a syllable."""


@cache
def _cues(question_language: str) -> tuple[tuple[str, regex.Pattern[str], regex.Pattern[str] | None], ...]:
    """The types in order, each with its cues and the cues that rule it out."""
    types = yaml.safe_load(
        files("workbench.pipeline.reader").joinpath("question_types.yaml").read_text(encoding="utf-8")
    )
    patterns = {
        kind: regex.compile("|".join(_pattern(str(cue), question_language) for cue in cues[question_language]))
        for kind, cues in types.items()
        if question_language in cues
    }
    return tuple(
        (kind, pattern, patterns.get(f"{NOT}{kind}")) for kind, pattern in patterns.items() if not kind.startswith(NOT)
    )


def _pattern(cue: str, question_language: str) -> str:
    words = regex.escape(fold(cue.removeprefix("^").removesuffix("*")))
    if language(question_language).spaceless:
        return THAI_SYLLABLE + words
    words = words.replace(regex.escape(" * "), UP_TO_TWO_WORDS)
    start = "^" + OPENING if cue.startswith("^") else r"(?<![\p{L}\p{M}])"
    has_open_end = cue.endswith("*") or language(question_language).enclitics
    return start + words + ("" if has_open_end else r"(?![\p{L}\p{M}])")


def question_type(question: str, question_language: str) -> str:
    """`when`, `number`, `who`, `where`, or "" where the question's words show none of them.

    >>> question_type("How many people live there?", "en"), question_type("谁发明了电话？", "zh")
    ('number', 'who')
    """
    folded = fold(question)
    return next(
        (
            kind
            for kind, pattern, exclusion in _cues(question_language)
            if pattern.search(folded) and not (exclusion and exclusion.search(folded))
        ),
        "",
    )


def without_cues(question: str, question_language: str) -> str:
    """The question, folded, without the words that show its type.

    >>> without_cues("How many people live there?", "en")
    '  people live there?'
    """
    folded = fold(question)
    for _, pattern, _ in _cues(question_language):
        folded = pattern.sub(" ", folded)
    return folded


def holds_answer(kind: str, text: str, text_language: str) -> bool:
    """Whether `text` contains what a question of this type asks for.

    Names are recognised by capitals, so in scripts without them every text passes for `who` and `where`.
    """
    if kind == "when":
        return bool(YEAR.search(text) or DIGIT.search(text))
    if kind == "number":
        return bool(DIGIT.search(text))
    if kind in ("who", "where") and language(text_language).script in CASED:
        return bool(CAPITALISED.search(text))
    return bool(kind)
