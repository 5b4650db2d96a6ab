"""Labels out and in: downloads in every format, and an upload that is looked at before anything is imported."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import streamlit as st

from workbench.annotation import (
    LABEL_FORMATS,
    SETUPS,
    LabelPreview,
    export_labels,
    import_labels,
    preview_labels,
)
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import access, downloads, outcome, permitted, safe_html, signed_in
from workbench.ui.parts.badges import chip
from workbench.ui.parts.data_table import data_table
from workbench.ui.parts.folds import folded
from workbench.ui.parts.latest import latest
from workbench.ui.parts.safe_html import Html, element, text_block
from workbench.ui.parts.uploads import files_on_disk
from workbench.ui.parts.verb_button import verb_button

UPLOAD, PREVIEW = "inspect_import_file", "inspect_import_preview"
"""The session's keys for the upload, and for what was seen in which file."""


def draw_downloads(desk: LabellingDesk) -> None:
    """The labels as files, written when a button is pressed, and what other programs are set up with for them."""
    if not desk.labels.labels(desk.queue.id):
        return
    st.markdown("**Downloads**")
    with st.container(horizontal=True, gap="small"):
        for kind, form in LABEL_FORMATS.items():
            file = f"labels.{kind}{form.suffix}" if form.suffix == ".json" else f"labels{form.suffix}"
            downloads.button(
                f"Labels ({form.title})",
                signed_in.at_click(partial(_file, desk, kind)),
                file,
                f"inspect_download_{kind}",
                **permitted.control("labels.export"),
            )
    with st.container(horizontal=True, gap="small"):
        for kind, setup in SETUPS.items():
            downloads.button(
                setup.title,
                partial(setup.write, desk.taxonomy, desk.queue.annotators_per_item),
                f"{kind}.{setup.ending}",
                f"inspect_download_{kind}_setup",
                icon="settings",
                help="Set up a project with this before you load the labels into it.",
            )


def _file(desk: LabellingDesk, kind: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"labels{LABEL_FORMATS[kind].suffix}"
        export_labels(result_frames.store(), desk.queue, kind, path, access.workbench().corpus_as_of)
        return path.read_bytes()


@permitted.form("labels.import")
@folded("Import labels", "upload", "inspect_import")
def upload() -> None:
    """The upload, what it would import or why it cannot, and the button that imports it."""
    outcome.show(UPLOAD)
    st.caption(
        "A file that was downloaded here, or the JSON of a project in Label Studio or Argilla that was filled from "
        "here. Each row finds its queue by name. If one row is wrong, nothing is imported."
    )
    types = sorted({form.suffix.removeprefix(".") for form in LABEL_FORMATS.values()})
    # After each import the control is a new, empty one.
    number = st.session_state.get(f"{UPLOAD}_number", 0)
    file = st.file_uploader("File of labels", types, key=f"{UPLOAD}_{number}")
    if file is None:
        return
    with access.guarded(), files_on_disk([file]) as (path,):
        # Looked at once for each upload, since it takes its turn with everybody who labels.
        preview = latest(PREVIEW, file.file_id, lambda: preview_labels(result_frames.store(), path))
        safe_html.show(preview_lines(preview))
        if preview.problems:
            problems = [{"Row": row, "Why it cannot be imported": why} for row, why in preview.problems]
            data_table(problems, hide_index=True, key="inspect_import_problems")
            return
        added = preview.result.added
        if verb_button(
            f"Import {added:,} labels",
            "labels.import",
            key="inspect_import_confirm",
            icon="check",
            kind="primary",
            disabled=not added,
        ):
            result = import_labels(result_frames.store(), path)
            outcome.keep(UPLOAD, f"{result.added:,} labels were imported.")
            st.session_state[f"{UPLOAD}_number"] = number + 1
            st.rerun()


def preview_lines(preview: LabelPreview) -> Html:
    """What an import would do, by queue and by person."""
    result = preview.result
    if preview.problems:
        words = f"{len(preview.problems):,} of {preview.rows:,} rows cannot be imported, so none is."
        return element("div", text_block(words), css="wb-message wb-error", role="alert")
    counts = [f"{preview.rows:,} rows: {result.added:,} new", f"{result.unchanged:,} are already here"]
    if result.older:
        counts.append(f"{result.older:,} are older than what is here, which stays")
    names = [chip(name, f"{number:,}") for name, number in (*preview.queues.items(), *preview.annotators.items())]
    return element("div", text_block(", ".join(counts) + "."), element("div", *names, css="wb-row"))
