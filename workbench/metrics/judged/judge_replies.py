"""Scores and verdicts in what a judging model wrote; None where there is none, never a guess.

The model is asked to end with `Score: N` or `Verdict: N`, in its prompt's language; the English words are always read
too.  Also accepted: JSON with such a key, Markdown around them, `4/5` and `4 out of 5`, digits of any script and width,
decimal commas, a reply of only the number, yes and no.  The last one counts.  Not a value: a number outside the scale,
a range (`Score: 1-5`), two values (`3 or 4`, `yes and no`), a share (`4%`), another scale (`4/10`), the best mark that
there is (`Maximum score: 5`), a word that goes on (`Verdict: no idea`).  Text in <think> … </think> does not count.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import regex

from workbench.core import without_thinking
from workbench.languages import ENGLISH
from workbench.metrics.judged.judge_texts import judge_texts

MARKUP = regex.compile(r"[*_`#]+")
DIGIT = regex.compile(r"(?![0-9])\p{Nd}")
UNSEEN = regex.compile("[\u200b\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff\u0640\u064b-\u0652]")
"""Marks of direction, and Arabic vowel signs and stretching: they change no word."""
BORDER_BEFORE, BORDER_AFTER = r"(?<![\p{L}\p{M}\p{N}_])", r"(?![\p{L}\p{M}\p{N}_])"
WORD_ENDS = r"(?!(?<=[\p{L}\p{M}])(?<![\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}])[^\S\n]+\p{L})"
"""No word follows a word: “no answer” is not “no”. Where words are written without spaces, a space ends a clause."""
QUOTES = "\"'“”„«»「」『』"
NOTE = r"(?:\([^)\n]*\)\s*)?"
FULL_MARKS = r"(?:\d+\s*(?:点満点(?:中|で)|점\s*만점(?:에|\s*중)))?"
"""The best mark where Japanese and Korean name it before the mark."""
BEST_MARK = (
    r"(?<!(?:max|maksim|massim|máxim|максимал|высш|highest|perfect|possible|höchst|best|paras|korkein|最高|最大|최고|최대)"
    r"\p{L}{0,12}\.?\s{0,3})"
)
"""Not after a word for the best mark that there is, in the languages where it stands before the name."""
SPACELESS = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What is searched for in a reply in one language; `verdicts` by the word that says them."""

    named_number: regex.Pattern[str]
    only_number: regex.Pattern[str]
    named_verdict: regex.Pattern[str]
    only_verdict: regex.Pattern[str]
    verdicts: dict[str, bool]


def score_in(reply: str, low: int, high: int, language: str = ENGLISH) -> float | None:
    r"""The score from `low` to `high` that a reply to a prompt in a language gives, None where it gives none.

    >>> score_in("The order is clear.\n**Score:** 4/5", 1, 5), score_in("スコア：４点", 1, 5, "ja")
    (4.0, 4.0)
    """
    patterns = _patterns(language)
    match = _last(patterns.named_number, patterns.only_number, reply)
    if match is None or match["of"] not in (None, str(high)):
        return None
    value = float(match["value"].replace(",", "."))
    return value if low <= value <= high else None


def verdict_in(reply: str, language: str = ENGLISH) -> bool | None:
    """Whether a reply to a prompt in a language says yes, None where it gives no verdict.

    >>> verdict_in('{"reason": "It names the year.", "verdict": 1}'), verdict_in("الحكم: لا", "ar")
    (True, False)
    """
    patterns = _patterns(language)
    match = _last(patterns.named_verdict, patterns.only_verdict, reply)
    return None if match is None else patterns.verdicts[match["value"].casefold()]


@cache
def _patterns(language: str) -> _Patterns:
    words, english = judge_texts(language).reply, judge_texts(ENGLISH).reply
    is_ = _any_of((*words.is_, *english.is_))
    gap = rf"[{QUOTES}\s:=]*+"  # possessive: blanks without end take no longer than their number
    between = rf"(?:{is_})?{gap}{NOTE}{gap}(?:[—–]\s+)?(?:(?:{is_}){gap})?"
    endings = rf"\s*(?:{_any_of((*words.endings, *english.endings))})"
    out_of = rf"(?:[/⁄]|{_any_of((*words.out_of, *english.out_of))})"
    joins = rf"(?:{endings})?[\s,(]*+(?:{_any_of((*words.joins, *english.joins))})\s*"
    of = rf"(?:(?:{endings})?\s*+\(?+\s*+{out_of}\s*(?P<of>\d+))?+"
    number = (
        rf"{FULL_MARKS}\s*(?<![\d.,\-])(?P<value>\d+(?:[.,]\d+)?){of}"
        rf"(?!\s*[-–~〜]\s*\d|[\d.,]*\d|\s*(?:点満点|점\s*만점|分之|[%٪⁄])|{joins}\d)"
    )
    verdicts = {"1": True, "0": False}
    verdicts.update({_folded(word).casefold(): True for word in (*words.yes, *english.yes)})
    verdicts.update({_folded(word).casefold(): False for word in (*words.no, *english.no)})
    value = (
        rf"(?P<value>{_any_of(verdicts)})(?:{endings})?{BORDER_AFTER}{WORD_ENDS}"
        rf"(?!\.?\d|,\d|/|\s*(?:[-–—~〜]\s*\d|[%٪]|{out_of}\s*\d)|{joins}(?:{_any_of(verdicts)}){BORDER_AFTER})"
    )
    stop = rf"[{QUOTES}\s]*[.!。｡]?[{QUOTES}\s]*"
    names = {key: _names((*getattr(words, key), *getattr(english, key))) for key in ("score", "verdict")}
    return _Patterns(
        regex.compile(BEST_MARK + names["score"] + between + number, regex.IGNORECASE),
        regex.compile(rf"[{QUOTES}]*{number}(?:{endings})?{stop}", regex.IGNORECASE),
        regex.compile(names["verdict"] + between + value, regex.IGNORECASE),
        regex.compile(rf"[{QUOTES}]*{value}{stop}", regex.IGNORECASE),
        verdicts,
    )


def _names(words: Iterable[str]) -> str:
    """A pattern of any of some words; where words are written without spaces, one may follow another directly."""
    parts = [
        regex.escape(word) if SPACELESS.search(word) else rf"{BORDER_BEFORE}{regex.escape(word)}"
        for word in sorted({_folded(word) for word in words}, key=len, reverse=True)
    ]
    return f"(?:{'|'.join(parts)})"


def _any_of(words: Iterable[str]) -> str:
    """A pattern of any of some words, the longest first."""
    folded = {_folded(word) for word in words}
    return "|".join(regex.escape(word) for word in sorted(folded, key=lambda word: (-len(word), word)))


def _folded(text: str) -> str:
    """Text as it is compared: in NFKC, with European digits, without marks that change no word."""
    plain = UNSEEN.sub("", unicodedata.normalize("NFKC", text)).replace("٫", ".")
    return DIGIT.sub(lambda digit: str(unicodedata.decimal(digit.group())), plain)


def _last(named: regex.Pattern[str], alone: regex.Pattern[str], reply: str) -> regex.Match[str] | None:
    """The last place where the value is named, else a last line that is only the value."""
    plain = MARKUP.sub("", without_thinking(_folded(reply))).strip()
    matches = list(named.finditer(plain))
    if matches:
        return matches[-1]
    last: str = plain.splitlines()[-1] if plain else ""
    return alone.fullmatch(last.strip())
