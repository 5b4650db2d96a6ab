"""The language of a typed question: first among those that are likely, then among all that the workbench knows.

The probability is the identifier's for the language among all that it knows, so that a short question in a language
with close relatives may be detected rightly with a low one.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core import UsageError
from workbench.languages import Detection, Detector, known_languages

UNSURE = 0.5
"""Below this probability a person should look at the detected language."""


def detect_question(question: str, detector: Detector, likely: Sequence[str]) -> Detection:
    """The question's language with the identifier's probability for it.

    The languages of `likely` compete first; where none of them fits, every known language does. Raises UsageError where
    none is detected, and what the identifier raises.

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
