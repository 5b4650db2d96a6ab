"""The form for adding documents: files are uploaded, previewed, and added by a process of their own.

Everything but the controls is read from the workspace, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import streamlit as st

from workbench.core import UsageError
from workbench.data import ENDINGS, NAMES, SAMPLE, checked_name, missing_for
from workbench.jobs import IntakeChoices, IntakeJobs, IntakeParameters, IntakePreview, OcrPages, Verb, stored_preview
from workbench.languages import known_languages
from workbench.pipeline import make_recipe
from workbench.ui.ask import ask_state
from workbench.ui.data import index_view
from workbench.ui.parts import access, job_card, permitted, safe_html, uploads
from workbench.ui.parts.badges import citation_line, hue, language_badge, language_words
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, table, text_block
from workbench.workspace import Job

NEW = ""
DETECTED = ""
DEFAULT_NAME = "my-documents"
CHUNKING: Mapping[str, str] = {
    "passages-100": "Complete sentences up to 100 words",
    "words-100": "100 words, or 100 characters, cut anywhere",
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
LANGUAGES_LISTED = 30
"""Documents whose language can be set one by one."""


def draw_choices(job_id: str, before: IntakeChoices, preview: IntakePreview | None) -> IntakeChoices:
    """The controls; returns what they hold."""
    job = job_id[:8]
    corpora = [manifest.name for manifest in access.manifests() if manifest.name != SAMPLE]
    left, middle, right = st.columns(3, gap="medium")
    target: str = left.selectbox(
        "Add to",
        [NEW, *corpora],
        index=corpora.index(before.corpus) + 1 if before.corpus in corpora else 0,
        key=f"documents_corpus_{job}",
        format_func=lambda name: name or "A new corpus",
        help="Create a new corpus, or add to an existing one the documents that it lacks.",
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
            help="Otherwise nothing is added if the corpus has a document of the same name with another text.",
        )
    chunking: str = middle.selectbox(
        "Split into passages of",
        [before.chunking, *(name for name in NAMES if name != before.chunking)],
        key=f"documents_chunking_{job}",
        format_func=lambda name: CHUNKING.get(name, name),
        help="The unit that is searched and cited. 100 words cut anywhere (characters in scripts without spaces): "
        "Chirkova et al. (2024). 1,000 characters: Singh et al. (n.d.). 512 tokens: Kim et al. (2024).",
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
    with_furniture = middle.toggle(
        "Keep references and the like",
        before.with_furniture,
        key=f"documents_furniture_{job}",
        help="Lists of references and links, tables of contents, and what repeats on every page become passages, too.",
    )
    language = right.selectbox(
        "Language of the documents",
        _languages(),
        index=_languages().index(before.language),
        key=f"documents_language_{job}",
        format_func=_language_words,
        help="Detected for each passage; choose one to override.",
    )
    with right:
        pages = _ocr(before.ocr, job)
    languages = _each(before, preview, job)
    return IntakeChoices(name, replaces, chunking, with_title, drop, with_furniture, pages, language, languages)


def needed(choices: IntakeChoices) -> str:
    """What is still missing before the documents can be added, in a sentence; "" for nothing."""
    return "" if choices.corpus else "Still needed: the name of the corpus."


def check_choices(choices: IntakeChoices) -> None:
    """Raises UsageError for a name that cannot be a corpus's."""
    if choices.corpus == SAMPLE:
        raise UsageError(
            f"The corpus “{SAMPLE}” belongs to the workbench and accepts no documents. Choose another name, for "
            f"example: {DEFAULT_NAME}"
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
        help="By Tesseract, on this machine. A scanned page takes a few seconds.",
        disabled=bool(missing),
    )
    if missing:
        safe_html.message(f"Scanned pages cannot be recognised. {missing}")
    return pages


def _each(before: IntakeChoices, preview: IntakePreview | None, job: str) -> dict[str, str]:
    """The languages of single documents."""
    documents = preview.documents[:LANGUAGES_LISTED] if preview else ()
    if len(documents) < 2 and not before.languages:
        return {}
    languages = dict(before.languages)
    with st.expander("Languages of single documents", icon=":material/translate:", key="documents_each"):
        for number, document in enumerate(documents):
            code = st.selectbox(
                safe_html.plain_label(document.name),
                _languages(),
                index=_languages().index(languages.get(document.name, DETECTED)),
                key=f"documents_language_{job}_{number}_{document.name}",
                format_func=_language_words,
            )
            if code:
                languages[document.name] = code
            else:
                languages.pop(document.name, None)
    return languages


def _languages() -> list[str]:
    return [DETECTED, *(language.code for language in known_languages())]


def _language_words(code: str) -> str:
    return language_words(code) if code else "Detect"


def _free_name(corpora: Sequence[str]) -> str:
    names = [DEFAULT_NAME, *(f"{DEFAULT_NAME}-{number}" for number in range(2, len(corpora) + 3))]
    return next(name for name in names if name not in corpora)


FILES_NAMED = 12
"""Files that are named in the line of files; further ones are counted."""
WARNINGS_LISTED = 60
"""Warnings that are shown."""


def files_line(names: Sequence[str]) -> Html:
    """The uploaded files by name."""
    more = [escaped(f"and {len(names) - FILES_NAMED:,} more")] if len(names) > FILES_NAMED else []
    return element("div", *(inline(name, css="wb-chip") for name in names[:FILES_NAMED]), *more, css="wb-row")


def summary(preview: IntakePreview) -> Html:
    """Counts of documents and passages, and the passages by language."""
    counts = f"{_count(preview.document_count, 'document')}, {_count(preview.passage_count, 'passage')}"
    languages = (
        element("span", language_badge(code), escaped(f" {count:,}")) for code, count in preview.languages.items()
    )
    doubtful = (
        escaped(
            f"The language of {_count(preview.doubtful, 'passage')} is not sure; set it below the files if it is wrong."
        )
        if preview.doubtful
        else NOTHING
    )
    row = element("div", element("b", escaped(counts)), *languages, css="wb-row")
    notes = (element("div", note, css="wb-muted") for note in (doubtful, escaped(preview.left_out)) if note)
    return joined([row, *notes])


def documents_table(preview: IntakePreview) -> Html:
    """One row per document with its pages, passages and languages."""
    rows = [
        [
            inline(document.name, css="wb-title"),
            escaped(f"{document.pages:,}" if document.pages else "–"),
            escaped(f"{document.passages:,}"),
            element("div", *(language_badge(code) for code in _most_first(document.languages)), css="wb-row wb-wide"),
        ]
        for document in preview.documents
    ]
    more = preview.document_count - len(rows)
    note = element("div", escaped(f"and {_count(more, 'document')} more"), css="wb-muted") if more > 0 else NOTHING
    return joined([table(["Document", "Pages", "Passages", "Languages"], rows), note])


def refused_list(preview: IntakePreview) -> Html:
    """A sentence for each file that cannot be read."""
    return refused_messages(preview.refused)


def refused_messages(refused: Mapping[str, str]) -> Html:
    """A sentence for each file that was not read."""
    return joined(
        element("div", text_block(sentence), css="wb-message wb-error", role="alert") for sentence in refused.values()
    )


def warnings_list(preview: IntakePreview) -> Html:
    """What could not be read, or not surely, page by page."""
    lines = [element("div", text_block(warning), css="wb-line") for warning in preview.warnings[:WARNINGS_LISTED]]
    more = preview.warning_count - len(lines)
    if more > 0:
        lines.append(element("div", escaped(f"and {_count(more, 'warning')} more"), css="wb-muted"))
    return joined(lines)


def duplicates_table(preview: IntakePreview) -> Html:
    """Pairs of passages that say nearly the same, by place."""
    rows = [
        [inline(second), inline(first), escaped(f"{share:.0%}")]
        for first, second, share in preview.duplicates[:WARNINGS_LISTED]
    ]
    return table(["Passage in", "Repeats one in", "Alike"], rows)


def passages_list(preview: IntakePreview) -> Html:
    """The first passages with their places and languages."""
    return joined(
        element(
            "article",
            element("header", language_badge(passage.language), inline(passage.title, passage.language, "wb-title")),
            citation_line(passage),
            text_block(passage.text, passage.language),
            css="wb-doc",
            hue=hue(passage.language),
        )
        for passage in preview.passages
    )


def result_words(job: Job) -> str:
    """What was added, in a sentence."""
    result = job.result
    left_out = f" {_count(len(result['refused']), 'file')} could not be read." if result["refused"] else ""
    kinds = f" {result['left_out']}" if result.get("left_out") else ""
    return (
        f"Ready: {_count(result['documents'], 'document')} with {_count(result['passages'], 'passage')} in the corpus "
        f"“{result['corpus']}”.{left_out}{kinds}"
    )


def _most_first(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda code: -counts[code])


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


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
    safe_html.show(files_line(names))
    if job.state in ("failed", "interrupted", "stopped"):
        _ended(job)
    choices = draw_choices(job.id, _choices(job), preview)
    if preview is not None:
        _preview(preview)
    lacking = needed(choices)
    if lacking:
        st.caption(lacking)
    is_current = preview is not None and choices.reads_as(_choices(job))
    with st.container(horizontal=True, gap="small", key="documents_actions"):
        empty = preview is not None and is_current and not preview.passage_count
        _button("Add", "add", job, choices, disabled=bool(lacking) or empty, primary=True)
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
                check_choices(choices)
            jobs().start(job.id, verb, choices)
        st.rerun()


def _ended(job: Job) -> None:
    words = {
        "failed": job.error,
        "stopped": "Stopped: nothing was added.",
        "interrupted": "The process that read the files stopped unexpectedly. Nothing was added; continue below.",
    }
    safe_html.message(words[job.state], "error" if job.state == "failed" else "note")


def _preview(preview: IntakePreview) -> None:
    st.subheader("Preview")
    safe_html.show(summary(preview))
    safe_html.show(refused_list(preview))
    if len(preview.documents) > 1 or any(document.pages for document in preview.documents):
        safe_html.show(documents_table(preview))
    if preview.warnings:
        with st.expander(f"Warnings ({preview.warning_count:,})", icon=":material/warning:", key="documents_warnings"):
            safe_html.show(warnings_list(preview))
    if preview.duplicates:
        title = f"Passages that nearly repeat an earlier one ({preview.duplicate_count:,})"
        with st.expander(title, icon=":material/content_copy:", key="documents_duplicates"):
            safe_html.show(duplicates_table(preview))
    if preview.passages:
        title = f"First passages ({len(preview.passages):,} of {preview.passage_count:,})"
        with st.expander(title, icon=":material/article:", key="documents_passages"):
            safe_html.show(passages_list(preview))


def _done(job: Job) -> None:
    corpus = job.result["corpus"]
    safe_html.message(result_words(job))
    safe_html.show(refused_messages(job.result["refused"]))
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
