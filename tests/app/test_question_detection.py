"""The language of a typed question, with the identifier's probability."""

from __future__ import annotations

import pytest

from workbench.app.question import detect_question
from workbench.core.errors import UsageError
from workbench.languages.detection import Detector


def test_the_likely_languages_compete_first() -> None:
    detection = detect_question("Kuka keksi radion?", Detector(), ["en", "fi"])
    assert detection.language == "fi"
    assert 0 < detection.confidence <= 1


def test_a_language_that_is_not_likely_is_still_detected() -> None:
    assert detect_question("ใครประดิษฐ์วิทยุ", Detector(), ["en", "fi"]).language == "th"


def test_a_text_without_letters_has_no_language() -> None:
    with pytest.raises(UsageError, match="Select it under"):
        detect_question("1851?", Detector(), ["en"])
