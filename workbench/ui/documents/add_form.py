"""The form for adding documents: files are uploaded, previewed, and added by a process of their own.

Everything but the controls is read from the workspace, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

import streamlit as st

from workbench.data import ENDINGS
from workbench.jobs import IntakeChoices, IntakeJobs, IntakeParameters, IntakePreview, Verb, stored_preview
from workbench.pipeline import make_recipe
from workbench.ui.ask import ask_state
from workbench.ui.data import index_view
from workbench.ui.documents import add_choices, preview_view
from workbench.ui.parts import access, job_card, permitted, safe_html, uploads
from workbench.ui.parts.job_card import JobWords
from workbench.workspace import Job

UPLOADS = "documents_uploads"
"""The session's key for the number of uploads: each gives the control a new key, and so empties it."""
PROBLEM = "documents_problem"
"""The session's key for why an upload or a button did nothing, in a sentence."""


def jobs() -> IntakeJobs:
    """The uploads of the workspace."""
    return IntakeJobs(access.workbench().settings)


@permitted.form("corpora.add")
def draw() -> None:
    """The expander with the control for files and the latest upload."""
    uploaded = jobs().all()
    opened = st.expander("Add documents", icon=":material/note_add:", key="data_documents", expanded=bool(uploaded))
    with opened, access.guarded():
        st.caption(
            "PDF, DOCX, PPTX, XLSX, CSV, HTML, Markdown, TXT, EPUB, JSONL, or a ZIP of these, in any language. They "
            "stay on this machine. Answers then cite the file and the page."
        )
        _upload(uploaded[0] if uploaded else None)
        if problem := st.session_state.pop(PROBLEM, ""):
            safe_html.message(problem, "error")
        for job in uploaded[:1]:
            _job(job)


def _upload(latest: Job | None) -> None:
    """The control for files: they join those that wait for Add, or begin a new upload."""
    if latest is not None and latest.active:
        return
    draft = latest if latest is not None and not _is_added(latest) else None
    number = st.session_state.get(UPLOADS, 0)
    files = st.file_uploader(
        "More files" if latest else "Files",
        list(ENDINGS),
        accept_multiple_files=True,
        key=f"documents_files_{number}",
        help=f"At most {st.get_option('server.maxUploadSize')} MB each. Nothing is added before you press Add.",
    )
    if not files:
        return
    st.session_state[UPLOADS] = number + 1
    with access.caught(_refuse):
        named = [uploads.safe_path(file.name.replace("\\", "/").rsplit("/", 1)[-1]) for file in files]
        uploads.check_places(named)
        job_id = jobs().stage(
            ((path.name, file.getbuffer()) for path, file in zip(named, files, strict=True)),
            draft.id if draft else "",
        )
        jobs().start(job_id, "preview", _choices(draft) if draft else IntakeChoices())
        if latest is not None and draft is None:
            jobs().discard(latest.id)
    st.rerun()


def _choices(job: Job) -> IntakeChoices:
    return job.read(IntakeParameters).choices


def _is_added(job: Job) -> bool:
    """Whether the files are in their corpus; otherwise they are a draft, previewed or not."""
    return job.state == "done" and job.read(IntakeParameters).verb == "add"


def _job(job: Job) -> None:
    if job.active or _is_added(job):
        job_card.draw(jobs(), job, JobWords("documents", progress_words), _done)
    else:
        _draft(job)


def progress_words(job: Job) -> str:
    """What is being done, in words."""
    verb = "Adding" if job.read(IntakeParameters).verb == "add" else "Reading for the preview"
    return f"{verb}: {job.phase}{job_card.count_words(job.done, job.total, 'passages')}"


def _draft(job: Job) -> None:
    """Files that are staged: what they would become, the choices, and the buttons."""
    names = [path.name for path in jobs().files(job.id).paths()]
    preview = stored_preview(jobs().preview(job.id))
    safe_html.show(preview_view.files_line(names))
    if job.state in ("failed", "interrupted", "stopped"):
        _ended(job)
    choices = add_choices.draw(job.id, _choices(job), preview)
    if preview is not None:
        _preview(preview)
    needed = add_choices.needed(choices)
    if needed:
        st.caption(needed)
    is_current = preview is not None and choices.reads_as(_choices(job))
    with st.container(horizontal=True, gap="small", key="documents_actions"):
        empty = preview is not None and is_current and not preview.passage_count
        _button("Add", "add", job, choices, disabled=bool(needed) or empty, primary=True)
        _button("Preview again" if preview else "Preview", "preview", job, choices, disabled=is_current)
        st.button("Discard", key="documents_discard", icon=":material/close:", type="tertiary", on_click=_discard,
                  args=(job.id,))  # fmt: skip


def _button(label: str, verb: Verb, job: Job, choices: IntakeChoices, *, disabled: bool, primary: bool = False) -> None:
    pressed = st.button(
        label,
        key=f"documents_{verb}",
        type="primary" if primary else "secondary",
        icon=":material/playlist_add:" if verb == "add" else ":material/preview:",
        disabled=disabled,
    )
    if pressed:
        with access.caught(_refuse):
            if verb == "add":
                add_choices.check(choices)
            jobs().start(job.id, verb, choices)
        st.rerun()


def _ended(job: Job) -> None:
    words = {
        "failed": job.error,
        "stopped": "Stopped: nothing was added.",
        "interrupted": "The process that read the files was ended. Nothing was added; go on below.",
    }
    safe_html.message(words[job.state], "error" if job.state == "failed" else "note")


def _preview(preview: IntakePreview) -> None:
    st.subheader("Preview")
    safe_html.show(preview_view.summary(preview))
    safe_html.show(preview_view.refused_list(preview))
    if len(preview.documents) > 1 or any(item.pages for item in preview.documents):
        safe_html.show(preview_view.documents_table(preview))
    if preview.warnings:
        with st.expander(f"Warnings ({preview.warning_count:,})", icon=":material/warning:", key="documents_warnings"):
            safe_html.show(preview_view.warnings_list(preview))
    if preview.duplicates:
        title = f"Passages that nearly repeat an earlier one ({preview.duplicate_count:,})"
        with st.expander(title, icon=":material/content_copy:", key="documents_duplicates"):
            safe_html.show(preview_view.duplicates_table(preview))
    if preview.passages:
        title = f"First passages ({len(preview.passages):,} of {preview.passage_count:,})"
        with st.expander(title, icon=":material/article:", key="documents_passages"):
            safe_html.show(preview_view.passages_list(preview))


def _done(job: Job) -> None:
    corpus = job.result["corpus"]
    safe_html.message(preview_view.result_words(job))
    safe_html.show(preview_view.refused_messages(job.result["refused"]))
    manifest = next((item for item in access.manifests() if item.name == corpus), None)
    if manifest is not None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="documents_next"):
            params = ask_state.Choice(recipe=make_recipe({"corpus": corpus})).to_params()
            st.page_link(
                "pages/ask.py", label="Ask about these documents", icon=":material/search:", query_params=params
            )
            st.button("Close", key="documents_close", icon=":material/close:", type="tertiary", on_click=_discard,
                      args=(job.id,))  # fmt: skip
        index_view.draw(manifest, "documents")
    else:
        st.button("Close", key="documents_close", icon=":material/close:", on_click=_discard, args=(job.id,))


def _discard(job_id: str) -> None:
    with access.caught(_refuse):
        jobs().discard(job_id)


def _refuse(sentence: str) -> None:
    st.session_state[PROBLEM] = sentence
