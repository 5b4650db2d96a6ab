"""Formats that are one file, or several in one language: what is imported from them, and how they are read."""

from __future__ import annotations

from functools import partial

import streamlit as st

from workbench.jobs import DatasetSource
from workbench.ui.imports import uploading
from workbench.ui.imports.formats import SQUAD, Upload
from workbench.ui.parts import uploads

VARIETIES = ("zh_tw", "zh_hk")
"""MKQA's varieties of Chinese besides `zh`, which is its zh_cn."""
TASKS = {None: "As in the file name", False: "Full", True: "English span"}


def draw(kind: str, needed: list[str]) -> Upload | None:
    """The upload and the options of a format; None as long as something is missing, which `needed` then names."""
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        files = uploading.files(kind)
    with right:
        source = _squad() if kind == SQUAD else _choices(kind)
    if not files:
        needed.append("file")
    if not source:
        needed.append("language")
    return Upload(source, partial(uploads.numbered, files)) if files and source else None


def _squad() -> DatasetSource | None:
    code = uploading.one_language(SQUAD)
    aligned = st.toggle(
        "Aligned across languages",
        key="data_aligned",
        help="The n-th paragraph is the same passage in every language imported this way, as in XQuAD: a gold passage "
        "then counts in whichever language it is retrieved.",
    )
    return DatasetSource(SQUAD, code, aligned=aligned) if code else None


def _choices(kind: str) -> DatasetSource:
    if kind == "natural-questions":
        return DatasetSource(kind)
    languages = uploading.languages("Languages", kind, more=VARIETIES if kind == "mkqa" else ())
    if kind == "mkqa":
        aliases = st.toggle(
            "Aliases are gold answers",
            value=True,
            key="data_aliases",
            help="Other spellings and names of an answer count as right. Chirkova et al. (2024), Table 1, has none: "
            "turn this off to compare with it.",
        )
        return DatasetSource(kind, languages=languages, aliases=aliases)
    if kind == "xor-tydi":
        task = st.selectbox(
            "Task",
            list(TASKS),
            key="data_task",
            format_func=TASKS.__getitem__,
            help="Full: answers in the question's language. English span: words of the English Wikipedia.",
        )
        return DatasetSource(kind, languages=languages, english_span=task)
    return DatasetSource(kind, languages=languages, questions_only=uploading.questions_only(kind))
