"""The documents of an instance as its generator read them, with English as an aid to reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from workbench.core import Evidence, Translation, TranslationFailed, is_gold, page_key
from workbench.experiments import Instance, Retrace, retrace
from workbench.languages import ENGLISH, is_known
from workbench.pipeline import BUILTIN, Recipe
from workbench.ui.ask import documents
from workbench.ui.ask.answer_view import translation_line
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.latest import latest
from workbench.ui.parts.safe_html import NOTHING, Html, element, joined, text_block

TRACE = "inspect_trace"
"""The session's key for the trace that was read last, and of what."""
IN_ENGLISH = "inspect_english"
ENGLISH_HELP = (
    "By the built-in translation memory and word list, as an aid to reading: the generator did not see it, and nothing "
    "is sent."
)
CORPUS_GONE = "The corpus of this answer is no longer in the workspace, so its documents cannot be shown."


def trace_of(instance: Instance) -> Retrace:
    """How an instance came about; read once while the instance is open."""

    def read() -> Retrace:
        traces = [Retrace(note=CORPUS_GONE)]
        with access.caught(lambda _: None), st.spinner("Reading the documents"):
            traces.append(retrace(access.workbench(), instance))
        return traces[-1]

    return latest(TRACE, (access.workbench().settings.database_url, instance.answer), read)


def reads_english() -> bool:
    """The switch for English next to texts in other languages."""
    return st.toggle("Show English", key=IN_ENGLISH, help=ENGLISH_HELP)


def shows_english(language: str) -> bool:
    """Whether English is shown next to texts in a language now."""
    return bool(st.session_state.get(IN_ENGLISH)) and language != ENGLISH and is_known(language)


def english(text: str, language: str) -> Html:
    """A text in English with how it was translated; nothing where it is English or cannot be translated."""
    if not text.strip() or language == ENGLISH or not is_known(language):
        return NOTHING
    translator = access.workbench().registry.translator(BUILTIN)
    try:
        (translation,) = translator.translate([text], language, ENGLISH)
    except TranslationFailed:
        return text_block("This text cannot be translated here.", ENGLISH, "wb-muted")
    return joined([translation_line(translation), text_block(translation.text, ENGLISH, "wb-muted")])


def draw(
    instance: Instance, evidence: Sequence[Evidence], golds: Sequence[str], *, in_english: bool, blind: bool = False
) -> None:
    """The documents of an instance in their order, its `golds` stated.

    Where `blind` without what tells the mode: their scores, and the translations that the generator read.
    """
    shown = [replace(each, scores={}, translation=None) for each in evidence] if blind else evidence
    aids: Mapping[int, Translation] = {}
    if in_english and documents.can_be_read_in_english(shown):
        aids = access.workbench().evidence_in_english(shown, Recipe())
    ranks = [str(each.rank) for each in evidence if is_gold(each.passage, golds)]
    if ranks:
        noun = "On a gold page" if any(map(page_key, golds)) else "Gold passages" if len(ranks) > 1 else "Gold passage"
        words = f"{noun}: {'documents' if len(ranks) > 1 else 'document'} {', '.join(ranks)}"
        safe_html.show(element("div", safe_html.escaped(words), css="wb-muted"))
    corpus = partial(access.workbench().corpus_as_of, instance.run.corpus, instance.run.corpus_version)
    documents.draw(shown, (), aids, corpus, "inspect")
