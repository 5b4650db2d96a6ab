"""Adding documents: files are uploaded and previewed, what they hold comes first, and a process of its own adds them.

Everything but the controls is read from the workspace, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

import streamlit as st

from workbench.data import ENDINGS, NAMES, SAMPLE, is_of_files, missing_for
from workbench.experiments import counted
from workbench.jobs import IntakeChoices, IntakeJobs, IntakeParameters, IntakePreview, OcrPages, Verb, stored_preview
from workbench.languages import known_languages
from workbench.ui.ask import ask_state
from workbench.ui.data import data_view, index_view
from workbench.ui.parts import access, folds, job_card, outcome, permitted, safe_html, uploads
from workbench.ui.parts.badges import language_badge, language_words
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
CHOICES = "documents_choices"
"""The session's key for the choices of an upload, by its job: their controls are drawn only when opened."""


def _choices(job: Job, preview: IntakePreview | None) -> IntakeChoices:
    """What becomes of the files: as chosen, else in place of files of the same names, else beside one's other files."""
    kept: IntakeChoices | None = st.session_state.get(f"{CHOICES}_{job.id}")
    before = kept or job.read(IntakeParameters).choices
    if before.corpus:
        return before
    of_files = sorted(filter(is_of_files, access.manifests()), key=lambda manifest: manifest.built, reverse=True)
    names = [manifest.name for manifest in of_files]
    having = next((name for name in (preview.having if preview else ()) if name in names), "")
    corpora = [manifest.name for manifest in access.manifests()]
    return replace(before, corpus=having or next(iter(names), _free_name(corpora)), replaces=bool(having))


def _options(job_id: str, before: IntakeChoices, preview: IntakePreview | None) -> IntakeChoices:
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
            _free_name(corpora) if before.corpus in corpora else before.corpus,
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
    languages = dict(before.languages)
    if len(documents) < 2 and not languages:
        return {}
    st.markdown("**Languages of single documents**")
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
"""Files that are named in a line; further ones are counted."""
LISTED = 60
"""Warnings, and near-duplicates, that are shown."""


def _headline(documents: int, passages: str, refused: int, rest: str = "") -> Html:
    """What there is, first: documents, passages, files that were refused."""
    words = f"{counted(documents, 'document')}, {passages}" + (f", {refused:,} refused" if refused else "")
    return element("div", escaped(f"{words}{rest}"), css="wb-said wb-long")


def summary(preview: IntakePreview) -> Html:
    """The headline, the passages by language, and what else is to be known before the documents are added."""
    passages = counted(preview.passage_count, "passage")
    languages = (
        element("span", language_badge(code), escaped(f" {count:,}")) for code, count in preview.languages.items()
    )
    notes = [
        f"Read for this preview: the beginning of {_listed(preview.unfinished)}. Adding reads all of it."
        if preview.unfinished
        else "",
        f"The language of {counted(preview.doubtful, 'passage')} is not sure; set it under Options if it is wrong."
        if preview.doubtful
        else "",
        preview.left_out,
    ]
    head = _headline(
        preview.document_count, f"more than {passages}" if preview.unfinished else passages, len(preview.refused)
    )
    lines = (element("div", escaped(note), css="wb-muted") for note in notes if note)
    return joined([head, element("div", *languages, css="wb-row"), *lines])


def _documents_table(preview: IntakePreview) -> Html:
    """One row per document with its pages, passages and languages."""
    rows = [
        [
            inline(document.name, css="wb-title"),
            escaped(f"{document.pages:,}" if document.pages else "–"),
            escaped(f"{document.passages:,}"),
            element(
                "div",
                *map(language_badge, sorted(document.languages, key=lambda code: -document.languages[code])),
                css="wb-row wb-wide",
            ),
        ]
        for document in preview.documents
    ]
    more = preview.document_count - len(rows)
    note = element("div", escaped(f"and {counted(more, 'document')} more"), css="wb-muted") if more > 0 else NOTHING
    return joined([table(["Document", "Pages", "Passages", "Languages"], rows), note])


def _refused(refused: Mapping[str, str]) -> Html:
    """A sentence for each file that was not read."""
    if not refused:
        return NOTHING
    return element("div", *map(text_block, refused.values()), css="wb-message wb-error", role="alert")


def _listed(names: Sequence[str]) -> str:
    more = len(names) - FILES_NAMED
    return ", ".join(names[:FILES_NAMED]) + (f" and {more:,} more" if more > 0 else "")


UPLOADS = "documents_uploads"
"""The session's key for the number of uploads: each gives the control a new key, and so empties it."""
PLACE = "documents"
"""The place where it is said why an upload or a button did nothing."""


def jobs() -> IntakeJobs:
    """The uploads of the workspace."""
    return IntakeJobs(access.workbench().settings)


@permitted.form("corpora.add")
def draw() -> None:
    """The control for files, and the latest upload."""
    latest = next(iter(jobs().all()), None)
    with st.container(key="data_documents", border=latest is not None), access.guarded():
        _upload(latest)
        outcome.show(PLACE)
        if latest is not None and (latest.active or _is_added(latest)):
            job_card.draw(jobs(), latest, JobWords("documents", progress_words), _done)
        elif latest is not None:
            _draft(latest)


def _upload(latest: Job | None) -> None:
    """The control for files: they join those that wait for Add, or begin a new upload."""
    if latest is not None and latest.active:
        return
    draft = latest if latest is not None and not _is_added(latest) else None
    number = st.session_state.get(UPLOADS, 0)
    files = st.file_uploader(
        "Add more files" if draft else "Add documents",
        list(ENDINGS),
        accept_multiple_files=True,
        key=f"documents_files_{number}",
        help="PDF, DOCX, PPTX, XLSX, CSV, HTML, Markdown, TXT, EPUB, JSONL, or a ZIP of these, in any language. They "
        "stay on this machine, and answers cite file and page. Nothing is added before you press Add.",
    )
    if not files:
        return
    st.session_state[UPLOADS] = number + 1
    with outcome.kept(PLACE):
        named = uploads.plain_names(files)
        uploads.check_places(named)
        job_id = jobs().stage(
            ((path.name, file.getbuffer()) for path, file in zip(named, files, strict=True)),
            draft.id if draft else "",
        )
        jobs().start(job_id, "preview", draft.read(IntakeParameters).choices if draft else IntakeChoices())
        if latest is not None and draft is None:
            jobs().discard(latest.id)
    st.rerun()


def _is_added(job: Job) -> bool:
    """Whether the files are in their corpus; otherwise they are a draft, previewed or not."""
    return job.state == "done" and job.read(IntakeParameters).verb == "add"


def progress_words(job: Job) -> str:
    """What is being done, in words."""
    verb = "Adding" if job.read(IntakeParameters).verb == "add" else "Preview"
    noun = "" if job.phase.startswith("reading ") else "passages"
    words = job_card.count_words(job.done, job.total, noun)
    return f"{verb}: {job.phase}{words if noun else words.replace(' · ', ' ')}"


def _draft(job: Job) -> None:
    """Files that are staged: what they hold, the buttons, and, folded, the choices and what was read of them."""
    preview = stored_preview(jobs().preview(job.id))
    choices, read_as = _choices(job, preview), job.read(IntakeParameters).choices
    if job.state in ("failed", "interrupted", "stopped"):
        _ended(job)
    names = _listed([path.name for path in jobs().files(job.id).paths()])
    files = element("div", inline(names), css="wb-muted")
    safe_html.show(joined([summary(preview), files, _refused(preview.refused)]) if preview else files)
    actions = st.container(gap="small", key="documents_actions")
    options = st.expander("Options", icon=":material/tune:", key="documents_options", on_change="rerun")
    if options.open:
        with options:
            choices = _options(job.id, choices, preview)
        st.session_state[f"{CHOICES}_{job.id}"] = choices
    if preview is not None and preview.passage_count:
        _details(preview)
    with actions:
        _actions(job, choices, preview, is_current=preview is not None and choices.reads_as(read_as))


def _actions(job: Job, choices: IntakeChoices, preview: IntakePreview | None, *, is_current: bool) -> None:
    """What happens next, in a sentence, and the buttons for it."""
    is_new = choices.corpus not in [manifest.name for manifest in access.manifests()]
    there = preview.having.get(choices.corpus, ()) if preview and not is_new else ()
    corpus = safe_html.plain_label(choices.corpus)
    label = "Add" if is_new else f"Add to {corpus}"
    if is_new:
        note = f"They become the corpus {choices.corpus}." if choices.corpus else "Name the corpus under Options."
    else:
        note = ""
        if there and choices.replaces and preview:
            them = "it" if len(there) == 1 else "them"
            everything = len(there) == preview.document_count
            label = f"Replace {them} in {corpus}" if everything else f"Add to {corpus}, replacing {len(there):,}"
            note = f"{choices.corpus} already has {_listed(there)}. The old text no longer answers once it is replaced."
    if note:
        safe_html.show(element("div", escaped(note), css="wb-muted"))
    empty = is_current and preview is not None and not preview.passage_count
    with st.container(horizontal=True, gap="small"):
        _button(label, "add", job, choices, disabled=empty or not choices.corpus)
        if not is_current:
            _button("Preview again" if preview else "Preview", "preview", job, choices)
        st.button("Discard", key="documents_discard", icon=":material/close:", type="tertiary", on_click=_discard,
                  args=(job.id,))  # fmt: skip


def _button(label: str, verb: Verb, job: Job, choices: IntakeChoices, *, disabled: bool = False) -> None:
    pressed = st.button(
        label,
        key=f"documents_{verb}",
        type="primary" if verb == "add" else "secondary",
        icon=":material/playlist_add:" if verb == "add" else ":material/preview:",
        disabled=disabled,
    )
    if pressed:
        with outcome.kept(PLACE):
            jobs().start(job.id, verb, choices)
        st.rerun()


def _ended(job: Job) -> None:
    words = {
        "failed": job.error,
        "stopped": "Stopped: nothing was added.",
        "interrupted": "The process that read the files stopped unexpectedly. Nothing was added; continue below.",
    }
    safe_html.message(words[job.state], "error" if job.state == "failed" else "note")


def _details(preview: IntakePreview) -> None:
    """What was read: documents, warnings, near-duplicates, the first passages."""
    also = [counted(preview.warning_count, "warning")] if preview.warning_count else []
    also += [counted(preview.duplicate_count, "near-duplicate")] if preview.duplicate_count else []
    title = "What was read" + (f": {', '.join(also)}" if also else "")
    folds.draw(title, "article", "documents_read", lambda: _read(preview))


def _read(preview: IntakePreview) -> None:
    lines = [element("div", text_block(warning), css="wb-line") for warning in preview.warnings[:LISTED]]
    lines += [escaped(f"and {more:,} more")] if (more := preview.warning_count - len(lines)) > 0 else []
    pairs = [
        [inline(second), inline(first), escaped(f"{share:.0%}")] for first, second, share in preview.duplicates[:LISTED]
    ]
    for name, content in (
        (f"Documents ({preview.document_count:,})", _documents_table(preview)),
        ("Warnings", joined(lines)),
        ("Near-duplicates", table(["Passage in", "Repeats one in", "Alike"], pairs) if pairs else NOTHING),
        ("First passages", data_view.passages_list(preview.passages, ids=False)),
    ):
        if content:
            safe_html.show(joined([element("div", escaped(name), css="wb-label"), content]))


def _done(job: Job) -> None:
    """What was added, first, and the way to ask about it."""
    result, corpus = job.result, job.result["corpus"]
    refused: Mapping[str, str] = result["refused"]
    passages = counted(result["passages"], "passage")
    head = _headline(result["documents"], passages, len(refused), f" in {corpus}")
    left_out = element("div", escaped(result.get("left_out", "")), css="wb-muted")
    safe_html.show(joined([head, left_out, _refused(refused)]))
    manifest = next((item for item in access.manifests() if item.name == corpus), None)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="documents_next"):
        if manifest is not None and st.button(
            "Ask about these", key="documents_ask", icon=":material/search:", type="primary"
        ):
            params = ask_state.Choice(recipe=access.default_recipe(corpus=corpus)).to_params()
            st.switch_page("pages/ask.py", query_params=params)
        st.button("Close", key="documents_close", icon=":material/close:", type="tertiary", on_click=_discard,
                  args=(job.id,))  # fmt: skip
    if manifest is not None:
        index_view.draw(manifest, "documents")


def _discard(job_id: str) -> None:
    with outcome.kept(PLACE):
        jobs().discard(job_id)
