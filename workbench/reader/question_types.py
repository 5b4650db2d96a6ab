"""What kind of thing a question asks for, and whether a piece of text holds such a thing.

The cues lie in `question_types.yaml`, by language.  A language without cues has no types: every piece of text then
serves alike.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import regex
import yaml

from workbench.languages import fold, language

DIGIT = regex.compile(r"\p{N}")
YEAR = regex.compile(r"(?<!\p{N})(?:1\d{3}|20\d{2}|[๐-๙]{4}|[٠-٩]{4})(?!\p{N})")
CAPITALISED = regex.compile(
    r"(?<=[^\s.!?:]\s)\p{Lu}[\p{L}\p{M}]+|\p{Katakana}{2,}|\p{Lu}[\p{L}\p{M}]+ \p{Lu}[\p{L}\p{M}]+|·"
)
CASED = frozenset({"Latn", "Cyrl", "Grek"})


@cache
def _cues(code: str) -> tuple[tuple[str, regex.Pattern[str]], ...]:
    read = yaml.safe_load(files("workbench.reader").joinpath("question_types.yaml").read_text(encoding="utf-8"))
    return tuple(
        (kind, regex.compile("|".join(_pattern(str(cue), code) for cue in languages[code])))
        for kind, languages in read.items()
        if code in languages
    )


def _pattern(cue: str, code: str) -> str:
    words = regex.escape(fold(cue.strip("^*")))
    if language(code).spaceless:
        return words
    start = "^" if cue.startswith("^") else r"(?<![\p{L}\p{M}])"
    return start + words + ("" if cue.endswith("*") or language(code).enclitics else r"(?![\p{L}\p{M}])")


def question_type(question: str, code: str) -> str:
    """`when`, `number`, `who`, `where`, or "" where the question's words tell none.

    >>> question_type("How many people live there?", "en"), question_type("谁发明了电话？", "zh")
    ('number', 'who')
    """
    folded = fold(question)
    return next((kind for kind, pattern in _cues(code) if pattern.search(folded)), "")


def serves(kind: str, text: str, code: str) -> bool:
    """Whether `text` in the language `code` holds what a question of this kind asks for.

    Names are seen by capitals, so in scripts without them every text serves `who` and `where`.
    """
    if kind == "when":
        return bool(YEAR.search(text) or DIGIT.search(text))
    if kind == "number":
        return bool(DIGIT.search(text))
    if kind in ("who", "where") and language(code).script in CASED:
        return bool(CAPITALISED.search(text))
    return bool(kind)
