"""Scores and verdicts in what a judging model wrote; None where there is none, never a guess.

The model is asked to end with `Score: N` or `Verdict: N`.  Also accepted: JSON with such a key, Markdown around them,
`4/5` and `4 out of 5`, digits of any script, a reply of only the number, yes and no.  The last one counts.  A number
outside the scale, a range (`Score: 1-5`) and another scale (`4/10`) are not a score.  Text in <think> … </think> does
not count.
"""

from __future__ import annotations

import unicodedata

import regex

from workbench.records.thinking import without_thinking

MARKUP = regex.compile(r"[*_`#]+")
DIGIT = regex.compile(r"(?![0-9])\p{Nd}")
NUMBER = r"(?<![\d.\-])(?P<value>\d+(?:\.\d+)?)(?:\s*(?:/|out\s+of)\s*(?P<of>\d+))?(?!\s*[-–]\s*\d|[\d.]*\d)"
NAMED_NUMBER = regex.compile(
    rf"\b(?:score|rating)\b[\"'\s]*(?:\([^)\n]*\))?[\"'\s:=]*(?:is\s+)?{NUMBER}", regex.IGNORECASE
)
ONLY_NUMBER = regex.compile(rf"{NUMBER}[.!]?")
VERDICTS = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}
WORD = r"(?P<value>1|0|yes|no|true|false)\b(?![.,]?\d)"
NAMED_VERDICT = regex.compile(rf"\bverdict\b[\"'\s]*(?:\([^)\n]*\))?[\"'\s:=]*(?:is\s+)?{WORD}", regex.IGNORECASE)
ONLY_VERDICT = regex.compile(rf"{WORD}[.!]?", regex.IGNORECASE)


def score_in(reply: str, low: int, high: int) -> float | None:
    r"""The score from `low` to `high` that a reply gives, None where it gives none.

    >>> score_in("The order is clear.\n**Score:** 4/5", 1, 5)
    4.0
    """
    match = _last(NAMED_NUMBER, ONLY_NUMBER, reply)
    if match is None or match["of"] not in (None, str(high)):
        return None
    value = float(match["value"])
    return value if low <= value <= high else None


def verdict_in(reply: str) -> bool | None:
    """Whether a reply says yes, None where it gives no verdict.

    >>> verdict_in('{"reason": "It names the year.", "verdict": 1}')
    True
    """
    match = _last(NAMED_VERDICT, ONLY_VERDICT, reply)
    return None if match is None else VERDICTS[match["value"].lower()]


def _last(named: regex.Pattern[str], alone: regex.Pattern[str], reply: str) -> regex.Match[str] | None:
    """The last place where the value is named, else a last line that is only the value."""
    plain = DIGIT.sub(lambda digit: str(unicodedata.decimal(digit.group())), unicodedata.normalize("NFKC", reply))
    plain = MARKUP.sub("", without_thinking(plain)).strip()
    matches = list(named.finditer(plain))
    if matches:
        return matches[-1]
    last: str = plain.splitlines()[-1] if plain else ""
    return alone.fullmatch(last.strip())
