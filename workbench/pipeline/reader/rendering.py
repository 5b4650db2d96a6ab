"""How a quotation is said in the user's language and alphabet: translated, in the original with its values, respelt.

A translation that fails is visible: the original stays and the note says so. A gloss, word by word, reads like a
sentence and is wrong, so it is never shown as the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from workbench.core import AnswerClaim, Task, Translation, TranslationFailed, Translator
from workbench.languages import ENGLISH, KATAKANA, language, script_of

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

FULL = ("exact", "fuzzy", "model", "same")
"""Kinds of translation that are of complete sentences."""
RELIABLE_MATCH = 0.75
"""From this match a translation counts as the sentence itself; below it the memory has another sentence."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A text, in the target language where that was possible; the translation, if there was one; the note on it.

    `claims` are its statements, where it is made of several.
    """

    text: str
    note: str = ""
    translation: Translation | None = None
    claims: tuple[AnswerClaim, ...] = ()


def try_translate(translator: Translator, text: str, source: str, target: str) -> Translation | None:
    """The translation, None where it failed."""
    try:
        return translator.translate([text], source, target)[0]
    except TranslationFailed:
        return None


def _asks(text: str) -> bool:
    """Whether a text ends like a question. The memory holds questions too, and they are like their answers."""
    return text.rstrip('"”’»」』）)] ').endswith(("?", "？", "؟"))


def render(translator: Translator, text: str, source: str, target: str) -> Rendering:
    """`text` in `target`, or unchanged with a note where only a gloss, or less, is known."""
    if source == target:
        return Rendering(text)
    names = language(source).name, language(target).name
    translation = try_translate(translator, text, source, target)
    match = None if translation is None else translation.match
    is_poor = translation is None or translation.kind not in FULL or (match is not None and match < RELIABLE_MATCH)
    if translation is None or is_poor or _asks(translation.text) > _asks(text):
        return Rendering(text, f"Quoted in {names[0]}: there is no reliable translation to {names[1]}.")
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


def reliable_english(text: str, source: str, translator: Translator) -> str:
    """`text` in English, "" where the translator only guesses at it."""
    if source == ENGLISH:
        return text
    translation = try_translate(translator, text, source, ENGLISH)
    if translation is None or translation.kind == "gloss":
        return ""
    return translation.text if translation.match is None or translation.match >= RELIABLE_MATCH else ""


def question_with_english(task: Task, translator: Translator) -> str:
    """The question, followed by its English where that is reliable: names in either are no answer to it."""
    return f"{task.question} {reliable_english(task.question, task.language, translator)}"
