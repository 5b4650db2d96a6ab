"""Reviewing written questions: a draft at a time beside its passage, to accept with or without changes, or reject."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from workbench.data import DatasetLibrary
from workbench.jobs import (
    COUNTED,
    DECIDED,
    LONGEST_ANSWER,
    LONGEST_QUESTION,
    NAME_LIMIT,
    Draft,
    DraftProgress,
    DraftSet,
    DraftStore,
    Status,
    create_dataset,
)
from workbench.ui.data import data_state
from workbench.ui.data.data_state import DECISIONS, SESSION, Decision, Selection
from workbench.ui.parts import access, permitted, safe_html
from workbench.ui.parts.badges import chip, hue, language_badge
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, text_block
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.review import writing_form
from workbench.workspace import opened_store

KEY = "review_"
REVIEWER, NOTICE = "review_reviewer", "review_notice"
"""The session's keys for the name of who reviews, and for what a button did or could not do."""
SHOWN: Mapping[Decision, tuple[Status, ...]] = {
    "waiting": ("draft",),
    "filtered": ("filtered",),
    "accepted": COUNTED,
    "rejected": ("rejected",),
}


def names() -> list[str]:
    """The names of the sets that can be reviewed, the newest first."""
    return [item.name for item in _store().sets()]


def draw(sets: Sequence[str], selection: Selection) -> None:
    """The view from top to bottom; without a set, how to start one."""
    if notice := st.session_state.pop(NOTICE, None):
        safe_html.message(*notice)
    if not sets:
        st.markdown(
            "A generator can write questions from the passages of a corpus. They wait here until a person accepts "
            "them, and then become a dataset."
        )
    writing_form.draw(opened=not sets)
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
    place = numbers.index(selection.draft) if selection.draft in numbers else 0
    draft = drafts[place]
    following = selection.with_(draft=numbers[place + 1] if place + 1 < len(numbers) else 0)
    left, right = st.columns(2, gap="large")
    with left:
        safe_html.show(passage_card(draft))
    with right:
        safe_html.show(draft_header(draft, place + 1, len(drafts)))
        if draft.status in DECIDED:
            safe_html.show(decided_pair(draft))
            verb_button("Undo", "drafts.review", _undo, draft, key=f"{KEY}undo", icon="undo")
        else:
            _form(draft, following)
        with st.container(horizontal=True, vertical_alignment="center", key=f"{KEY}steps"):
            for label, step in (("Previous", place - 1), ("Next", place + 1)):
                is_end = not 0 <= step < len(numbers)
                target = selection.with_(draft=0 if is_end else numbers[step])
                st.button(label, key=f"{KEY}{label.lower()}", disabled=is_end, on_click=data_state.show, args=(target,))


def _form(draft: Draft, following: Selection) -> None:
    keys = [f"{KEY}{part}_{draft.set_name}_{draft.number}" for part in ("question", "answer")]
    with st.form(f"{KEY}form", enter_to_submit=False, border=False):
        question, answer = draft.question, draft.answer
        st.text_area(
            "Question",
            question,
            key=keys[0],
            max_chars=LONGEST_QUESTION,
            height=100,
            help="Change it where it is wrong or cannot be understood without the passage.",
        )
        st.text_input(
            "Answer",
            answer,
            key=keys[1],
            max_chars=LONGEST_ANSWER,
            help="As short as possible, as the passage writes it.",
        )
        with st.container(horizontal=True, gap="small"):
            verb_button(
                "Accept",
                "drafts.review",
                _decide,
                draft,
                following,
                keys,
                icon="check",
                kind="primary",
                help="With your changes, if you made any.",
                submits=True,
            )
            verb_button("Reject", "drafts.review", _decide, draft, following, (), icon="close", submits=True)


def _dataset(draft_set: DraftSet, stand: DraftProgress) -> None:
    verb_button(
        f"Create dataset ({stand.counted:,} accepted)",
        "datasets.add",
        _create,
        draft_set,
        key=f"{KEY}create",
        icon="dataset",
        disabled=not stand.counted,
        help="A dataset of the accepted questions; created again, it is replaced.",
    )


def _decide(draft: Draft, following: Selection, keys: Sequence[str]) -> None:
    """Accepts with the texts of the fields `keys`; rejects where there are none."""
    store, person = _store(), permitted.worker(st.session_state.get(REVIEWER) or "", "drafts.review")
    if keys:
        question, answer = (st.session_state[key] for key in keys)
        decide: Callable[[], object] = partial(store.edit, draft.set_name, draft.number, person, question, answer)
    else:
        decide = partial(store.reject, draft.set_name, draft.number, person)
    if not person.strip():
        st.session_state[NOTICE] = ("Type your name first: it is stored with every decision.", "error")
    elif _done(decide):
        data_state.show(following)


def _undo(draft: Draft) -> None:
    _done(partial(_store().undo, draft.set_name, draft.number))


def _create(draft_set: DraftSet) -> None:
    bench = access.workbench()

    def create() -> None:
        corpus = bench.corpus(draft_set.request.corpus)
        result = create_dataset(_store(), draft_set, corpus, DatasetLibrary(bench.settings.datasets))
        count = sum(result.dataset.languages.values())
        sentence = f"The dataset “{draft_set.name}” has {count:,} question{'' if count == 1 else 's'}."
        if result.without_passage:
            sentence += f" {result.without_passage:,} are left out: the corpus no longer has their passage."
        st.session_state[NOTICE] = (sentence, "note")

    _done(create)


def _done(work: Callable[[], object]) -> bool:
    """Whether `work` was done; what went wrong is shown by the next run."""
    problems: list[str] = []
    with access.caught(problems.append):
        work()
    if problems:
        st.session_state[NOTICE] = (problems[0], "error")
    return not problems


def _store() -> DraftStore:
    return DraftStore(opened_store(access.workbench().settings.database_url))


WORDS: Mapping[Status, str] = {
    "unwritten": "not written yet",
    "draft": "to review",
    "filtered": "held back",
    "accepted": "accepted",
    "edited": "accepted with changes",
    "rejected": "rejected",
}


def progress_line(draft_set: DraftSet, stand: DraftProgress) -> Html:
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


def draft_header(draft: Draft, place: int, count: int) -> Html:
    """Which draft of how many this is, its status, who decided, and why a filter held it back."""
    pieces = [chip(f"{place:,} of {count:,}"), chip(WORDS[draft.status])]
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
