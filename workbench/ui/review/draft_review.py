"""Reviewing drafts that a generator wrote: beside what they were written from, by buttons, with a URL for each.

The views of questions and of demonstrations share what is here, and say what differs as a `DraftReview`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import streamlit as st

from workbench.core import UsageError
from workbench.jobs import COUNTED, DECIDED, NAME_LIMIT, DraftProgress, DraftSet, Reviewable, ReviewStore, Status
from workbench.pipeline import EXTRACTIVE, make_recipe
from workbench.ui.data import data_state
from workbench.ui.data.data_state import DECISIONS, SESSION, Decision, Selection, View
from workbench.ui.parts import access, folds, job_card, outcome, permitted, safe_html
from workbench.ui.parts.badges import chip
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, text_block
from workbench.ui.parts.verb_button import verb_button
from workbench.workspace import Job, Jobs

KEY = "review_"
REVIEWER = "review_reviewer"
"""The session's key for the name of who reviews."""
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
Item = TypeVar("Item", bound=Reviewable)


@dataclass(frozen=True)
class DraftReview(Generic[Item]):
    """The view of one kind of draft, from top to bottom.

    `explanation` is shown where there is no set. `form` draws what starts the writing of one. `origin` says what a set
    was written from and by, `source` shows what a draft was written from. `fields` draws the fields of a draft's texts,
    one for each of the keys; `decided` shows these texts once they are decided. `result` draws what becomes of a set,
    `also` what follows the form.
    """

    noun: str
    view: View
    explanation: str
    stored: Callable[[], ReviewStore[Item, Any]]
    written: Callable[[], Jobs]
    form: Callable[[], None]
    origin: Callable[[Any], Sequence[Html]]
    source: Callable[[Item], Html]
    fields: Callable[[Item, Sequence[str]], None]
    decided: Callable[[Item], Html]
    result: Callable[[DraftSet[Any], DraftProgress], None]
    also: Callable[[], None] = lambda: None

    @property
    def store(self) -> ReviewStore[Item, Any]:
        """The sets that can be reviewed."""
        return self.stored()

    def names(self) -> list[str]:
        """The names of the sets, the newest first."""
        return [item.name for item in self.store.sets()]

    def draw(self, sets: Sequence[str], selection: Selection) -> None:
        """The view; without a set, how to start one."""
        SESSION.show_notice()
        outcome.show(KEY)
        if not sets:
            st.markdown(self.explanation)
        self._writing(opened=not sets)
        self.also()
        if not sets:
            return
        draft_set, stand = self.store.set_called(selection.name), self.store.progress(selection.name)
        self._controls(sets, stand)
        safe_html.show(progress_line(stand, self.origin(draft_set.request)))
        numbers = self.store.numbers(selection.name, SHOWN[selection.decision])
        if numbers:
            self._draft(numbers, selection)
        else:
            safe_html.message(f"No draft here: {DECISIONS[selection.decision].lower()}, 0 of {stand.total:,}.")
        self.result(draft_set, stand)

    def _controls(self, sets: Sequence[str], stand: DraftProgress) -> None:
        left, middle, right = st.columns([1, 1.2, 1], gap="medium")
        left.selectbox(self.noun.capitalize(), list(sets), **SESSION.control("name"))

        def words(decision: Decision) -> str:
            return f"{DECISIONS[decision]} ({stand.count(*SHOWN[decision]):,})"

        middle.selectbox("Show", list(DECISIONS), format_func=words, **SESSION.control("decision"))
        with right:
            help_ = "It is stored with every decision that you make."
            permitted.name_field(key=REVIEWER, limit=NAME_LIMIT, help=help_)

    def _draft(self, numbers: Sequence[int], selection: Selection) -> None:
        """One draft with its buttons, and the ways to those before and after it."""
        index = numbers.index(selection.draft) if selection.draft in numbers else 0
        if selection.draft and numbers[index] != selection.draft and SESSION.is_fresh:
            safe_html.message(f"The link names the draft {selection.draft:,}, which is not among these.", "error")
        draft = self.store.draft(selection.name, numbers[index])
        following = selection.with_(draft=numbers[index + 1] if index + 1 < len(numbers) else 0)
        left, right = st.columns(2, gap="large")
        with left:
            safe_html.show(self.source(draft))
        with right:
            safe_html.show(draft_header(draft, index + 1, len(numbers)))
            if draft.status in DECIDED:
                safe_html.show(self.decided(draft))
                verb_button("Undo", "drafts.review", self._undo, draft, key=f"{KEY}undo", icon="undo")
            else:
                self._form(draft, following)
            with st.container(horizontal=True, vertical_alignment="center", key=f"{KEY}steps"):
                for label, step in (("Previous", index - 1), ("Next", index + 1)):
                    is_end = not 0 <= step < len(numbers)
                    show = partial(data_state.show, selection.with_(draft=0 if is_end else numbers[step]))
                    st.button(label, key=f"{KEY}{label.lower()}", disabled=is_end, on_click=show)

    def _form(self, draft: Item, following: Selection) -> None:
        keys = [f"{KEY}{text}_{draft.set_name}_{draft.number}" for text in draft.TEXTS]
        with st.form(f"{KEY}form", enter_to_submit=False, border=False):
            self.fields(draft, keys)
            with st.container(horizontal=True, gap="small"):
                accept, reject = (partial(self._decide, draft, following, texts) for texts in (keys, ()))
                help_ = "With your changes, if you made any."
                verb_button("Accept", "drafts.review", accept, icon="check", kind="primary", help=help_, submits=True)
                verb_button("Reject", "drafts.review", reject, icon="close", submits=True)

    def _decide(self, draft: Item, following: Selection, keys: Sequence[str]) -> None:
        """Accepts with the texts of the fields `keys`; rejects where there are none."""
        with SESSION.noticed():
            if keys:
                self.store.edit(draft.set_name, draft.number, reviewer(), *(st.session_state[key] for key in keys))
            else:
                self.store.reject(draft.set_name, [draft.number], reviewer())
            data_state.show(following)

    def _undo(self, draft: Item) -> None:
        with SESSION.noticed():
            self.store.undo(draft.set_name, draft.number)

    @permitted.form("drafts.write")
    def _writing(self, *, opened: bool) -> None:
        """The jobs, and the form in an expander, which is open at first where `opened`."""
        for job in self.written().all():
            job_card.draw(self.written(), job, JOB_WORDS, self._ended)
        folds.draw(f"Write {self.noun}", "edit_note", f"writing_new_{self.view}", self.form, expanded=opened)

    def _ended(self, job: Job) -> None:
        safe_html.message(_result_text(job))
        with st.container(horizontal=True, gap="small", key=f"writing_next{job_card.suffix(job.id)}"):
            job_card.button("Review them", "writing_review", "rate_review", job.id, self._open_set, "screens.look")
            if job.result["unwritten"]:
                job_card.button("Resume", "writing_again", "play_arrow", job.id, self.written().resume, "drafts.write")
            job_card.discard(self.written(), job, "writing_close")

    def _open_set(self, job_id: str) -> None:
        """Shows the set that a job wrote."""
        job = self.written().job(job_id)
        if job is not None:
            data_state.show(Selection(view=self.view, name=job.title))


def reviewer() -> str:
    """The name of who reviews. Raises UsageError where none is typed yet."""
    person = permitted.worker(st.session_state.get(REVIEWER) or "", "drafts.review")
    if not person.strip():
        raise UsageError("Type your name first: it is stored with every decision.")
    return person


def starts(noun: str, model: str) -> bool:
    """Draws the button that starts writing with a model, or what is missing; whether it was pressed."""
    missing = [item for item in access.unready(make_recipe({"generator": model})) if item.role == "generator"]
    if missing:
        safe_html.message(f"The generator “{missing[0].name}” is not ready: {missing[0].state}. See Settings.", "error")
        return False
    return verb_button(f"Write {noun}", "drafts.write", key="writing_take", icon="edit_note", kind="primary")


def model_box(label: str, key: str, help: str, *, builtin: bool = False) -> str:
    """The box of a generator that is ready, or is typed; "" for none. `builtin`: the built-in reader is one."""
    ready = [item for item in access.inventory("generator") if item.ready and (builtin or item.name != EXTRACTIVE)]
    titles, typed = {item.name: item.title for item in ready}, st.session_state.get(key)
    name: str | None = st.selectbox(
        label,
        list(dict.fromkeys([*titles, *([typed] if typed else [])])),
        index=None,
        key=key,
        format_func=lambda item: titles.get(item, item),
        accept_new_options=True,
        placeholder="Select or type a model",
        help=f"{help} Select one that is ready, or type another as `openai-like:MODEL@ENDPOINT`.",
    )
    return name or ""


def still_needed(**values: object) -> bool:
    """Whether a form lacks a value, which it says by the names of the arguments."""
    if needed := [name for name, value in values.items() if not value]:
        st.caption(f"Still needed: {', '.join(needed)}.")
    return bool(needed)


JOB_WORDS = JobWords("writing", left=lambda _: "What was written by then can be reviewed.")


def _result_text(job: Job) -> str:
    """The result of a job, in sentences."""
    result = job.result
    words = f"“{job.title}”: {result['to_review']:,} to review, {result['filtered']:,} held back by a filter."
    if result["unwritten"]:
        words += f" {result['unwritten']:,} unwritten, because calls failed. {result['reason']}"
    return words


def progress_line(stand: DraftProgress, origin: Sequence[Html]) -> Html:
    """How many drafts are decided, how many are held back by which filter, and where they come from."""
    counts = [chip(f"{stand.count(status):,} {words}") for status, words in WORDS.items() if stand.count(status)]
    filters = ", ".join(f"{count:,} {name}" for name, count in stand.by_filter.items())
    filtered = [element("small", escaped(f"Held back: {filters}"), css="wb-muted")] if filters else []
    decided = element("span", escaped(f"{stand.count(*DECIDED):,} of {stand.total:,} decided"), css="wb-title")
    return joined(
        [
            element("div", decided, *counts, *filtered, css="wb-row"),
            element("div", element("small", *origin), css="wb-muted"),
        ]
    )


def draft_header(draft: Reviewable, index: int, count: int) -> Html:
    """Which draft of how many this is, its status, who decided, and why a filter held it back."""
    pieces = [chip(f"{index:,} of {count:,}"), chip(WORDS[draft.status])]
    if draft.reviewer:
        pieces += [element("small", escaped("by "), inline(draft.reviewer))]
    head = element("div", *pieces, css="wb-row")
    return joined([head, text_block(draft.reason, css="wb-muted")]) if draft.filter else head


def as_written(text: str, language: str) -> list[Html]:
    """What the generator wrote, below what a person made of it."""
    head = element("small", escaped("As the generator wrote it:"), css="wb-muted")
    return [head, text_block(text, language, "wb-muted")]
