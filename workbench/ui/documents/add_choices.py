"""What becomes of uploaded files: their corpus, how they are split, and in which language they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import streamlit as st

from workbench.core import UsageError
from workbench.data import NAMES, SAMPLE, checked_name, missing_for
from workbench.jobs import IntakeChoices, IntakePreview, OcrPages
from workbench.languages import known_languages
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.badges import language_words

NEW = ""
DETECTED = ""
DEFAULT_NAME = "my-documents"
CHUNKING: Mapping[str, str] = {
    "words-100": "100 words, or 100 characters",
    "characters-1000-150": "Up to 1,000 characters, 150 repeated",
    "tokens-512-50": "512 tokens, 50 repeated",
    "sentences-1024-200": "Complete sentences up to 1,024 tokens",
    "semantic": "Where the meaning changes most",
}
PAGES: Mapping[OcrPages, str] = {
    "missing": "Where the text layer is missing or broken",
    "all": "All pages",
    "off": "No page",
}
LISTED = 30
"""Documents whose language can be set one by one."""


def draw(job_id: str, before: IntakeChoices, preview: IntakePreview | None) -> IntakeChoices:
    """The controls; returns what they hold."""
    job = job_id[:8]
    corpora = [item.name for item in access.manifests() if item.name != SAMPLE]
    left, middle, right = st.columns(3, gap="medium")
    target: str = left.selectbox(
        "Add to",
        [NEW, *corpora],
        index=corpora.index(before.corpus) + 1 if before.corpus in corpora else 0,
        key=f"documents_corpus_{job}",
        format_func=lambda name: name or "A new corpus",
        help="A new corpus, or one that takes the documents which it does not have yet.",
    )
    replaces = before.replaces
    if target == NEW:
        name = left.text_input(
            "Name of the corpus",
            before.corpus or _free_name(corpora),
            key=f"documents_name_{job}",
            help="Lower-case letters, digits, - and _.",
        ).strip()
    else:
        name = target
        replaces = left.toggle(
            "Replace documents of the same name",
            before.replaces,
            key=f"documents_replaces_{job}",
            help="Otherwise nothing is added where the corpus has a document of the same name with another text.",
        )
    chunking: str = middle.selectbox(
        "Split into passages of",
        [before.chunking, *(name for name in NAMES if name != before.chunking)],
        key=f"documents_chunking_{job}",
        format_func=lambda name: CHUNKING.get(name, name),
        help="The unit that is searched and cited. 100 words (characters in scripts without spaces): Chirkova et al. "
        "(2024). 1,000 characters: Singh et al. (n.d.). 512 tokens: Kim et al. (2024).",
    )
    with_title = middle.toggle(
        "Put the title before each passage",
        before.with_title,
        key=f"documents_title_{job}",
        help="The document's title is searched with each of its passages, as Chirkova et al. (2024) do.",
    )
    drop = middle.toggle(
        "Leave out near-duplicates",
        before.drop_duplicates,
        key=f"documents_drop_{job}",
        help="Passages that nearly repeat an earlier one are not added.",
    )
    language = right.selectbox(
        "Language of the documents",
        _languages(),
        index=_languages().index(before.language),
        key=f"documents_language_{job}",
        format_func=_language_words,
        help="Detected for each passage, unless you know better.",
    )
    with right:
        pages = _ocr(before.ocr, job)
    languages = _each(before, preview, job)
    return IntakeChoices(name, replaces, chunking, with_title, drop, pages, language, languages)


def needed(choices: IntakeChoices) -> str:
    """What is still missing before the documents can be added, in a sentence; "" for nothing."""
    return "" if choices.corpus else "Still needed: the name of the corpus."


def check(choices: IntakeChoices) -> None:
    """Raises UsageError for a name that cannot be a corpus's."""
    if choices.corpus == SAMPLE:
        raise UsageError(
            f"The corpus “{SAMPLE}” belongs to the workbench and takes no documents. Choose another name, for example: "
            f"{DEFAULT_NAME}"
        )
    checked_name(choices.corpus, "corpus")


def _ocr(before: OcrPages, job: str) -> OcrPages:
    """When pages are recognised from their image; what is missing where they cannot be."""
    missing = missing_for(())
    pages: OcrPages = st.selectbox(
        "Recognise pages from their image",
        list(get_args(OcrPages)),
        index=get_args(OcrPages).index(before),
        key=f"documents_ocr_{job}",
        format_func=PAGES.__getitem__,
        help="By Tesseract, on this machine. A scanned page takes some seconds.",
        disabled=bool(missing),
    )
    if missing:
        safe_html.message(f"Scanned pages cannot be recognised. {missing}")
    return pages


def _each(before: IntakeChoices, preview: IntakePreview | None, job: str) -> dict[str, str]:
    """The languages of single documents."""
    documents = preview.documents[:LISTED] if preview else ()
    if len(documents) < 2 and not before.languages:
        return {}
    languages = dict(before.languages)
    with st.expander("Languages of single documents", icon=":material/translate:", key="documents_each"):
        for number, item in enumerate(documents):
            code = st.selectbox(
                safe_html.plain_label(item.name),
                _languages(),
                index=_languages().index(languages.get(item.name, DETECTED)),
                key=f"documents_language_{job}_{number}_{item.name}",
                format_func=_language_words,
            )
            if code:
                languages[item.name] = code
            else:
                languages.pop(item.name, None)
    return languages


def _languages() -> list[str]:
    return [DETECTED, *(item.code for item in known_languages())]


def _language_words(code: str) -> str:
    return language_words(code) if code else "Detect"


def _free_name(corpora: Sequence[str]) -> str:
    names = [DEFAULT_NAME, *(f"{DEFAULT_NAME}-{number}" for number in range(2, len(corpora) + 3))]
    return next(name for name in names if name not in corpora)
