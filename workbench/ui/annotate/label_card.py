"""One item to label, blind to the system and to other people: what is read on the left, what is said on the right.

The panel on the right stays in sight while the documents are scrolled; on a phone they follow it.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from workbench.annotation import LabelRecord, QueueItem, Taxonomy
from workbench.experiments import Instance
from workbench.ui.annotate import answer_marks, label_keys, labelling
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.inspect import evidence_view, instance_page
from workbench.ui.inspect.inspect_state import SESSION
from workbench.ui.parts import permitted, safe_html
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, joined, plain_label, text_block
from workbench.ui.parts.verb_button import verb_button

NO_DOCUMENTS = "This answer was given without documents, or they are no longer in the workspace."
GONE = "The experiment of this answer was deleted: its gold answers and documents cannot be shown."
COMPLETE_WORDS = "Complete and next"


def draw_texts(desk: LabellingDesk, item: QueueItem, *, in_english: bool) -> None:
    """What the item's person reads: question, gold answers, answer and documents; English next to them on request."""
    instance = desk.queues.instance(item)
    with st.container(key=label_keys.ITEM):
        _texts(desk, item, instance, english=in_english)
    if instance is not None:
        with st.container(key="inspect_documents"):
            draw_documents(instance, in_english=in_english)


def draw_panel(desk: LabellingDesk, item: QueueItem) -> None:
    """What they say: the labels, a comment, and the ways on."""
    record = desk.record(item)
    with st.container(key="inspect_panel", gap="xsmall"):
        SESSION.show_notice()
        safe_html.show(element("div", escaped(desk.taxonomy.question), css="wb-ask", direction="auto"))
        _labels(desk, item, record)
        _comment(desk, item, record)
        _ways(desk, item, record)
    label_keys.listen(2 * item.number + item.showing)


def _guideline(taxonomy: Taxonomy) -> None:
    with st.popover("Guideline", icon=":material/menu_book:", key=label_keys.GUIDELINE, type="tertiary"):
        safe_html.show(guideline_text(taxonomy))
        safe_html.show(label_keys.keys_line(len(taxonomy.labels)))


def guideline_text(taxonomy: Taxonomy) -> Html:
    """The taxonomy in full."""
    several = "An answer may have several labels." if taxonomy.several else "An answer has one label."
    head = element("div", escaped(f"{taxonomy.question} {several}"), css="wb-ask", direction="auto")
    terms = [
        piece
        for number, label in enumerate(taxonomy.labels)
        for piece in (
            element("dt", element("span", escaped(label_keys.key_of(number)), css="wb-cap"), escaped(label.name)),
            element("dd", text_block(label.definition), text_block(f"Example: {label.example}", css="wb-muted")),
        )
    ]
    source = text_block(f"{taxonomy.title}, version {taxonomy.version}. Source: {taxonomy.source}", css="wb-muted")
    return joined([head, element("dl", *terms, css="wb-terms"), source])


def _texts(desk: LabellingDesk, item: QueueItem, instance: Instance | None, *, english: bool) -> None:
    draw_question(item, instance, english=english)
    if not item.answer.strip():
        safe_html.show(element("section", text_block("No answer", "en", "wb-none"), css="wb-answer"))
        return
    code, record = (instance.answer_language if instance else "") or item.language, desk.record(item)
    with st.container(key="inspect_answer", gap="small"):
        safe_html.show(
            element("div", element("span", escaped("Answer"), css="wb-label"), language_badge(code), css="wb-row")
        )
        answer_marks.draw(desk, item, record, code, tuple(instance.golds) if instance else ())
        answer_marks.active_label(desk, item, record)
        if english:
            safe_html.show(evidence_view.english(item.answer, code))


def draw_question(item: QueueItem, instance: Instance | None, *, english: bool) -> None:
    """The question of an item with its gold answers; from the item itself where its experiment is gone."""
    if instance is not None:
        safe_html.show(instance_page.question_card(instance, english=english, blind=True))
        return
    safe_html.message(GONE)
    question = text_block(item.question, item.language, "wb-said wb-long")
    aid = evidence_view.english(item.question, item.language) if english else NOTHING
    safe_html.show(element("section", language_badge(item.language), question, aid, css="wb-answer"))


def _labels(desk: LabellingDesk, item: QueueItem, record: LabelRecord | None) -> None:
    """A button for each label; those that the answer has are filled."""
    current = record.labels if record else ()
    with st.container(key="inspect_labels", gap=None):
        for number, label in enumerate(desk.taxonomy.labels):
            given = label.key in current
            key_cap = label_keys.cap(label_keys.key_of(number))
            verb_button(
                f"{key_cap} {plain_label(label.name)}{' ✓' if given else ''}".strip(),
                "labels.save",
                partial(labelling.toggle, desk, item, label.key),
                key=f"{label_keys.LABEL}{number + 1}",
                kind="primary" if given else "secondary",
                help=f"{plain_label(label.definition)}\n\n{plain_label(f'Example: {label.example}')}",
                width="stretch",
            )


def _comment(desk: LabellingDesk, item: QueueItem, record: LabelRecord | None) -> None:
    key, stored = labelling.comment_key(item), record.comment if record else ""
    is_new = labelling.is_new_comment(key)
    if not is_new and key not in st.session_state:
        st.session_state[key] = stored
    # A value that is set here would replace what somebody was typing when the server went away.
    text = st.text_area(
        "Comment",
        value=stored if is_new else "",
        key=key,
        height=68,
        placeholder="Comment: anything that the labels do not say",
        label_visibility="collapsed",
        on_change=labelling.save_comment,
        args=(desk, item),
        **permitted.control("labels.save"),
    )
    if is_new and text not in ("", stored):
        labelling.save_comment(desk, item)


def complete_words(taxonomy: Taxonomy, record: LabelRecord | None) -> str:
    """What completing an item says: where labels may be left out and none is given, that none applies."""
    if not taxonomy.several or (record and record.labels):
        return COMPLETE_WORDS
    return "Nothing wrong" if taxonomy.value_of_none == 1 else "None of these"


def _ways(desk: LabellingDesk, item: QueueItem, record: LabelRecord | None) -> None:
    verb_button(
        f"{complete_words(desk.taxonomy, record)} {label_keys.cap('Enter')}",
        "labels.save",
        partial(labelling.complete, desk, item),
        key=label_keys.COMPLETE,
        icon="check",
        kind="primary",
        help="You are finished with this answer, and the next one opens.",
        width="stretch",
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="inspect_way"):
        forward = "The next answer; an incomplete one comes back at the end."
        for label, key, icon, go, help_ in (
            ("Back", label_keys.BACK, "left", labelling.back, "The answer that you had before this one."),
            ("Forward", label_keys.FORWARD, "right", labelling.forward, forward),
        ):
            icon, args = f":material/chevron_{icon}:", (desk, item)
            st.button(label, key=key, type="tertiary", icon=icon, help=help_, on_click=go, args=args)
        draw_undo(desk)
        _guideline(desk.taxonomy)
    done = desk.labels.is_complete(item, desk.annotator)
    words = "Complete. What you change is saved at once." if done else "Every change is saved at once."
    safe_html.show(element("div", escaped(words), css="wb-muted", role="status"))


def draw_undo(desk: LabellingDesk) -> None:
    """The button that takes back what the person did last."""
    help_ = "Takes back what you did last since you opened this queue, one act at a time."
    undo = partial(labelling.undo, desk)
    verb_button("Undo", "labels.save", undo, key=label_keys.UNDO, icon="undo", kind="tertiary", help=help_)


def draw_documents(instance: Instance, *, in_english: bool) -> None:
    """What an answer was given; no more of the system than that."""
    trace = evidence_view.trace_of(instance)
    st.markdown(f"**Documents ({len(trace.evidence)})**")
    # Why documents are missing may be read; what else is known of the system would not be blind.
    if not trace.evidence:
        safe_html.message(NO_DOCUMENTS)
    evidence_view.draw(instance, trace.evidence, (), in_english=in_english, blind=True)
