"""The form for importing data: a format, its files or its name on the hub, and what to import of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from workbench.corpora.corpus_library import checked_name
from workbench.datasets.dataset_library import DatasetLibrary
from workbench.ui.data import from_files, from_folders, from_hub, from_table, uploading
from workbench.ui.data.formats import FORMATS, HUB, TABLE, Source
from workbench.ui.shared import access, safe_html

if TYPE_CHECKING:
    from workbench.datasets.importing import ImportResult

DONE = "data_done"
"""The session's key for the summary of an import, shown once."""
SHOWN, SHOWN_CORPUS = "data_dataset", "data_corpus"
"""The keys of the controls for the dataset and the corpus that are shown."""


def draw() -> None:
    """The form. An import reads and checks everything before anything is stored."""
    if result := st.session_state.pop(DONE, ""):
        safe_html.message(result)
    left, middle, right = st.columns([1.6, 1, 0.8], gap="medium")
    kind: str = left.selectbox("Format", list(FORMATS), key="data_format", format_func=lambda name: FORMATS[name].title)
    name = middle.text_input(
        "Name", key="data_name", placeholder="my-dataset", help="Lower-case letters, digits, - and _."
    )
    limit = int(
        right.number_input(
            "Questions per language",
            0,
            10_000_000,
            key="data_limit",
            help="0 imports all; else a sample, by seed.",
        )
    )
    seed = int(right.number_input("Seed", 0, 2**31 - 1, key="data_seed")) if limit else 0
    st.caption(FORMATS[kind].description)
    source = _source(kind)
    if source is None:
        st.caption("Complete the fields above to import.")
    elif st.button("Import", key="data_take", type="primary", icon=":material/upload:"):
        _import(source, name.strip(), limit or None, seed)


def _source(kind: str) -> Source | None:
    if kind == TABLE:
        return from_table.draw()
    if kind == HUB:
        return from_hub.draw()
    return from_folders.draw(kind) if FORMATS[kind].upload == "folder" else from_files.draw(kind)


def _import(source: Source, name: str, limit: int | None, seed: int) -> None:
    from workbench.datasets.importing import import_collection

    checked_name(name, "dataset")
    bench = access.workbench()
    library, place = DatasetLibrary(bench.settings.datasets), st.empty()

    def progress(phase: str, done: int, total: int) -> None:
        share = f" · {done:,} of {total:,}" if total else ""
        place.progress(done / total if total else 0.0, text=f"Importing: {phase}{share}")

    with st.spinner("Reading and checking"), source() as collection:
        result = import_collection(bench.library, library, collection, name, limit=limit, seed=seed, progress=progress)
    place.empty()
    st.session_state[DONE], st.session_state[SHOWN] = summary(result), name
    if result.corpus:
        st.session_state[SHOWN_CORPUS] = name
    uploading.empty()
    st.rerun()


def summary(result: ImportResult) -> str:
    """The result of an import in up to three sentences: questions, passages, and what was left out."""
    counts = ", ".join(f"{code} {count:,}" for code, count in result.dataset.languages.items())
    parts = [f"Dataset “{result.dataset.name}” now has these questions: {counts}."]
    if result.corpus:
        parts.append(f"Corpus “{result.corpus.name}” has {result.corpus.passages:,} passages.")
    if result.left_out:
        parts.append("Left out: " + "; ".join(f"{count:,} {reason}" for reason, count in result.left_out.items()) + ".")
    return " ".join(parts)
