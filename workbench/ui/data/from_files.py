"""Formats that are one file, or several in one language: what is imported from them, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.data import uploading
from workbench.ui.data.formats import SQUAD, Source
from workbench.ui.shared import uploads

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from workbench.datasets.collection import Collection

Read = Callable[[Sequence[Path]], "Collection"]

VARIETIES = ("zh_tw", "zh_hk")
"""MKQA's varieties of Chinese besides `zh`, which is its zh_cn."""
TASKS = {None: "As in the file name", False: "Full", True: "English span"}


def draw(kind: str, needed: list[str]) -> Source | None:
    """The upload and the options of a format; None as long as something is missing, which `needed` then names."""
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        files = uploading.files(kind)
    with right:
        read = _squad() if kind == SQUAD else _choices(kind)
    if not files:
        needed.append("file")
    if not read:
        needed.append("language")
    return source(files, read) if files and read else None


def source(files: Sequence[UploadedFile], read: Read) -> Source:
    """The source that puts the files on disk and reads them."""

    @contextmanager
    def opened() -> Iterator[Collection]:
        with uploads.files_on_disk(files) as paths:
            yield read(paths)

    return opened


def _squad() -> Read | None:
    from workbench.datasets.importing import squad_collection

    code = uploading.one_language(SQUAD)
    aligned = st.toggle(
        "Aligned across languages",
        key="data_aligned",
        help="The n-th paragraph is the same passage in every language imported this way, as in XQuAD: a gold passage "
        "then counts in whichever language it is retrieved.",
    )
    return (lambda paths: squad_collection(paths, code, aligned=aligned)) if code else None


def _choices(kind: str) -> Read:
    if kind == "natural-questions":
        from workbench.datasets.formats.natural_questions import read_natural_questions

        return lambda paths: read_natural_questions(paths[0])
    languages = uploading.languages("Languages", kind, more=VARIETIES if kind == "mkqa" else ())
    if kind == "mkqa":
        from workbench.datasets.formats.mkqa import read_mkqa

        aliases = st.toggle(
            "Aliases are gold answers",
            value=True,
            key="data_aliases",
            help="Other spellings and names of an answer count as right. Chirkova et al. (2024), Table 1, has none: "
            "turn this off to compare with it.",
        )
        return lambda paths: read_mkqa(paths[0], languages, aliases=aliases)
    if kind == "xor-tydi":
        from workbench.datasets.formats.xor_tydi import read_xor_tydi

        task = st.selectbox("Task", list(TASKS), key="data_task", format_func=TASKS.__getitem__)
        return lambda paths: read_xor_tydi(paths[0], languages, english_span=task)
    return _tydi_qa(languages)


def _tydi_qa(languages: Sequence[str]) -> Read:
    from workbench.datasets.formats.tydi_qa import read_gold_passages, read_tydi_qa

    only = uploading.questions_only("tydi-qa")

    def read(paths: Sequence[Path]) -> Collection:
        gold = paths[0].name.lower().endswith(".json")
        collection = (read_gold_passages if gold else read_tydi_qa)(paths[0], languages)
        return collection.without_passages() if only else collection

    return read
