"""The form for importing data: a format, its files or its name on the hub, and what to import of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from workbench.corpora.corpus_library import checked_name
from workbench.corpora.sample import SAMPLE
from workbench.datasets.dataset_library import DatasetLibrary
from workbench.experiments.experiment import make_experiment
from workbench.indexing.index_report import start_on_demand
from workbench.recipes.recipe import make_recipe
from workbench.ui.ask import ask_url
from workbench.ui.data import from_files, from_folders, from_hub, from_table, index_view, selection_state, uploading
from workbench.ui.data.data_url import Selection
from workbench.ui.data.formats import FORMATS, HUB, TABLE, Source
from workbench.ui.runs import matrix_form
from workbench.ui.shared import access, safe_html

if TYPE_CHECKING:
    from workbench.datasets.importing import Existing, ImportResult

DONE = "data_done"
"""The session's key for the last import: its summary, the dataset and its corpus, "" for none."""
EXISTING: Mapping[Existing, str] = {"replace": "Replace them", "add": "Add to them"}


def outcome() -> None:
    """The summary of the last import and what to do next, until it is closed."""
    if DONE not in st.session_state:
        return
    words, name, corpus = st.session_state[DONE]
    safe_html.message(words)
    manifest = next((item for item in access.manifests() if item.name == corpus), None)
    if manifest is not None:
        index_view.draw(manifest, "imported")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="data_next_steps"):
        if corpus:
            recipe = make_recipe({"corpus": corpus})
            params = ask_url.to_params(ask_url.Choice(recipe=recipe))
            st.page_link("pages/ask.py", label="Ask a question of it", icon=":material/search:", query_params=params)
        if st.button("Run an experiment with it", key="data_run", icon=":material/play_circle:"):
            st.session_state[matrix_form.CURRENT] = make_experiment({"datasets": [name], "questions": 10})
            st.switch_page("pages/runs.py")
        st.button("Close", key="data_close", icon=":material/close:", type="tertiary", on_click=_close)


def draw() -> None:
    """The form. An import reads and checks everything before anything is stored."""
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
    needed: list[str] = []
    source = _source(kind, needed)
    existing = _existing(name.strip(), needed)
    if not name.strip():
        needed.insert(0, "name")
    if needed or source is None:
        st.caption(f"Still needed: {', '.join(needed)}.")
    elif st.button("Import", key="data_take", type="primary", icon=":material/upload:"):
        _import(source, name.strip(), limit or None, seed, existing)


def _source(kind: str, needed: list[str]) -> Source | None:
    if kind == TABLE:
        return from_table.draw(needed)
    if kind == HUB:
        return from_hub.draw(needed)
    return from_folders.draw(kind, needed) if FORMATS[kind].upload == "folder" else from_files.draw(kind, needed)


def _existing(name: str, needed: list[str]) -> Existing:
    """What becomes of the questions that a dataset of this name has; asked only where there is one."""
    info = next((item for item in access.datasets() if item.name == name and name != SAMPLE), None)
    if info is None:
        return ""
    counts = ", ".join(f"{code} {count:,}" for code, count in info.languages.items())
    safe_html.message(
        f"The dataset “{name}” already has questions: {counts}. It comes from: {info.source or 'unknown'}"
    )
    decision: Existing | None = st.radio(
        "Questions in a language that it already has",
        list(EXISTING),
        index=None,
        key=f"data_existing_{name}",
        format_func=EXISTING.__getitem__,
        horizontal=True,
    )
    if decision is None:
        needed.append("replace or add")
    return decision or ""


def _import(source: Source, name: str, limit: int | None, seed: int, existing: Existing) -> None:
    from workbench.datasets.importing import import_collection

    checked_name(name, "dataset")
    bench = access.workbench()
    library, place = DatasetLibrary(bench.settings.datasets), st.empty()

    def progress(phase: str, done: int, total: int) -> None:
        share = f" · {done:,} of {total:,}" if total else ""
        place.progress(done / total if total else 0.0, text=f"Importing: {phase}{share}")

    with st.spinner("Reading and checking"), source() as collection:
        result = import_collection(
            bench.library, library, collection, name, limit=limit, seed=seed, existing=existing, progress=progress
        )
    place.empty()
    if result.corpus is not None:
        start_on_demand(bench, result.corpus)
    st.session_state[DONE] = summary(result), name, result.dataset.corpus
    st.session_state[selection_state.NEXT] = Selection(name=name)
    uploading.empty()
    st.rerun()


def summary(result: ImportResult) -> str:
    """The result of an import in sentences: questions, passages, what was left out and what may not be meant so."""
    counts = ", ".join(f"{code} {count:,}" for code, count in result.dataset.languages.items())
    parts = [f"Dataset “{result.dataset.name}” now has these questions: {counts}."]
    if result.corpus:
        parts.append(f"Corpus “{result.corpus.name}” has {result.corpus.passages:,} passages.")
    left_out = "; ".join(f"{count:,} {reason}" for reason, count in result.left_out.items())
    parts.append(f"Left out: {left_out}." if left_out else "None left out.")
    return " ".join([*parts, *result.warnings])


def _close() -> None:
    del st.session_state[DONE]
