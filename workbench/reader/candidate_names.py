"""The names and numbers in a sentence that may be what a question asks for.

Names are recognised by capitals, katakana, or the dot inside foreign names in Chinese; other names in scripts without
capitals are not recognised, unless the sentence is available in English.
"""

from __future__ import annotations

import regex
from anyascii import anyascii

from workbench.languages import fold
from workbench.languages.scripts import KATAKANA

NAME = regex.compile(
    r"\p{Lu}[\p{L}\p{M}'’.-]*(?:\s(?:(?:de|da|von|van|of|and|y|e|und|et)\s)?\p{Lu}[\p{L}\p{M}'’.-]*)*"
    rf"|[{KATAKANA}]{{2,}}(?:・[{KATAKANA}]+)*"
    r"|\p{Han}+(?:·\p{Han}+)+"
)
NUMBER = regex.compile(r"\p{Nd}+(?:[.,]\p{Nd}+)*")
NAME_SEPARATOR = regex.compile(r"[\s・·]")
SENTENCE_START = regex.compile(r"(?:^|[.!?:]\s)$")
OPENERS = frozenset(
    # articles, prepositions and pronouns that often open a sentence, in the languages with capitals
    word
    for line in (
        "a an the in on at by as to of for from with after before during since until when while it its he she they",
        "this el la los las en un una le les l une au aux dans der die das im am ein eine bei il lo gli nel nella",
        "o os as no na em um uma в во на по с со из у к о об при его она он bir bu",
    )
    for word in line.split()
)
HYPHENATED_ADJECTIVE = regex.compile(r"[-‐]\p{Ll}")
NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
SMALL_NUMBER = regex.compile(r"\b(" + "|".join(NUMBER_WORDS[2:]) + r")\b")


def candidate_names(text: str, question: str, kind: str) -> tuple[str, ...]:
    """Names and numbers of `text` that are not in the question and are of the kind that it asks for.

    Only numbers for a number or a date, only names for a person or a place, else both; for a person, names of several
    words if there are any. `kind` is what `question_type` returns.

    >>> candidate_names("In Russia, Popov showed it in 1895.", "Who showed it?", "who")
    ('Russia', 'Popov')
    """
    in_question = folded_ascii(question)
    candidates: list[str] = []
    if kind not in ("when", "number"):
        names = [name for name in _names(text) if folded_ascii(name) not in in_question]
        full_names = [name for name in names if NAME_SEPARATOR.search(name)]
        candidates.extend(full_names if kind == "who" and full_names else names)
    if kind not in ("who", "where"):
        small = [str(NUMBER_WORDS.index(word)) for word in SMALL_NUMBER.findall(text.lower())]
        numbers = NUMBER.findall(text) + small
        candidates.extend(number for number in numbers if number not in in_question.split())
    return tuple(dict.fromkeys(candidates))


def _names(text: str) -> list[str]:
    """Capitalised runs, without a small word that is capitalised only because it opens the sentence."""
    names: list[str] = []
    for match in NAME.finditer(text):
        words = match.group().rstrip(".'’-").split()
        if SENTENCE_START.search(text[: match.start()]) and words[0].lower() in OPENERS:
            words = words[1:]
        if words and not HYPHENATED_ADJECTIVE.search(words[-1]):
            names.append(" ".join(words))
    return names


def folded_ascii(text: str) -> str:
    """The form in which names are compared: folded ASCII letters."""
    return fold(anyascii(text))
