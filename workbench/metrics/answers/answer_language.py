"""Is the answer in the language it should be in: correct language rate, and code switching.

**Correct language rate** (Chirkova et al. (2024), section 3): 1 where the detected language is the expected one, else
0; the mean over answers is the rate. Range [0, 1]; higher is better. Only answers of more than 20 characters are
scored, because short ones are identified badly; shorter ones, those without a letter, and those in a language that the
identifier has no label for are unscored.

The identifier's own top label decides, as in the paper: all its languages compete, so Ukrainian is not Russian and
Estonian not Finnish, and the complete answer is read. `clr_candidates` lets only the languages of `languages.yaml`
compete (or those given), by the first 400 characters: it forgives a neighbouring language that is not among them.

`clr_script` lowers the limit in dense scripts to as much text: 20 characters times the length of the same MKQA
questions relative to English ones (Chirkova et al. (2024), Table 4: 16, 26 and 22 characters against 43).

`clr_any_length` has no limit: Ranaldi et al. (2025, D-RAG), Table 3, state none.

Labels become our codes by `languages.catalogue`: in a peer implementation Arabic is expected as `ar` and detected as
`arb`, Chinese as `zh_cn` and as `zh`, which makes the rate 0 for both.

**Code switching**: Chirkova et al. (2024), section 5 and Table 8, name it as the main open problem; the measure is our
own. It is the share of the answer's words that are in a script the user's language is not written in, or in a stretch
of text in another language of the same script. Range [0, 1]; lower is better.

Words without letters do not count. In scripts without spaces a character is half a word (Han, Kana) or a quarter
(Thai, Lao, Khmer, Burmese, Tibetan), about its share of one. Another language is searched for in sentences of more
than 20 characters: the words of one count as switched where the detector gives another language of the same script at
least the probability `SURE`. A detector without a label for the user's language is not used; where the script is
unknown too, the answer is unscored. Names left in Latin letters count: that is what the measure is for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

import regex

from workbench.languages import (
    DENSE,
    LETTER,
    SPACELESS_BRAHMIC,
    Detection,
    Detector,
    Language,
    known_languages,
    script_of,
    script_shares,
    sentences,
)
from workbench.metrics.answers.flexible_em import units
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


def clr_any_length(answer: str, *, language: Language, detect: Detect | None = None) -> Score:
    """`clr` of any answer with a letter, however short."""
    return _rate(answer, 0, language, detect or _Identifier(Detector()), ())


def script_limit(answer: str) -> int:
    """The number of characters that an answer in this script must exceed to be scored by `clr_script`."""
    shares = script_shares(answer)
    shares["Kana"] = shares.get("Kana", 0.0) + shares.get("Hira", 0.0)
    return next((limit for script, limit in DENSE_LIMITS.items() if shares.get(script, 0.0) >= LEAST_SHARE), LIMIT)


def _rate(answer: str, limit: int, language: Language, detect: Detect, candidates: tuple[str, ...]) -> Score:
    text = answer.strip()
    if 0 < limit >= len(text):
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


SURE = 0.6
"""The probability of another language from which a sentence counts as switched."""

HALF_WORD = regex.compile(rf"[{DENSE}]")
QUARTER_WORD = regex.compile(rf"[{SPACELESS_BRAHMIC}]")

Identify = Callable[[str, str], Detection | None]
"""The most likely language of a text; None where the expected language has no label."""


def code_switch(answer: str, *, language: Language, identify: Identify | None = None) -> Score:
    """The share of the words of `answer` that are in another script or language; unscored without a letter.

    >>> from workbench.languages import language
    >>> code_switch("Это сделал Guglielmo Marconi", language=language("ru")).value
    0.5
    """
    scripts = language.letter_scripts
    identify = identify or among_all(Detector())
    if "" in scripts and identify(answer, language.code) is None:
        return Score(None, f"Neither the script nor the words of “{language.name}” are known.")
    total = switched = 0.0
    for start, end in sentences(answer):
        sentence = answer[start:end]
        elsewhere = _in_another_language(sentence, language, scripts, identify)
        for weight, script in _weighed(sentence):
            total += weight
            switched += weight if elsewhere or not (script in scripts or "" in scripts) else 0.0
    return Score(switched / total) if total else Score(None, "The answer has no words.")


def _weighed(text: str) -> Iterator[tuple[float, str]]:
    """The words of `text` that have letters: the weight and the script of each, "?" for a script without a name."""
    for unit in units(text):
        if LETTER.search(unit):
            weight = 0.5 if HALF_WORD.match(unit) else 0.25 if QUARTER_WORD.match(unit) else 1.0
            yield weight, _script(unit)


def _in_another_language(sentence: str, language: Language, scripts: frozenset[str], identify: Identify) -> bool:
    """Whether a sentence in the right script is in another language with at least the probability `SURE`."""
    if len(sentence) <= LIMIT or not (script_of(sentence) in scripts or "" in scripts):
        return False
    detection = identify(sentence, language.code)
    return detection is not None and detection.language not in ("", language.code) and detection.confidence >= SURE


@lru_cache(maxsize=1 << 16)
def _script(unit: str) -> str:
    return script_of(unit) or "?"


def among_all(identifier: Detector) -> Identify:
    """An identifier with all its languages as candidates, as in `clr`."""

    def identify(text: str, code: str) -> Detection | None:
        return identifier.detect(text) if identifier.knows(code) else None

    return identify


SOURCE = "Chirkova et al. (2024), section 3"


def measures(identifier: Detector) -> tuple[Measure, ...]:
    """The measures of this module, with this language identifier."""
    detect, identify = _Identifier(identifier), among_all(identifier)
    return (
        Measure(
            "clr",
            "Answer is in the question's language",
            SOURCE,
            per_case(lambda case: clr(case.prediction, language=case.language, detect=detect)),
            format_failure=None,
        ),
        Measure(
            "clr_script",
            "Answer is in the question's language (limit by script)",
            f"{SOURCE}, with limits from its Table 4",
            per_case(lambda case: clr_script(case.prediction, language=case.language, detect=detect)),
            format_failure=None,
        ),
        Measure(
            "clr_candidates",
            "Answer is in the question's language (among known ones)",
            f"{SOURCE}, with fewer languages competing",
            per_case(lambda case: clr_candidates(case.prediction, language=case.language, detect=detect)),
            format_failure=None,
        ),
        Measure(
            "clr_any_length",
            "Answer is in the question's language (any length)",
            "Ranaldi et al. (2025, D-RAG), Table 3",
            per_case(lambda case: clr_any_length(case.prediction, language=case.language, detect=detect)),
        ),
        Measure(
            "code_switch",
            "Words in another language (code switching)",
            "our own, after Chirkova et al. (2024), Table 8",
            per_case(lambda case: code_switch(case.prediction, language=case.language, identify=identify)),
            higher_is_better=False,
            format_failure=None,
        ),
    )


MEASURES = measures(Detector())
"""The measures of this module, with the built-in identifier."""
