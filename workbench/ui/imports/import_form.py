"""The form for importing a dataset: a format, its files or its name on the hub, and what to import of them.

The import is a job of its own process. Everything but the controls is read from the workspace, so it is the same in
every tab and after leaving the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.data import SAMPLE, DatasetFormat, Folder, checked_name, dataset_formats
from workbench.experiments import make_experiment
from workbench.jobs import DatasetImports, DatasetRequest, DatasetSource
from workbench.ui.data import data_state, index_view
from workbench.ui.data.data_state import Selection
from workbench.ui.imports import column_form, source_form
from workbench.ui.imports.source_form import Upload
from workbench.ui.parts import access, job_card, permitted, safe_html
from workbench.ui.parts.folds import folded
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.runs import matrix_form
from workbench.workspace import Job

if TYPE_CHECKING:
    from workbench.data import Existing

STARTED = "data_started"
"""The session's key for the jobs that were begun here: the first run after their end shows their dataset."""
EXISTING: Mapping[Existing, str] = {"replace": "Replace them", "add": "Add to them"}


def jobs() -> DatasetImports:
    """The imports of the workspace."""
    return DatasetImports(access.workbench().settings)


def settle() -> None:
    """Before any control is drawn: the dataset of an import that was begun here and is complete is shown next."""
    begun: list[str] = st.session_state.get(STARTED, [])
    for job in begun:
        status = jobs().job(job)
        if status is not None and status.state == "done":
            data_state.show(Selection(name=status.title))
            source_form.empty()
        if status is None or status.state == "done":
            st.session_state[STARTED] = [item for item in begun if item != job]


def outcome() -> None:
    """Each import: how far it is, or what came of it and what to do next, until that is closed."""
    job_card.draw_all(jobs(), WORDS, _done)


def progress_words(job: Job) -> str:
    """What is being done, in words."""
    return f"Importing “{job.title}”: {job.phase}{job_card.count_words(job.done, job.total, 'passages')}"


WORDS = JobWords(
    "data_import", progress_words, lambda _: "Nothing was imported. The uploaded files are kept.", "Import again"
)


def _done(job: Job) -> None:
    """The result and the next steps."""
    name, corpus, suffix = job.title, job.result["corpus"], job_card.suffix(job.id)
    safe_html.message(job.result["summary"])
    index_view.draw_imported(corpus, f"imported{suffix}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"data_next_steps{suffix}"):
        index_view.ask_link(corpus)
        if verb_button("Run an experiment with it", "runs.start", key=f"data_run{suffix}", icon="play_circle"):
            st.session_state[matrix_form.CURRENT] = make_experiment({"datasets": [name], "questions": 10})
            st.switch_page("pages/runs.py")
        job_card.discard(jobs(), job, "data_close")


@permitted.form("datasets.add")
@folded("Import a dataset", "upload_file", "data_import")
def draw() -> None:
    """The form. An import reads and checks everything before the dataset and its corpus are stored."""
    left, middle, right = st.columns([1.6, 1, 0.8], gap="medium")
    kind: str = left.selectbox(
        "Format",
        list(dataset_formats()),
        key="data_format",
        format_func=lambda name: dataset_formats()[name].title,
        help="What the files are; what each format needs is below.",
    )
    name = middle.text_input(
        "Name", key="import_name", placeholder="my-dataset", help="Lower-case letters, digits, - and _."
    )
    limit = int(
        right.number_input(
            "Questions per language",
            0,
            10_000_000,
            key="data_limit",
            help="0 imports all questions; any other number draws that many at random per language.",
        )
    )
    drawn = "The same seed draws the same questions."
    seed = int(right.number_input("Seed", 0, 2**31 - 1, key="data_seed", help=drawn)) if limit else 0
    form = dataset_formats()[kind]
    st.caption(form.description)
    needed: list[str] = []
    upload, options = _controls(form, needed)
    existing = _existing(name.strip(), needed)
    if not name.strip():
        needed.insert(0, "name")
    if needed or upload is None:
        st.caption(f"Still needed: {', '.join(needed)}.")
    elif verb_button("Import", "datasets.add", key="data_take", icon="upload", kind="primary"):
        source = DatasetSource(form.name, options, upload.name)
        _import(upload, DatasetRequest(name.strip(), source, limit, seed, existing))


def _controls(form: DatasetFormat, needed: list[str]) -> tuple[Upload | None, dict[str, Any]]:
    """What is imported, and the options; None as long as something is missing, which `needed` then names."""
    if any(option.kind == "column" for option in form.options):
        return column_form.draw(form, needed)
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        upload = source_form.select(form, needed)
    if upload is None and isinstance(form.source, Folder):
        return None, {}  # what can be selected depends on its files
    with right:
        # A further file is only for the command line, and so is an option that needs it.
        shown = [option for option in form.options if option.kind != "file" and not option.needs]
        return upload, source_form.options(form, shown, upload.paths if upload else (), needed)


def _existing(name: str, needed: list[str]) -> Existing:
    """What becomes of the questions that a dataset of this name has; asked only where there is one."""
    info = next((dataset for dataset in access.datasets() if dataset.name == name and name != SAMPLE), None)
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


def _import(upload: Upload, request: DatasetRequest) -> None:
    """Stages the files and starts the job."""
    checked_name(request.name, "dataset")
    with st.spinner("Storing the files"):
        job = jobs().stage((path, file.getbuffer()) for path, file in upload.staged())
    with job_card.discarded_if_refused(jobs(), job):
        jobs().start(job, request)
    st.session_state[STARTED] = [*st.session_state.get(STARTED, []), job]
    st.rerun()
