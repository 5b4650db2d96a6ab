"""One item to label, blind to the system and to other people: the instance, the labels, a comment, and the ways on."""

from __future__ import annotations

import streamlit as st

from workbench.annotation import LabelRecord, QueueItem, Taxonomy, TaxonomyLabel
from workbench.experiments import Instance
from workbench.ui.annotate import answer_marks, label_keys, labelling
from workbench.ui.annotate.label_keys import NUMBERED
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.inspect import evidence_view, instance_page
from workbench.ui.inspect.inspect_state import InspectState
from workbench.ui.parts import permitted, safe_html
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, joined, plain_label, text_block

NO_DOCUMENTS = "This answer was given without documents, or they are no longer in the workspace."
GONE = "The experiment of this answer was deleted: its gold answers and documents cannot be shown."


def draw(desk: LabellingDesk, item: QueueItem, state: InspectState) -> None:
    """The item with everything that its person needs, and what they said so far."""
    instance, record = desk.queues.instance(item), desk.record(item)
    left, right = st.columns([1.1, 1], gap="medium")
    with left:
        in_english = evidence_view.reads_english()
        with st.container(key=label_keys.ITEM):
            _texts(desk, item, instance, record, english=in_english)
        safe_html.show(element("div", escaped(desk.taxonomy.question), css="wb-ask", direction="auto"))
        _labels(desk, item, record)
        answer_marks.active_label(desk, item, record)
        _comment(desk, item, record)
        _ways(desk, item, state)
        guideline(desk.taxonomy)
    with right:
        _documents(instance, in_english=in_english)
    label_keys.listen(2 * item.number + item.showing)


def guideline(taxonomy: Taxonomy) -> None:
    """The guideline, closed until somebody opens it: every label with its definition and an example."""
    with st.expander("Guideline and keys", icon=":material/menu_book:", key=label_keys.GUIDELINE):
        safe_html.show(guideline_text(taxonomy))
        safe_html.show(label_keys.keys_line())


def guideline_text(taxonomy: Taxonomy) -> Html:
    """The taxonomy in full."""
    several = "An answer may have several labels." if taxonomy.several else "An answer has one label."
    head = element("div", escaped(f"{taxonomy.question} {several}"), css="wb-ask", direction="auto")
    terms = [
        piece
        for number, label in enumerate(taxonomy.labels, start=1)
        for piece in (
            element("dt", escaped(f"{number} · {label.name}")),
            element("dd", text_block(label.definition), text_block(f"Example: {label.example}", css="wb-muted")),
        )
    ]
    source = text_block(f"{taxonomy.title}, version {taxonomy.version}. Source: {taxonomy.source}", css="wb-muted")
    return joined([head, element("dl", *terms, css="wb-terms"), source])


def _texts(
    desk: LabellingDesk, item: QueueItem, instance: Instance | None, record: LabelRecord | None, *, english: bool
) -> None:
    if instance is not None:
        safe_html.show(instance_page.question_card(instance, english=english, blind=True))
    else:
        safe_html.message(GONE)
        question = text_block(item.question, item.language, "wb-said wb-long")
        aid = evidence_view.english(item.question, item.language) if english else NOTHING
        safe_html.show(element("section", language_badge(item.language), question, aid, css="wb-answer"))
    if not item.answer.strip():
        safe_html.show(element("section", text_block("No answer", "en", "wb-none"), css="wb-answer"))
        return
    code = (instance.answer_language if instance else "") or item.language
    with st.container(key="inspect_answer", gap="small"):
        safe_html.show(
            element("div", element("span", escaped("Answer"), css="wb-label"), language_badge(code), css="wb-row")
        )
        answer_marks.draw(desk, item, record, tuple(instance.golds) if instance else ())
        if english:
            safe_html.show(evidence_view.english(item.answer, code))


def _labels(desk: LabellingDesk, item: QueueItem, record: LabelRecord | None) -> None:
    """A large button for each label; those that the answer has are filled."""
    current = record.labels if record else ()
    with st.container(horizontal=True, gap="small", key="inspect_labels"):
        for number, label in enumerate(desk.taxonomy.labels, start=1):
            given = label.key in current
            st.button(
                label_words(number, label, given=given),
                key=f"{label_keys.LABEL}{number}",
                type="primary" if given else "secondary",
                on_click=labelling.toggle,
                args=(desk, item, label.key),
                **permitted.control(
                    "labels.save", help=f"{plain_label(label.definition)}\n\n{plain_label(f'Example: {label.example}')}"
                ),
            )


def label_words(number: int, label: TaxonomyLabel, *, given: bool) -> str:
    """What is written on a label's button: its digit where it has one, its name, and a tick where it is given."""
    digit = f"{number}  " if number <= NUMBERED else ""
    return f"{'✓ ' if given else ''}{digit}{plain_label(label.name)}"


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
        placeholder="Anything that the labels do not say",
        on_change=labelling.save_comment,
        args=(desk, item),
        **permitted.control("labels.save"),
    )
    if is_new and text not in ("", stored):
        labelling.save_comment(desk, item)


def _ways(desk: LabellingDesk, item: QueueItem, state: InspectState) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="inspect_way"):
        st.button(
            "Back", key=label_keys.BACK, icon=":material/chevron_left:", on_click=labelling.back, args=(desk, item)
        )
        st.button(
            "Complete and next",
            key=label_keys.COMPLETE,
            type="primary",
            icon=":material/check:",
            on_click=labelling.complete,
            args=(desk, item),
            **permitted.control("labels.save"),
        )
        st.button(
            "Forward",
            key=label_keys.FORWARD,
            icon=":material/chevron_right:",
            help="The next answer; an incomplete one comes back at the end.",
            on_click=labelling.forward,
            args=(desk, item, state.reads),
        )
        st.button(
            "Undo",
            key=label_keys.UNDO,
            icon=":material/undo:",
            on_click=labelling.undo,
            args=(desk,),
            **permitted.control("labels.save"),
        )
    done = desk.labels.is_complete(item, desk.annotator)
    words = "Complete. What you change is saved at once." if done else "Every change is saved at once."
    safe_html.show(element("div", escaped(words), css="wb-muted", role="status"))


def _documents(instance: Instance | None, *, in_english: bool) -> None:
    if instance is None:
        return
    trace = evidence_view.trace_of(instance)
    st.markdown(f"**Documents ({len(trace.evidence)})**")
    # Why documents are missing may be read; what else is known of the system would not be blind.
    if not trace.evidence:
        safe_html.message(NO_DOCUMENTS)
    with st.container(key="inspect_documents"):
        evidence_view.draw(instance, trace.evidence, (), in_english=in_english, scores=False)
