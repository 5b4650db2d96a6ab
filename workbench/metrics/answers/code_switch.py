"""Code switching: how much of an answer is in another script or language than the user's?

Source: Chirkova et al. (2024), section 5 and Table 8, name it as the main open problem; the measure is our own.  It is
the share of the answer's words that are in a script the user's language is not written in, or in a stretch of text in
another language of the same script.  Range [0, 1]; lower is better.

Words without letters do not count.  In scripts without spaces a character is half a word (Han, Kana) or a quarter
(Thai, Lao, Khmer, Burmese, Tibetan), about its share of one.  Another language is searched for in sentences of more
than 20 characters: the words of one count as switched where the detector gives another language of the same script at
least the probability `SURE`.  A detector without a label for the user's language is not used; where the script is
unknown too, the answer is unscored.  Names left in Latin letters count: that is what the measure is for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import regex

from workbench.languages import DENSE, LETTER, SPACELESS_BRAHMIC, Detection, Detector, Language, script_of, sentences
from workbench.metrics.answers.clr import LIMIT
from workbench.metrics.answers.flexible_em import units
from workbench.metrics.measure import Measure, Score, per_case

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


def measures(identifier: Detector) -> tuple[Measure, ...]:
    """The measures of this module, with this language identifier."""
    identify = among_all(identifier)
    return (
        Measure(
            "code_switch",
            "Code switching (share of words)",
            "our own, after Chirkova et al. (2024), Table 8",
            per_case(lambda case: code_switch(case.prediction, language=case.language, identify=identify)),
            higher_is_better=False,
        ),
    )


MEASURES = measures(Detector())
"""The measures of this module, with the built-in identifier."""
