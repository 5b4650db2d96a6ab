"""Demonstrations that a strong model writes: their writing as a job, and the review of each by a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from workbench.components import checked_judge
from workbench.core import Evidence
from workbench.jobs import (
    DEMONSTRATION_KINDS,
    LONGEST_TEXT,
    MOST_DEMONSTRATED,
    DemonstrationDraft,
    DemonstrationJobs,
    DemonstrationRequest,
    DemonstrationStore,
    DemonstrationWriting,
    DraftProgress,
    DraftSet,
    FileChoices,
    KeptForEvaluation,
    checked_checker,
    citation_problem,
    demonstrations_of,
    import_demonstrations,
    write_demonstrations,
)
from workbench.pipeline import SCOPES, TITLES
from workbench.ui.data import data_state
from workbench.ui.data.data_state import Selection
from workbench.ui.parts import access, downloads, outcome, permitted, safe_html, uploads
from workbench.ui.parts.badges import chip, hue, language_badge, language_words
from workbench.ui.parts.data_table import data_table
from workbench.ui.parts.folds import folded
from workbench.ui.parts.latest import latest
from workbench.ui.parts.safe_html import Html, element, escaped, fold, inline, joined, text_block
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.review.draft_review import WORDS, DraftReview, as_written, model_box, reviewer, starts, still_needed
from workbench.workspace import opened_store

PLAN = "demonstrations_plan"
"""The session's key for what writing takes, with what that was computed for."""
LEAKS = "demonstrations_leaks"
"""The session's key for why a set's file is refused, "" where it is not, and for which drafts."""
FILE = "demonstrations_upload"
"""How the keys of the import begin."""
KIND_TITLES = {"drag": "D-RAG", "rag": "Plain RAG", "translation": "Translation"}
PROMPT_TITLES = {"rag": "Plain RAG's (the paper's choice)", "drag": "D-RAG's (for the mode D-RAG)"}


def _store() -> DemonstrationStore:
    """The sets of demonstrations."""
    bench = access.workbench()
    return DemonstrationStore(opened_store(bench.settings.database_url), bench.registry.identifier)


def _jobs() -> DemonstrationJobs:
    """The writing of demonstrations in the workspace."""
    return DemonstrationJobs(access.workbench().settings)


def _origin(request: DemonstrationRequest) -> Sequence[Html]:
    if request.file:
        return (escaped("From the file "), inline(request.file, css="wb-title"))
    judge = [escaped(", judged by "), inline(request.judge)] if request.judge else [escaped(", judged by nobody")]
    dataset = inline(request.dataset, css="wb-title")
    return (escaped("From the dataset "), dataset, escaped(" by "), inline(request.generator), *judge)


def _source(draft: DemonstrationDraft) -> Html:
    """The question, its gold answers, and the documents that it was answered from."""
    head = element(
        "div", chip(KIND_TITLES[draft.kind]), language_badge(draft.language), chip(draft.group), css="wb-row"
    )
    golds = element("div", element("small", escaped("Gold: "), inline(" | ".join(draft.answers))), css="wb-muted")
    question = element("div", head, text_block(draft.question, draft.language, "wb-ask"), golds)
    if draft.prompt:
        return joined([question, *(fold(escaped(role), text_block(text)) for role, text in draft.prompt)])
    return joined([question, *map(_document, draft.evidence)])


def _fields(draft: DemonstrationDraft, keys: Sequence[str]) -> None:
    """The text, and what its citations lack."""
    help_ = "Change what is wrong. D-RAG's parts keep their labels."
    st.text_area("Answer", draft.text, key=keys[0], max_chars=LONGEST_TEXT, height=420, help=help_)
    safe_html.show(_citations(draft))


def _decided(draft: DemonstrationDraft) -> Html:
    """The text as it was decided, and as it was written where that differs."""
    written = as_written(draft.written_text, draft.language) if draft.is_edited else []
    return joined([text_block(draft.text, draft.language), _citations(draft), *written])


def _result(draft_set: DraftSet[DemonstrationRequest], stand: DraftProgress) -> None:
    """What became of the drafts by language, and the file."""
    counts = _store().counts(draft_set.name)
    with st.expander("By language", icon=":material/table:"):
        rows = [
            {"Language": language_words(code), "Became": WORDS[status], "Filter": name, "Drafts": count}
            for code, status, name, count in counts
        ]
        data_table(rows, hide_index=True)
    left, right = st.columns(2, gap="medium", vertical_alignment="bottom")
    prompt = left.selectbox(
        "Prompt before answers by D-RAG",
        list(PROMPT_TITLES),
        format_func=PROMPT_TITLES.__getitem__,
        key="demonstration_prompt",
        help="What a tuned model shall be asked with.",
    )
    name, store = draft_set.name, _store()

    library, count = access.dataset_library(), stand.count("draft", "accepted", "edited")

    def file() -> str:
        return write_demonstrations(demonstrations_of(store, library, name, FileChoices(prompt=prompt)))

    def refusal() -> tuple[str, tuple[int, ...]]:
        try:
            file()
        except KeptForEvaluation as error:
            return error.on_screen, error.numbers
        return "", ()

    # What is kept for evaluation by now is read once for each state of the set and of the datasets.
    sentence, numbers = latest(LEAKS, (name, stand, counts, prompt, access.datasets()), refusal)
    if sentence:
        safe_html.message(sentence, "error")
        outcome.show(LEAKS)
        label = f"Reject these {len(numbers):,}" if len(numbers) > 1 else "Reject it"
        help_ = "Under your name; Undo takes one back."
        verb_button(
            label, "drafts.review", _reject, name, numbers, key="demonstrations_reject", icon="close", help=help_
        )
        count = 0
    with right:
        help_ = "As trl reads them; what was held back or rejected is left out."
        label, is_empty = f"Download {count:,} demonstrations", not count
        downloads.button(label, file, f"{name}.jsonl", "demonstrations_file", help=help_, disabled=is_empty)


def _reject(name: str, numbers: Sequence[int]) -> None:
    with outcome.kept(LEAKS):
        _store().reject(name, numbers, reviewer())


def _form() -> None:
    """Which questions are answered, by which model, from which documents, and what is kept apart."""
    datasets = {item.name: list(item.languages) for item in access.datasets() if item.corpus}
    left, middle, right = st.columns(3, gap="medium")
    help_ = "Its questions are answered from its corpus."
    dataset: str = left.selectbox("Dataset", list(datasets), key="writing_dataset", help=help_)
    help_ = "The set's name."
    name = left.text_input("Name", key="writing_name", placeholder="my-demonstrations", help=help_).strip()
    kinds = left.multiselect(
        "Kinds", DEMONSTRATION_KINDS, ["drag"], key="writing_kinds", format_func=KIND_TITLES.__getitem__,
        help="Plain RAG is the control, from the same documents. Translations are pairs that are here already.",
    )  # fmt: skip
    with middle:
        generator = model_box("Generator", "demonstration_generator", "The strong model that answers.", builtin=True)
        judge = model_box("Judge", "demonstration_judge", "The model that judges each answer; empty: nobody does.")
    help_ = "The number of questions drawn in each language."
    number = int(
        middle.number_input("Questions per language", 1, MOST_DEMONSTRATED, 100, key="writing_number", help=help_)
    )
    languages = right.multiselect(
        "Languages", datasets[dataset], key=f"writing_languages_{dataset}", placeholder="All",
        format_func=language_words, help="The languages of the questions.",
    )  # fmt: skip
    help_ = "Each gives other documents, and so another demonstration."
    scopes = right.multiselect(
        "Languages searched", SCOPES, ["all"], key="writing_scopes", format_func=TITLES.__getitem__, help=help_
    )
    help_ = "They become a dataset of their own, in all languages, and are never demonstrated."
    holdout = int(right.number_input("Questions held out, %", 0, 90, 20, 5, key="writing_holdout", help=help_))
    if still_needed(name=name, kinds=kinds, generator=generator or kinds == ["translation"], scopes=scopes):
        return
    request = DemonstrationRequest(
        dataset,
        "",
        checked_checker(generator),
        checked_judge(judge),
        tuple(kind for kind in DEMONSTRATION_KINDS if kind in kinds),
        tuple(sorted(languages)),
        number,
        tuple(scopes),
        holdout=holdout / 100,
    )
    safe_html.message(_plan_text(name, request))
    if starts("demonstrations", request.generator):
        _jobs().start(name, request)
        st.rerun()


def _plan_text(name: str, request: DemonstrationRequest) -> str:
    """What writing takes, and what is left out."""
    ended = [(job.id, job.state) for job in _jobs().all()]

    return latest(
        PLAN, (name, request, ended), lambda: DemonstrationWriting(access.workbench(), name, request).sentence
    )


@permitted.form("drafts.write")
@folded("Import demonstrations", "upload_file", "demonstrations_import")
def _import() -> None:
    """A file as the set that is reviewed next."""
    left, right = st.columns([1.6, 1], gap="medium")
    file = left.file_uploader("File", ["jsonl"], key=FILE, help="JSON lines as trl reads them and as a set is written.")
    name = right.text_input("Name", key=f"{FILE}_name", placeholder="my-demonstrations", help="The set's name.").strip()
    if still_needed(file=file, name=name) or file is None:
        return
    if verb_button("Import", "drafts.write", key=f"{FILE}_take", icon="upload", kind="primary"):
        with st.spinner("Checking the file"), uploads.files_on_disk([file]) as (path,):
            import_demonstrations(_store(), access.dataset_library(), path, name)
        data_state.show(Selection(view="demonstrations", name=name))
        st.rerun()


def _document(item: Evidence) -> Html:
    passage = item.passage
    title = inline(passage.title or "(no title)", passage.language, "wb-title")
    # Inline, so that the fold's triangle is on the same line.
    pieces = (chip(f"[{item.rank}]"), language_badge(passage.language), title)
    head = element("span", *(each for piece in pieces for each in (piece, escaped(" "))))
    text = fold(head, text_block(passage.text, passage.language))
    return element("article", text, css="wb-doc", hue=hue(passage.language))


def _citations(draft: DemonstrationDraft) -> Html:
    """Whether what is cited is there, as far as letters show it."""
    if draft.prompt or draft.kind == "translation":
        return joined([])
    identify = access.workbench().registry.identifier()
    problem = citation_problem(draft.text, draft.question, draft.evidence, identify)
    sentence = problem[1] if problem else "Every citation and quotation is in the documents."
    return text_block(sentence, css="wb-muted")


VIEW: DraftReview[Any] = DraftReview(
    "demonstrations",
    "demonstrations",
    "A strong model can answer the questions of a dataset by D-RAG. What is right and follows the instructions "
    "demonstrates to a smaller model how to answer: the file is what it is tuned on.",
    _store, _jobs, _form, _origin, _source, _fields, _decided, _result, _import,
)  # fmt: skip
