"""Texts that come back as they were: rightly where source is target, else a failure that must not pass unnoticed.

Names, numbers and formulae are the same in many languages, so a short text may rightly come back unchanged.  Apart from
`text_chunks`, which needs neither the language detector nor translations.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core import Translation, shorten
from workbench.languages import LATIN, LETTER, detect, fold, language, script_shares

NAME_LETTERS = 20
"""Letters up to which an unchanged text may be a name."""


def same_language(texts: Sequence[str], source: str) -> list[Translation]:
    """The texts as translations from `source` to itself: kind `same`, match 1."""
    return [Translation(text, source, source, "same", 1.0) for text in texts]


def is_untranslated(text: str, translation: str, source: str, target: str) -> bool:
    """Whether `translation` is `text` again where a translation from `source` to `target` should differ.

    >>> is_untranslated("ABBA", "ABBA", "sv", "en"), is_untranslated("東京", "東京", "ja", "en")
    (False, True)
    """
    if source == target or fold(text) != fold(translation):
        return False
    shares = script_shares(text)
    scripts = language(target).letter_scripts
    if not shares:
        return False
    if "" not in scripts and not scripts & shares.keys():
        # Latin names occur in texts of every script; a text in another script cannot be in the target language.
        return LATIN not in shares or len(LETTER.findall(text)) > NAME_LETTERS
    return len(LETTER.findall(text)) > NAME_LETTERS and detect(text, (source, target)) == source


def translation_defect(text: str, translation: str, source: str, target: str) -> str:
    """What a translator did instead of translating `text`, to follow its name in a message; "" if it did translate.

    >>> translation_defect("See", " ", "de", "en")
    'gave no translation of “See” to English'
    """
    if not translation.strip():
        return f"gave no translation of “{shorten(text)}” to {language(target).name}"
    if is_untranslated(text, translation, source, target):
        return f"gave back “{shorten(text)}” instead of a translation to {language(target).name}"
    return ""
