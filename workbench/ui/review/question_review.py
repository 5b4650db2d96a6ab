"""Questions that a generator writes from a corpus: their writing as a job, and the review of each draft by a person.

Jobs are read from the workspace, so they are the same in every tab and after leaving the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from workbench.core import UsageError
from workbench.jobs import (
    COUNTED,
    DECIDED,
    LONGEST_ANSWER,
    LONGEST_QUESTION,
    MOST_PER_LANGUAGE,
    NAME_LIMIT,
    Draft,
    DraftProgress,
    DraftSet,
    DraftStore,
    SetWriting,
    Status,
    WritingJobs,
    WritingRequest,
    checked_writer,
    create_dataset,
)
from workbench.pipeline import EXTRACTIVE, make_recipe
from workbench.ui.data import data_state
from workbench.ui.data.data_state import DECISIONS, SESSION, Decision, Selection
from workbench.ui.parts import access, folds, job_card, outcome, permitted, safe_html
from workbench.ui.parts.badges import chip, hue, language_badge, language_words
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.latest import latest
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, text_block
from workbench.ui.parts.verb_button import verb_button
from workbench.workspace import Job, opened_store

KEY = "review_"
REVIEWER = "review_reviewer"
"""The session's key for the name of who reviews."""
PLAN = "writing_plan"
"""The session's key for what writing takes, with what that was computed for."""
NO_MODEL = (
    "No language model is ready to write questions: Settings shows which key to set or which model to download, and a "
    "model of your own server can be named below as openai-like:MODEL@ENDPOINT."
)
SHOWN: Mapping[Decision, tuple[Status, ...]] = {
    "waiting": ("draft",),
    "filtered": ("filtered",),
    "accepted": COUNTED,
    "rejected": ("rejected",),
}
WORDS: Mapping[Status, str] = {
    "unwritten": "not written yet",
    "draft": "to review",
    "filtered": "held back",
    "accepted": "accepted",
    "edited": "accepted with changes",
    "rejected": "rejected",
}


def names() -> list[str]:
    """The names of the sets that can be reviewed, the newest first."""
    return [item.name for item in _store().sets()]


def draw(sets: Sequence[str], selection: Selection) -> None:
    """The view from top to bottom; without a set, how to start one."""
    SESSION.show_notice()
    outcome.show(KEY)
    if not sets:
        st.markdown(
            "A generator can write questions from the passages of a corpus. They wait here until a person accepts "
            "them, and then become a dataset."
        )
    _writing(opened=not sets)
    if not sets:
        return
    store = _store()
    draft_set, stand = store.set_called(selection.name), store.progress(selection.name)
    _controls(sets, stand)
    safe_html.show(progress_line(draft_set, stand))
    drafts = store.drafts(selection.name, SHOWN[selection.decision])
    if drafts:
        _draft(drafts, selection)
    else:
        safe_html.message(f"No draft here: {DECISIONS[selection.decision].lower()}, 0 of {stand.total:,}.")
    _dataset(draft_set, stand)


def _controls(sets: Sequence[str], stand: DraftProgress) -> None:
    left, middle, right = st.columns([1, 1.2, 1], gap="medium")
    left.selectbox("Questions", list(sets), **SESSION.control("name"))

    def words(decision: Decision) -> str:
        return f"{DECISIONS[decision]} ({stand.count(*SHOWN[decision]):,})"

    middle.selectbox("Show", list(DECISIONS), format_func=words, **SESSION.control("decision"))
    with right:
        permitted.name_field(key=REVIEWER, limit=NAME_LIMIT, help="It is stored with every decision that you make.")


def _draft(drafts: Sequence[Draft], selection: Selection) -> None:
    """One draft with its buttons, and the ways to those before and after it."""
    numbers = [item.number for item in drafts]
    index = numbers.index(selection.draft) if selection.draft in numbers else 0
    if selection.draft and numbers[index] != selection.draft and SESSION.is_fresh:
        safe_html.message(f"The link names the draft {selection.draft:,}, which is not among these.", "error")
    draft = drafts[index]
    following = selection.with_(draft=numbers[index + 1] if index + 1 < len(numbers) else 0)
    left, right = st.columns(2, gap="large")
    with left:
        safe_html.show(passage_card(draft))
    with right:
        safe_html.show(draft_header(draft, index + 1, len(drafts)))
        if draft.status in DECIDED:
            safe_html.show(decided_pair(draft))
            verb_button("Undo", "drafts.review", _undo, draft, key=f"{KEY}undo", icon="undo")
        else:
            _form(draft, following)
        with st.container(horizontal=True, vertical_alignment="center", key=f"{KEY}steps"):
            for label, step in (("Previous", index - 1), ("Next", index + 1)):
                is_end = not 0 <= step < len(numbers)
                target = selection.with_(draft=0 if is_end else numbers[step])
                st.button(label, key=f"{KEY}{label.lower()}", disabled=is_end, on_click=data_state.show, args=(target,))


def _form(draft: Draft, following: Selection) -> None:
    keys = [f"{KEY}{field}_{draft.set_name}_{draft.number}" for field in ("question", "answer")]
    with st.form(f"{KEY}form", enter_to_submit=False, border=False):
        help_ = "Change it if it is wrong or cannot be understood without the passage."
        st.text_area("Question", draft.question, key=keys[0], max_chars=LONGEST_QUESTION, height=100, help=help_)
        help_ = "As short as possible, as the passage writes it."
        st.text_input("Answer", draft.answer, key=keys[1], max_chars=LONGEST_ANSWER, help=help_)
        with st.container(horizontal=True, gap="small"):
            accept, reject = (partial(_decide, draft, following, texts) for texts in (keys, ()))
            help_ = "With your changes, if you made any."
            verb_button("Accept", "drafts.review", accept, icon="check", kind="primary", help=help_, submits=True)
            verb_button("Reject", "drafts.review", reject, icon="close", submits=True)


def _dataset(draft_set: DraftSet[WritingRequest], stand: DraftProgress) -> None:
    label, create = f"Create dataset ({stand.counted:,} accepted)", partial(_create, draft_set)
    help_, is_empty = "A dataset of the accepted questions; created again, it is replaced.", not stand.counted
    verb_button(label, "datasets.add", create, key=f"{KEY}create", icon="dataset", disabled=is_empty, help=help_)


def _decide(draft: Draft, following: Selection, keys: Sequence[str]) -> None:
    """Accepts with the texts of the fields `keys`; rejects where there are none."""
    store, person = _store(), permitted.worker(st.session_state.get(REVIEWER) or "", "drafts.review")
    with SESSION.noticed():
        if not person.strip():
            raise UsageError("Type your name first: it is stored with every decision.")
        if keys:
            store.edit(draft.set_name, draft.number, person, *(st.session_state[key] for key in keys))
        else:
            store.reject(draft.set_name, draft.number, person)
        data_state.show(following)


def _undo(draft: Draft) -> None:
    with SESSION.noticed():
        _store().undo(draft.set_name, draft.number)


def _create(draft_set: DraftSet[WritingRequest]) -> None:
    bench = access.workbench()
    with SESSION.noticed():
        corpus = bench.corpus(draft_set.request.corpus)
        result = create_dataset(_store(), draft_set, corpus, access.dataset_library())
        count = sum(result.dataset.languages.values())
        sentence = f"The dataset “{draft_set.name}” has {count:,} question{'' if count == 1 else 's'}."
        if result.without_passage:
            sentence += f" {result.without_passage:,} are left out: the corpus no longer has their passage."
        outcome.keep(KEY, sentence)


def _store() -> DraftStore:
    return DraftStore(opened_store(access.workbench().settings.database_url))


def progress_line(draft_set: DraftSet[WritingRequest], stand: DraftProgress) -> Html:
    """How many drafts are decided, and what the set was written from and by."""
    request = draft_set.request
    counts = [chip(f"{stand.count(status):,} {words}") for status, words in WORDS.items() if stand.count(status)]
    filters = ", ".join(f"{count:,} {name}" for name, count in stand.by_filter.items())
    filtered = [element("small", escaped(f"Held back: {filters}"), css="wb-muted")] if filters else []
    source = (
        escaped("From the corpus "),
        inline(request.corpus, css="wb-title"),
        escaped(" by "),
        inline(request.generator),
    )
    decided = element("span", escaped(f"{stand.count(*DECIDED):,} of {stand.total:,} decided"), css="wb-title")
    return joined(
        [
            element("div", decided, *counts, *filtered, css="wb-row"),
            element("div", element("small", *source), css="wb-muted"),
        ]
    )


def passage_card(draft: Draft) -> Html:
    """The passage that a question was written from."""
    title = inline(draft.title or "(no title)", draft.language, "wb-title")
    head = element("header", chip(draft.passage), language_badge(draft.language), title)
    return element("article", head, text_block(draft.text, draft.language), css="wb-doc", hue=hue(draft.language))


def draft_header(draft: Draft, index: int, count: int) -> Html:
    """Which draft of how many this is, its status, who decided, and why a filter held it back."""
    pieces = [chip(f"{index:,} of {count:,}"), chip(WORDS[draft.status])]
    if draft.reviewer:
        pieces += [element("small", escaped("by "), inline(draft.reviewer))]
    head = element("div", *pieces, css="wb-row")
    return joined([head, text_block(draft.reason, css="wb-muted")]) if draft.filter else head


def decided_pair(draft: Draft) -> Html:
    """The question and answer as they were decided, and as they were written where that differs."""
    pieces = [text_block(draft.question, draft.language, "wb-ask"), text_block(draft.answer, draft.language)]
    if draft.is_edited:
        written = f"{draft.written_question}\n{draft.written_answer}"
        pieces += [
            element("small", escaped("As the generator wrote it:"), css="wb-muted"),
            text_block(written, draft.language, "wb-muted"),
        ]
    return joined(pieces)


def _jobs() -> WritingJobs:
    """The writing of questions in the workspace."""
    return WritingJobs(access.workbench().settings)


@permitted.form("drafts.write")
def _writing(*, opened: bool) -> None:
    """The jobs, and the form in an expander, which is open at first where `opened`."""
    for job in _jobs().all():
        job_card.draw(_jobs(), job, JOB_WORDS, _written)
    folds.draw("Write questions", "edit_note", "writing_new", _writing_form, expanded=opened)


def _progress_text(job: Job) -> str:
    """What is being done, in words."""
    noun = "questions" if job.phase == "questions" else ""
    count = job_card.count_words(job.done, job.total, noun)
    phase = "" if noun else f" {job.phase}"
    return f"Writing “{job.title}”:{phase}{count.removeprefix(' ·') if noun else count}"


JOB_WORDS = JobWords(
    "writing",
    _progress_text,
    lambda job: f"The writing of “{job.title}” failed",
    lambda job: f"The writing of “{job.title}” was stopped. What was written by then can be reviewed.",
    lambda job: f"The process that wrote “{job.title}” stopped unexpectedly. What was written by then can be reviewed.",
)


def _result_text(job: Job) -> str:
    """The result of a job, in sentences."""
    result = job.result
    words = f"“{job.title}”: {result['to_review']:,} to review, {result['filtered']:,} held back by a filter."
    if result["unwritten"]:
        words += f" {result['unwritten']:,} unwritten, because calls failed. {result['reason']}"
    return words


def _written(job: Job) -> None:
    safe_html.message(_result_text(job))
    with st.container(horizontal=True, gap="small", key=f"writing_next{job_card.suffix(job.id)}"):
        job_card.button("Review them", "writing_review", "rate_review", job.id, _open_set, "screens.look")
        if job.result["unwritten"]:
            job_card.button("Resume", "writing_again", "play_arrow", job.id, _jobs().resume, "drafts.write")
        job_card.discard(_jobs(), job, "writing_close")


def _open_set(job_id: str) -> None:
    """Shows the set that a job wrote."""
    job = _jobs().job(job_id)
    if job is not None:
        data_state.show(Selection(view="review", name=job.title))


def _writing_form() -> None:
    ready = [item for item in access.inventory("generator") if item.ready and item.name != EXTRACTIVE]
    if not ready:
        safe_html.message(NO_MODEL)
    titles = {item.name: item.title for item in ready}
    left, middle, right = st.columns(3, gap="medium")
    corpora = {manifest.name: list(manifest.languages) for manifest in access.manifests()}
    corpus: str = left.selectbox(
        "Corpus", list(corpora), key="writing_corpus", help="Questions are written from its passages."
    )
    name = left.text_input(
        "Name", key="writing_name", placeholder="my-questions", help="The set's name, which becomes the dataset's."
    ).strip()
    typed = st.session_state.get("writing_generator")
    generator: str | None = middle.selectbox(
        "Generator",
        list(dict.fromkeys([*titles, *([typed] if typed else [])])),
        index=None,
        key="writing_generator",
        format_func=lambda item: titles.get(item, item),
        accept_new_options=True,
        placeholder="Select or type a model",
        help="The language model that writes. Select one that is ready, or type another as "
        "`openai-like:MODEL@ENDPOINT`.",
    )
    number = int(
        middle.number_input(
            "Questions per language",
            1,
            MOST_PER_LANGUAGE,
            20,
            key="writing_number",
            help="The number of passages drawn in each language; one question is written from each.",
        )
    )
    languages = right.multiselect(
        "Languages",
        corpora[corpus],
        key=f"writing_languages_{corpus}",
        placeholder="All",
        format_func=language_words,
        help="Questions are written in the passage's language.",
    )
    seed = int(right.number_input("Seed", 0, 2**31 - 1, key="writing_seed", help="Another seed draws other passages."))
    needed = [*([] if name else ["name"]), *([] if generator else ["generator"])]
    if needed or not generator:
        st.caption(f"Still needed: {', '.join(needed)}.")
        return
    request = WritingRequest(corpus, checked_writer(generator), EXTRACTIVE, tuple(sorted(languages)), number, seed)
    safe_html.message(_plan_text(name, request))
    missing = [item for item in access.unready(make_recipe({"generator": generator})) if item.role == "generator"]
    if missing:
        safe_html.message(f"The generator “{missing[0].name}” is not ready: {missing[0].state}. See Settings.", "error")
    elif verb_button("Write questions", "drafts.write", key="writing_take", icon="edit_note", kind="primary"):
        _jobs().start(name, request)
        st.rerun()


def _plan_text(name: str, request: WritingRequest) -> str:
    """What writing takes, in sentences; passages are drawn once for each request, and again after each job."""
    ended = [(job.id, job.state) for job in _jobs().all()]
    key = (name, request, access.workbench().corpus(request.corpus).manifest.version, ended)
    return latest(PLAN, key, lambda: SetWriting(access.workbench(), name, request).plan.sentence)
