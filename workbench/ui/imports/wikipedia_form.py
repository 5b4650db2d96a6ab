"""The form that makes a corpus of Wikipedia's files, uploaded or laid into the server's folder for them; and its jobs.

The import is a job of its own process. Everything but the controls is read from the workspace, so it is the same in
every tab and after leaving the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import UsageError
from workbench.data import NAMES
from workbench.experiments import counted
from workbench.jobs import FOLDER, WikipediaImports, WikipediaRequest, incoming_files
from workbench.ui.data import index_view
from workbench.ui.documents.add_form import CHUNKING
from workbench.ui.parts import access, job_card, permitted, safe_html, uploads
from workbench.ui.parts.folds import folded
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.verb_button import verb_button
from workbench.workspace import Job

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

ENDINGS = ("xml", "bz2", "gz", "parquet", "json", "jsonl")
UPLOADS = "wikipedia_uploads"
"""The session's key for the number of imports: each gives the controls new keys, and so empties them."""
LINKS = ("langlinks.sql", "wb_items_per_site.sql")
"""What the name of a table of links holds."""


def jobs() -> WikipediaImports:
    """The imports of the workspace."""
    return WikipediaImports(access.workbench().settings)


def outcome() -> None:
    """Each import: how far it is, or what came of it and what to do next, until that is closed."""
    job_card.draw_all(jobs(), WORDS, _done)


def progress_words(job: Job) -> str:
    """What is being done, in words."""
    words = f"Importing “{job.title}”: {job.phase}"
    if not job.phase.startswith("reading "):
        return f"{words}{job_card.count_words(job.done, job.total, 'passages')}"
    share = f" · {100 * job.share:.0f} %" if job.total else ""
    pace = job.result.get("rate", 0.0)
    rate = f" · {pace:,.0f} pages per second" if pace else ""
    return f"{words}{share} · {job.result.get('articles', 0):,} articles stored{rate}"


WORDS = JobWords(
    "wikipedia",
    progress_words,
    lambda job: f"Articles stored: {job.result.get('articles', 0):,}. Resume it, or discard what was read.",
)


def _done(job: Job) -> None:
    name, suffix = job.title, job_card.suffix(job.id)
    passages, articles = job.result["passages"], job.result.get("articles", 0)
    safe_html.message(f"Corpus “{name}” has {counted(passages, 'passage')} of {counted(articles, 'article')}.")
    index_view.draw_imported(name, f"wikipedia{suffix}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"wikipedia_next{suffix}"):
        index_view.ask_link(name)
        job_card.discard(jobs(), job, "wikipedia_close")


@permitted.form("corpora.add")
@folded("Import Wikipedia", "public", "data_wikipedia")
def draw() -> None:
    """The form."""
    st.caption(
        "Articles in any language from Wikipedia's files: pages-articles dumps, files of wikimedia/wikipedia or of "
        "Cohere's embedded Wikipedia, or KILT's pages. Nothing is downloaded."
    )
    number = st.session_state.get(UPLOADS, 0)
    incoming = incoming_files(access.workbench().settings.home)
    links = [item.name for item in incoming if any(part in item.name for part in LINKS)]
    articles = [item.name for item in incoming if item.name not in links and item.name.lower().endswith(ENDINGS)]
    sizes = {item.name: f"{item.size / 1e6:,.1f} MB" for item in incoming}

    def listed(name: str) -> str:
        return f"{safe_html.plain_label(name)} ({sizes[name]})" if name else "None"

    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        selected = st.multiselect(
            "Files on the server",
            articles,
            key=f"wikipedia_incoming_{number}",
            placeholder="Select files" if articles else "None there yet",
            format_func=listed,
            help=f"Dumps are too large to upload: whoever runs the server puts them into the folder “{FOLDER}” of the "
            "workspace, and they are listed here.",
        )
        uploaded = st.file_uploader(
            "Or upload small files",
            list(ENDINGS),
            accept_multiple_files=True,
            key=f"wikipedia_files_{number}",
            help=f"At most {st.get_option('server.maxUploadSize')} MB each.",
        )
    with right:
        name = st.text_input(
            "Name of the corpus",
            key=f"wikipedia_name_{number}",
            placeholder="wiki",
            help="Lower-case letters, digits, - and _.",
        ).strip()
        chunking = st.selectbox(
            "Split into passages of",
            ["", *NAMES[1:]],
            key=f"wikipedia_chunking_{number}",
            format_func=lambda method: CHUNKING[method or NAMES[0]],
            help="100 words, or 100 characters in scripts without spaces, as in Chirkova et al. (2024). Files with "
            "vectors are split already; leave this as it is for them.",
        )
        table = st.selectbox(
            "Links between languages",
            ["", *links],
            key=f"wikipedia_links_{number}",
            format_func=listed,
            help="enwiki-latest-langlinks.sql.gz, or Wikidata's wb_items_per_site.sql.gz, on the server: articles "
            "about the same thing then share a group.",
        )
    needed = [*([] if name else ["name"]), *([] if selected or uploaded else ["file"])]
    if needed:
        st.caption(f"Still needed: {', '.join(needed)}.")
    elif verb_button("Import", "corpora.add", key="wikipedia_take", icon="upload", kind="primary"):
        _start(uploaded, WikipediaRequest(name, tuple(selected), table, chunking), number)


def _start(uploaded: Sequence[UploadedFile], request: WikipediaRequest, number: int) -> None:
    """Stages the uploaded files and starts the job."""
    names = uploads.plain_names(uploaded)
    uploads.check_places(names)
    if twice := sorted({str(name) for name in names} & set(request.files)):
        raise UsageError(f"The file “{twice[0]}” is both uploaded and selected on the server. Leave one of them out.")
    job = jobs().stage((str(name), file.getbuffer()) for name, file in zip(names, uploaded, strict=True))
    with job_card.discarded_if_refused(jobs(), job):
        jobs().start(job, replace(request, files=(*request.files, *map(str, names))))
    st.session_state[UPLOADS] = number + 1
    st.rerun()
