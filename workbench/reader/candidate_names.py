"""The names and numbers in a sentence that may be what a question asks for.

Names are seen by capitals, katakana, or the dot inside foreign names in Chinese; other names in scripts without
capitals are not seen, unless the sentence is had in English.
"""

from __future__ import annotations

import regex
from anyascii import anyascii

from workbench.languages import fold

NAME = regex.compile(
    r"\p{Lu}[\p{L}\p{M}'’.-]*(?:\s(?:(?:de|da|von|van|of|and|y|e|und|et)\s)?\p{Lu}[\p{L}\p{M}'’.-]*)*"
    r"|[\p{Katakana}\u30FC]{2,}(?:・[\p{Katakana}\u30FC]+)*|\p{Han}+(?:·\p{Han}+)+"
)
NUMBER = regex.compile(r"\p{Nd}+(?:[.,]\p{Nd}+)*")
PARTS = regex.compile(r"[\s・·]")
SENTENCE_START = regex.compile(r"(?:^|[.!?:]\s)$")
OPENERS = frozenset(
    # of the languages with capitals, articles, prepositions and pronouns that often open a sentence
    word
    for line in (
        "a an the in on at by as to of for from with after before during since until when while it its he she they",
        "this el la los las en un una le les l une au aux dans der die das im am ein eine bei il lo gli nel nella",
        "o os as no na em um uma в во на по с со из у к о об при его она он bir bu",
    )
    for word in line.split()
)
ADJECTIVE = regex.compile(r"[-‐]\p{Ll}")
COUNTED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
SMALL_NUMBER = regex.compile(r"\b(" + "|".join(COUNTED[2:]) + r")\b")


def points(text: str, question: str, kind: str) -> tuple[str, ...]:
    """Names and numbers of `text` that the question does not hold: numbers only where a number or a date is asked
    for, names only where a person or a place is, else both; of a person rather the names of several words.

    >>> points("In Russia, Popov showed it in 1895.", "Who showed it?", "who")
    ('Russia', 'Popov')
    """
    known = sound(question)
    found: list[str] = []
    if kind not in ("when", "number"):
        names = [name for name in _names(text) if sound(name) not in known]
        whole = [name for name in names if PARTS.search(name)]
        found.extend(whole if kind == "who" and whole else names)
    if kind not in ("who", "where"):
        numbers = NUMBER.findall(text) + [str(COUNTED.index(word)) for word in SMALL_NUMBER.findall(text.lower())]
        found.extend(number for number in numbers if number not in known.split())
    return tuple(dict.fromkeys(found))


def _names(text: str) -> list[str]:
    """Capitalised runs, without a small word that is capitalised only because it opens the sentence."""
    found: list[str] = []
    for match in NAME.finditer(text):
        words = match.group().rstrip(".'’-").split()
        if SENTENCE_START.search(text[: match.start()]) and words[0].lower() in OPENERS:
            words = words[1:]
        if words and not ADJECTIVE.search(words[-1]):
            found.append(" ".join(words))
    return found


def sound(text: str) -> str:
    """How a name is compared: in folded ASCII letters."""
    return fold(anyascii(text))
