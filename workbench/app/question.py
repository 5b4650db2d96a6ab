"""A question as a person typed it: checked before anything is built or sent, and the language that it is in."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core import UsageError, shorten
from workbench.languages import Detection, Detector, known_languages
from workbench.workspace import QUESTION_LIMIT


def checked_question(question: str) -> str:
    """`question` without white space around it.

    Raises UsageError when it is empty, too long, not valid Unicode or without a letter or digit.
    """
    text = question.strip()
    example = "For example: “Who invented radio?”"
    if not text:
        raise UsageError(f"The question is empty. Type a question of 1 to {QUESTION_LIMIT:,} characters. {example}")
    if len(text) > QUESTION_LIMIT:
        raise UsageError(
            f"The question has {len(text):,} characters (“{shorten(text, 30)}”); at most {QUESTION_LIMIT:,} are "
            f"allowed. {example}"
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError(
            f"The question holds half a character, as text that is not UTF-8 does. Type it as UTF-8. {example}"
        )
    if not any(character.isalnum() for character in text):
        raise UsageError(
            f"The question “{shorten(text)}” holds no letter or digit, so there is nothing to search for. {example}"
        )
    return text


UNSURE = 0.5
"""Below this probability a person should look at the detected language."""


def detect_question(question: str, detector: Detector, likely: Sequence[str]) -> Detection:
    """The question's language with the identifier's probability for it.

    The languages of `likely` compete first; where none of them fits, every known language does. The probability is
    that among all known ones, so that a short question in a language with close relatives may be detected rightly with
    a low one. Raises UsageError where none is detected, and what the identifier raises.

    >>> detect_question("Kuka keksi radion?", Detector(), ["en", "fi"]).language
    'fi'
    """
    detection = detector.detect(question, likely)
    if not detection.language:
        detection = detector.detect(question, [item.code for item in known_languages()])
    if not detection.language:
        raise UsageError("The question's language could not be identified. Select it under “Question language”.")
    return detection


def is_unsure(detection: Detection) -> bool:
    """Whether the identifier gave the language less than an even chance.

    >>> is_unsure(Detection("fi", 0.31, "Latn")), is_unsure(Detection("fi", 0.99, "Latn"))
    (True, False)
    """
    return detection.confidence < UNSURE
