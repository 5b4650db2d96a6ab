"""Code switching: how much of an answer is in another script or language than the user's?

Source: named by Chirkova et al. 2024 (section 5, Table 8) as the main open problem; the measure is our own.  The share
of the answer's words that are in a script the user's language is not written in, or in a stretch of text in another
language of the same script.  Range [0, 1]; lower is better.

Words without letters do not count.  In scripts without spaces a character weighs half a word (Han, Kana) or a quarter
(Thai, Lao, Khmer, Burmese, Tibetan), about what it is of one.  Another language is looked for in sentences of more
than 20 characters: the words of one count as switched where the detector gives another language of the same script at
least the probability `SURE`.  A detector without a label for the user's language is not asked; where the script is
unknown too, the answer is unscored.  Names kept in Latin letters count: that is what the measure is for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache

import regex

from workbench.languages import known_languages, script_of, sentences
from workbench.languages.detect import Detection, Detector
from workbench.languages.language import Language
from workbench.languages.normalise import scripts_of_language
from workbench.metrics.answers.answer_units import units
from workbench.metrics.answers.clr import LIMIT
from workbench.metrics.measure import Measure, Score, each

SURE = 0.6
"""The probability of another language from which a sentence counts as switched."""

HALF_WORD = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\u30FC]")
QUARTER_WORD = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]")
LETTER = regex.compile(r"\p{L}")

Identify = Callable[[str, str], Detection | None]
"""The language of a text among all that are known; None where the language that it should be in cannot be told."""


def code_switch(answer: str, *, language: Language, identify: Identify | None = None) -> Score:
    """The share of the words of `answer` that are in another script or language; unscored without a letter.

    >>> from workbench.languages import language
    >>> code_switch("Это сделал Guglielmo Marconi", language=language("ru")).value
    0.5
    """
    scripts = scripts_of_language(language)
    told = identify or among_known(Detector())
    if "" in scripts and told(answer, language.code) is None:
        return Score(None, f"Neither the script nor the words of “{language.name}” are known.")
    whole = switched = 0.0
    for start, end in sentences(answer):
        sentence = answer[start:end]
        elsewhere = _in_another_language(sentence, language, scripts, told)
        for weight, script in _weighed(sentence):
            whole += weight
            switched += weight if elsewhere or not (script in scripts or "" in scripts) else 0.0
    return Score(switched / whole) if whole else Score(None, "The answer has no words.")


def _weighed(text: str) -> Iterator[tuple[float, str]]:
    """The words of `text` that have letters: what each weighs and its script, "?" for one we have no name for."""
    for unit in units(text):
        if LETTER.search(unit):
            weight = 0.5 if HALF_WORD.match(unit) else 0.25 if QUARTER_WORD.match(unit) else 1.0
            yield weight, _script(unit)


def _in_another_language(sentence: str, language: Language, scripts: frozenset[str], identify: Identify) -> bool:
    """Whether a sentence in the right script is surely in another language."""
    if len(sentence) <= LIMIT or not (script_of(sentence) in scripts or "" in scripts):
        return False
    found = identify(sentence, language.code)
    return found is not None and found.code not in ("", language.code) and found.confidence >= SURE


@lru_cache(maxsize=1 << 16)
def _script(unit: str) -> str:
    return script_of(unit) or "?"


@cache
def _known() -> tuple[str, ...]:
    return tuple(item.code for item in known_languages())


def among_known(identifier: Detector) -> Identify:
    """What an identifier says where all known languages compete, and the one that a text should be in."""

    def identify(text: str, code: str) -> Detection | None:
        return identifier.detect(text, (code, *_known())) if identifier.knows(code) else None

    return identify


def measures(identifier: Detector) -> tuple[Measure, ...]:
    """What this page measures, told by a language identifier."""
    identify = among_known(identifier)
    return (
        Measure(
            "code_switch",
            "Code switching (share of words)",
            "our own, after Chirkova et al. 2024, Table 8",
            each(lambda case: code_switch(case.prediction, language=case.language, identify=identify)),
            higher_is_better=False,
        ),
    )


MEASURES = measures(Detector())
"""What this page measures, told by the built-in identifier."""
