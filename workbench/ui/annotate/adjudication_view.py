"""Disagreements, one after another: what people said, and the labels that somebody decides on, with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from workbench.annotation import (
    ANSWER,
    NOTE_LIMIT,
    REASONS,
    AdjudicationCount,
    AdjudicationStore,
    Disagreement,
    QueueItem,
    Reason,
    decision_file,
)
from workbench.ui.annotate import label_card
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.dashboard import result_frames
from workbench.ui.inspect import instance_page
from workbench.ui.inspect.inspect_state import NAME_LIMIT, SESSION
from workbench.ui.parts import access, downloads, permitted, safe_html, signed_in
from workbench.ui.parts.badges import chip, language_option
from workbench.ui.parts.folds import folded
from workbench.ui.parts.safe_html import Html, element, escaped, inline, plain_label, table, text_block
from workbench.ui.parts.verb_button import verb_button

KEY = "inspect_decide_"
REASON_WORDS: Mapping[Reason, str] = {
    "text": "The text can be read in two ways",
    "guideline": "The guideline leaves it open",
    "annotator": "Somebody overlooked something",
}
DOWNLOAD_HELP = "Every disagreement with what people said and every decision, the earlier ones too."
OPEN, SETTLED, EVERY = "Open", "Settled", "All"
NONE = "People agree on every answer that two of them completed, or there is none yet."


@folded("Disagreements", "gavel", "inspect_disagreements")
def draw(desk: LabellingDesk) -> None:
    """The disagreements of a queue."""
    store = AdjudicationStore(result_frames.store())
    cases = store.disagreements(desk.queue.id)
    if not cases:
        safe_html.message(NONE)
        return
    safe_html.show(count_line(AdjudicationCount.of(cases)))
    with access.guarded():
        _choose(desk, store, cases)
    _downloads(desk)


def count_line(count: AdjudicationCount) -> Html:
    """How many disagreements there are and how many are settled, with the reasons."""
    words = f"{count.disagreements:,} disagreements, {count.settled:,} settled"
    reasons = [chip(REASON_WORDS[reason], f"{number:,}") for reason, number in count.reasons.items()]
    return element("div", element("span", escaped(words), css="wb-title"), *reasons, css="wb-row")


def _choose(desk: LabellingDesk, store: AdjudicationStore, cases: Sequence[Disagreement]) -> None:
    """The switch between open and settled ones, and the one that is shown."""
    which = st.segmented_control(
        "Show", [OPEN, SETTLED, EVERY], key=f"{KEY}which", default=OPEN, required=True, label_visibility="collapsed"
    )
    listed = {_name(case): case for case in cases if which == EVERY or (case.decision is None) == (which == OPEN)}
    if not listed:
        safe_html.message("No disagreement is open." if which == OPEN else "No disagreement is settled yet.")
        return
    key = f"{KEY}case"
    if st.session_state.get(key) not in listed:
        st.session_state[key] = next(iter(listed))
    name = st.selectbox("Disagreement", list(listed), key=key, format_func=lambda item: _words(listed[item]))
    case = listed[name]
    _case(desk, case)
    _form(desk, store, case)


def _name(case: Disagreement) -> str:
    return f"{case.item.number}/{case.on}"


def _words(case: Disagreement) -> str:
    part = "" if case.on == ANSWER else f" · {case.on}"
    return f"Item {case.item.number} · {language_option(case.item.language)}{part}"


def _case(desk: LabellingDesk, case: Disagreement) -> None:
    """The item as the annotators saw it, and what each of them said."""
    item = case.item
    _texts(desk, item)
    comments = {
        record.annotator: record.comment
        for record in desk.labels.labels(desk.queue.id)
        if (record.number, record.on, record.showing) == (item.number, case.on, 1)
    }
    rows = [
        [
            inline(person, css="wb-title"),
            element("div", *_chips(desk, labels), css="wb-row"),
            text_block(comments.get(person, ""), css="wb-muted"),
        ]
        for person, labels in case.labels.items()
    ]
    safe_html.show(table(["Annotator", "Labels", "Comment"], rows, "wb-stacked"))
    if decision := case.decision:
        line = [
            escaped("Decided by "),
            inline(decision.adjudicator, css="wb-title"),
            *_chips(desk, decision.labels),
            chip(REASON_WORDS[decision.reason]),
            inline(decision.note, css="wb-muted"),
        ]
        safe_html.show(element("div", *line, css="wb-row"))


def _texts(desk: LabellingDesk, item: QueueItem) -> None:
    """Question, golds, answer and, where wanted, the documents; from the item itself where its experiment is gone."""
    instance = desk.queues.instance(item)
    label_card.draw_question(item, instance, english=False)
    if instance is None:
        answer = text_block(item.answer, item.language, "wb-said wb-long")
        safe_html.show(element("section", answer, css="wb-answer"))
        return
    safe_html.show(instance_page.answer_card(instance, english=False))
    if st.toggle("Show documents", key=f"{KEY}documents"):
        label_card.draw_documents(instance, in_english=False)


def _chips(desk: LabellingDesk, labels: Sequence[str]) -> list[Html]:
    names = {label.key: label.name for label in desk.taxonomy.labels}
    return [chip(names.get(key, key)) for key in labels] or [chip("none of them")]


def _form(desk: LabellingDesk, store: AdjudicationStore, case: Disagreement) -> None:
    """What somebody decides. Saving turns to the next open one."""
    names = {label.key: plain_label(label.name) for label in desk.taxonomy.labels}
    common = frozenset.intersection(*map(frozenset, case.labels.values()))
    before = case.decision.labels if case.decision else tuple(key for key in names if key in common)
    key = f"{KEY}{desk.queue.id}_{_name(case)}_"
    with st.form(f"{key}form", border=False):
        selection = st.pills(
            "Final labels",
            list(names),
            key=f"{key}labels",
            default=[label for label in before if label in names],
            selection_mode="multi",
            format_func=names.__getitem__,
            help="Select none if none applies.",
        )
        reason = st.radio(
            "Why did they disagree?",
            REASONS,
            key=f"{key}reason",
            index=REASONS.index(case.decision.reason) if case.decision else None,
            format_func=REASON_WORDS.__getitem__,
        )
        left, right = st.columns([2, 1])
        with left:
            note = st.text_input("Note", key=f"{key}note", max_chars=NOTE_LIMIT, placeholder="What decided it")
        with right:
            person = permitted.name_field(key=f"{KEY}person", limit=NAME_LIMIT, value=desk.annotator)
        if not verb_button("Decide", "decisions.save", key=f"{key}save", icon="gavel", kind="primary", submits=True):
            return
    if reason is None:
        safe_html.message("Choose why they disagreed: it shows what needs fixing.", "error")
        return
    ordered = [label for label in names if label in selection]
    store.decide(case.item, case.on, ordered, reason, person, note)
    SESSION.change()
    st.rerun()


def _downloads(desk: LabellingDesk) -> None:
    with st.container(horizontal=True, gap="small"):
        for kind, name in (("csv", "CSV"), ("jsonl", "JSON lines")):
            downloads.button(
                f"Decisions ({name})",
                signed_in.at_click(partial(decision_file, result_frames.store(), desk.queue, kind)),
                f"decisions.{kind}",
                f"{KEY}{kind}",
                **permitted.control("labels.export", help=DOWNLOAD_HELP),
            )
