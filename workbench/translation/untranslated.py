"""Was it translated at all?  A service or model that gives the text back has failed and must not pass for a good one.

Names, numbers and formulae are the same in many languages, so a short text may rightly come back as it was.
"""

from __future__ import annotations

import regex

from workbench.languages import fold, language, script_shares
from workbench.languages.detect import detect
from workbench.languages.normalise import scripts_of_language

LETTER = regex.compile(r"\p{L}")
NAME_LETTERS = 20
"""Letters up to which an unchanged text may be a name."""


def untranslated(text: str, made: str, source: str, target: str) -> bool:
    """Whether `made` is `text` again where a translation from `source` to `target` should differ.

    >>> untranslated("ABBA", "ABBA", "sv", "en"), untranslated("東京", "東京", "ja", "en")
    (False, True)
    """
    if source == target or fold(text) != fold(made):
        return False
    shares = script_shares(text)
    wanted = scripts_of_language(language(target))
    if not shares:
        return False
    if "" not in wanted and not wanted & shares.keys():
        # Latin names stand in every script's texts; a text in another script cannot be the target's.
        return "Latn" not in shares or len(LETTER.findall(text)) > NAME_LETTERS
    return len(LETTER.findall(text)) > NAME_LETTERS and detect(text, (source, target)) == source
