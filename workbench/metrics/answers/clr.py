"""Correct language rate: is the answer in the language it should be in?

Source: Chirkova et al. (2024), section 3.  1 where the detected language is the expected one, else 0; the mean over
answers is the rate.  Range [0, 1]; higher is better.  Only answers of more than 20 characters are scored, because
short ones are identified badly; shorter ones, those without a letter, and those in a language that the identifier has
no label for are unscored.

The identifier's own top label decides, as in the paper: all its languages compete, so Ukrainian is not Russian and
Estonian not Finnish, and the complete answer is read.  `clr_candidates` lets only the languages of `languages.yaml`
compete (or those given), by the first 400 characters: it forgives a neighbouring language that is not among them.

`clr_script` lowers the limit in dense scripts to as much text: 20 characters times the length of the same MKQA
questions relative to English ones (Chirkova et al. (2024), Table 4: 16, 26 and 22 characters against 43).

Labels become our codes by `languages.labels`: in a peer implementation Arabic is expected as `ar` and detected as
`arb`, Chinese as `zh_cn` and as `zh`, which makes the rate 0 for both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache

from workbench.languages import Detector, Language, known_languages, script_shares
from workbench.metrics.measure import Measure, Score, per_case

Detect = Callable[[str, tuple[str, ...]], str]
"""The most likely of the candidate languages, of all languages where there are none; "" where none fits."""

LIMIT = 20
"""Characters; an answer must be longer."""

DENSE_LIMITS: Mapping[str, int] = {"Kana": 12, "Hang": 10, "Hani": 7}
"""`clr_script`'s limits, looked up in this order: Japanese differs from Chinese by its Kana."""

LEAST_SHARE = 0.2
"""The share of an answer's letters from which it is of a dense script."""


def clr(answer: str, *, language: Language, detect: Detect | None = None) -> Score:
    """1.0 if `answer` is in `language`, else 0.0; unscored up to 20 characters and without letters.

    >>> from workbench.languages import language
    >>> clr("这是一个用中文写成的答案，它的长度超过二十个字符。", language=language("zh")).value
    1.0
    """
    return _rate(answer, LIMIT, language, detect or _Identifier(Detector()), ())


def clr_script(answer: str, *, language: Language, detect: Detect | None = None) -> Score:
    """`clr` with a lower limit for answers in Han (7 characters), Hangul (10) and Kana (12)."""
    return _rate(answer, script_limit(answer), language, detect or _Identifier(Detector()), ())


def clr_candidates(
    answer: str, *, language: Language, detect: Detect | None = None, candidates: Sequence[str] = ()
) -> Score:
    """`clr` where only `candidates` compete with the expected language, all known ones where omitted."""
    competing = dict.fromkeys((language.code, *(candidates or _known())))
    return _rate(answer, LIMIT, language, detect or _Identifier(Detector()), tuple(competing))


def script_limit(answer: str) -> int:
    """The number of characters that an answer in this script must exceed to be scored by `clr_script`."""
    shares = script_shares(answer)
    shares["Kana"] = shares.get("Kana", 0.0) + shares.get("Hira", 0.0)
    return next((limit for script, limit in DENSE_LIMITS.items() if shares.get(script, 0.0) >= LEAST_SHARE), LIMIT)


def _rate(answer: str, limit: int, language: Language, detect: Detect, candidates: tuple[str, ...]) -> Score:
    text = answer.strip()
    if len(text) <= limit:
        return Score(None, f"The answer has no more than {limit} characters.")
    if not any(character.isalpha() for character in text):
        return Score(None, "The answer has no letters, so its language cannot be told.")
    if isinstance(detect, _Identifier) and not detect.knows(language.code):
        return Score(None, f"The language identifier cannot tell “{language.name}”.")
    return Score(float(detect(text, candidates) == language.code))


class _Identifier:
    """An identifier whose latest results are cached, so that two variants ask once."""

    def __init__(self, identifier: Detector) -> None:
        self._identifier = identifier
        self._detect = lru_cache(maxsize=1 << 12)(self._language)
        self.knows = identifier.knows

    def __call__(self, text: str, candidates: tuple[str, ...]) -> str:
        return self._detect(text, candidates)

    def _language(self, text: str, candidates: tuple[str, ...]) -> str:
        if candidates:
            return self._identifier(text, candidates)
        return self._identifier.detect(text, length=None).language


@cache
def _known() -> tuple[str, ...]:
    return tuple(item.code for item in known_languages())


SOURCE = "Chirkova et al. (2024), section 3"


def measures(identifier: Detector) -> tuple[Measure, ...]:
    """The measures of this module, with this language identifier."""
    detect = _Identifier(identifier)
    return (
        Measure(
            "clr",
            "Correct language rate",
            SOURCE,
            per_case(lambda case: clr(case.prediction, language=case.language, detect=detect)),
        ),
        Measure(
            "clr_script",
            "Correct language rate (limit by script)",
            f"{SOURCE}, with limits from its Table 4",
            per_case(lambda case: clr_script(case.prediction, language=case.language, detect=detect)),
        ),
        Measure(
            "clr_candidates",
            "Correct language rate (among known languages)",
            f"{SOURCE}, with fewer languages competing",
            per_case(lambda case: clr_candidates(case.prediction, language=case.language, detect=detect)),
        ),
    )


MEASURES = measures(Detector())
"""The measures of this module, with the built-in identifier."""
