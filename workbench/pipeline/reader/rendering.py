"""Translates quoted text into the language of the answer and notes how that went.

A failure is visible: the original stays and the note says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from workbench.core import Translation, TranslationFailed, Translator
from workbench.languages import KATAKANA, language, script_of

NAME = regex.compile(
    r"\p{Lu}[\p{L}\p{M}'’]+(?:[ -]\p{Lu}[\p{L}\p{M}'’]*\.?)*"
    rf"|[{KATAKANA}]+(?:・[{KATAKANA}]+)*"
)
KIND_LABELS = {
    "exact": "an exact match in the translation memory",
    "fuzzy": "a near match in the translation memory",
    "gloss": "a word-by-word gloss",
    "mixed": "the translation memory and word-by-word glosses",
    "model": "a translation model",
    "same": "no translation needed",
}

LEAST_MATCH = 0.5
"""A gloss that knew a smaller share of the words is not shown: the original says more."""
LEAST_COMPARED_MATCH = 0.3
"""A gloss of a question that knew a smaller share of the words is not compared with passages."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A text, in the target language where that was possible; the translation, if there was one; the note on it."""

    text: str
    note: str = ""
    translation: Translation | None = None


def try_translate(translator: Translator, text: str, source: str, target: str) -> Translation | None:
    """The translation, None where it failed."""
    try:
        return translator.translate([text], source, target)[0]
    except TranslationFailed:
        return None


def render(translator: Translator, text: str, source: str, target: str) -> Rendering:
    """`text` in `target`, or unchanged with a note that it could not be translated."""
    if source == target:
        return Rendering(text)
    names = language(source).name, language(target).name
    translation = try_translate(translator, text, source, target)
    if translation is None:
        return Rendering(text, f"Quoted in {names[0]}: it could not be translated to {names[1]}.")
    match = translation.match
    if match is not None and match < LEAST_MATCH:
        return Rendering(
            text,
            f"Quoted in {names[0]}: the translator knew too little of it ({match:.0%}) to say it in {names[1]}.",
        )
    matched = f", match {match:.2f}" if match is not None else ""
    note = f"Translated from {names[0]} to {names[1]} by {KIND_LABELS[translation.kind]}{matched}."
    return Rendering(translation.text, note, translation)


def transliterate_names(translator: Translator, text: str, source: str, target: str) -> Rendering:
    """`text` with its names in the script of `target`, as far as the translator knows them.

    Names are recognised by capitals or katakana; the note lists those that stayed in another script.
    """
    scripts = language(target).letter_scripts
    unknown: list[str] = []

    def in_script(match: regex.Match[str]) -> str:
        name: str = match.group()
        if script_of(name) in scripts:
            return name
        translation = try_translate(translator, name, source, target)
        if translation is None or script_of(translation.text) not in scripts:
            unknown.append(name)
            return name
        return translation.text

    rendered: str = NAME.sub(in_script, text)
    names = ", ".join(dict.fromkeys(unknown))
    return Rendering(rendered, f"Not known in the alphabet asked for: {names}." if unknown else "")
