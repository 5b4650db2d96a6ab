"""A text that comes back unchanged is not a translation, unless it may be the same in both languages."""

import pytest

from workbench.models.translation.model_translators import is_untranslated

GERMAN = "Der See ist sehr tief und die Boote sind alt."


@pytest.mark.parametrize(
    ("text", "translation", "source", "target", "expected"),
    [
        (GERMAN, "The lake is very deep.", "de", "en", False),
        (GERMAN, GERMAN, "de", "en", True),
        (GERMAN, f" {GERMAN.upper()} ", "de", "en", True),
        (GERMAN, GERMAN, "de", "de", False),
        ("Angela Merkel", "Angela Merkel", "de", "en", False),
        ("1990–1995", "1990–1995", "de", "ar", False),
        ("москва", "москва", "ru", "en", True),
        ("東京", "東京", "ja", "zh", False),
        ("NATO", "NATO", "en", "ru", False),
        ("The lake is very deep and old.", "The lake is very deep and old.", "en", "ru", True),
    ],
)
def test_untranslated_texts_are_recognised(
    text: str, translation: str, source: str, target: str, expected: bool
) -> None:
    assert is_untranslated(text, translation, source, target) is expected
