"""Words that a gloss has not learnt as they are written: question words, and other forms of words that it has learnt.

A form is related to a learnt word where the two share their beginning, half of the longer: endings and
particles change, stems mostly do not.  The counterparts of all related words vote with their confidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from itertools import takewhile

import regex
import yaml

from workbench.languages import fold

LEAST_SHARED = 0.5
"""The share of the longer of two words that they must have in common at their beginning …"""
LEAST_LETTERS = 4
"""… and the number of its letters …"""
LEAST_SYLLABLES = 2
"""… or of syllables in Hangul."""
HANGUL = regex.compile(r"\p{Hangul}")


def question_word(form: str, source: str, target: str) -> str:
    """The question word of `target` that means what the folded `form` does in `source`, "" where it is not one.

    >>> question_word("milloin", "fi", "en"), question_word("radio", "fi", "en")
    ('when', '')
    """
    meaning = _meanings(source).get(form, "")
    return _usual(target).get(meaning, "")


def related_counterpart(
    form: str, table: Mapping[str, Mapping[str, float]], least_confidence: float
) -> tuple[str, float]:
    """The likeliest counterpart of the learnt words that share the stem of `form`, and its confidence; ("", 0) if none.

    >>> related_counterpart("keksi", {"keksijä": {"inventor": 0.2}, "kello": {"clock": 0.9}}, 0.1)
    ('inventor', 0.2)
    """
    votes: dict[str, float] = defaultdict(float)
    for word, counterparts in table.items():
        if _share_stem(form, word):
            for counterpart, confidence in counterparts.items():
                votes[counterpart] += confidence
    if not votes:
        return "", 0.0
    best, confidence = min(votes.items(), key=lambda item: (-item[1], item[0]))
    return (best, min(1.0, confidence)) if confidence >= least_confidence else ("", 0.0)


def _share_stem(one: str, other: str) -> bool:
    if one[:LEAST_SYLLABLES] != other[:LEAST_SYLLABLES]:
        return False
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    least = LEAST_SYLLABLES if HANGUL.match(one) else LEAST_LETTERS
    return shared >= max(least, LEAST_SHARED * max(len(one), len(other)))


@cache
def _lists() -> dict[str, dict[str, list[str]]]:
    text = files("workbench.models.translation.memory").joinpath("question_words.yaml").read_text(encoding="utf-8")
    lists: dict[str, dict[str, list[str]]] = yaml.safe_load(text)
    return lists


@cache
def _meanings(language: str) -> dict[str, str]:
    return {fold(word): meaning for meaning, words in _lists().items() for word in words.get(language, ())}


@cache
def _usual(language: str) -> dict[str, str]:
    return {meaning: words[language][0] for meaning, words in _lists().items() if language in words}
