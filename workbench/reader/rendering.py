"""Brings quoted text into the language asked for, and says how that went.

A failure is visible: the original stays and the note says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from workbench.errors import TranslationFailed
from workbench.languages import language, script_of
from workbench.languages.normalise import scripts_of_language
from workbench.protocols import Translator
from workbench.records import Translation

NAME = regex.compile(
    r"\p{Lu}[\p{L}\p{M}'’]+(?:[ -]\p{Lu}[\p{L}\p{M}'’]*\.?)*|[\p{Katakana}\u30FC]+(?:・[\p{Katakana}\u30FC]+)*"
)
KINDS = {
    "exact": "an exact match in the translation memory",
    "fuzzy": "a near match in the translation memory",
    "gloss": "a word-by-word gloss",
    "mixed": "the translation memory and word-by-word glosses",
    "model": "a translation model",
    "same": "no translation needed",
}

LEAST_MATCH = 0.3
"""A gloss that knew a smaller share of the words is not shown: the original says more."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text in the wanted language where that could be had, the translation if one was made, and what to say."""

    text: str
    note: str = ""
    translation: Translation | None = None


def attempt(translator: Translator, text: str, source: str, target: str) -> Translation | None:
    """The translation, None where there is none."""
    try:
        return translator.translate([text], source, target)[0]
    except TranslationFailed:
        return None


def render(translator: Translator, text: str, source: str, target: str) -> Rendered:
    """`text` in `target`, or as it was with a note that it could not be translated."""
    if source == target:
        return Rendered(text)
    names = language(source).name, language(target).name
    made = attempt(translator, text, source, target)
    if made is None:
        return Rendered(text, f"Quoted in {names[0]}: it could not be translated to {names[1]}.")
    if made.match is not None and made.match < LEAST_MATCH:
        return Rendered(
            text,
            f"Quoted in {names[0]}: the translator knew too little of it ({made.match:.0%}) to say it in {names[1]}.",
        )
    match = f", match {made.match:.2f}" if made.match is not None else ""
    return Rendered(made.text, f"Translated from {names[0]} to {names[1]} by {KINDS[made.kind]}{match}.", made)


def respell(translator: Translator, text: str, source: str, target: str) -> Rendered:
    """Writes names in `target`'s alphabet as far as the translator knows them; names are seen by capitals or kana."""
    alphabet = scripts_of_language(language(target))
    left: list[str] = []

    def spelt(match: regex.Match[str]) -> str:
        name: str = match.group()
        if script_of(name) in alphabet:
            return name
        made = attempt(translator, name, source, target)
        if made is None or script_of(made.text) not in alphabet:
            left.append(name)
            return name
        return made.text

    done: str = NAME.sub(spelt, text)
    listed = ", ".join(dict.fromkeys(left))
    return Rendered(done, f"Not known in the alphabet asked for: {listed}." if left else "")
