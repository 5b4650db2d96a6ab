"""How far a queue is, and what came of it: progress by person and language, agreement, and the labels as files."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.annotation import LabelAgreement, ProposalAgreement, QueueProgress, Taxonomy, agreement, self_agreement
from workbench.ui.annotate import label_transfer
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.annotate.measures import label_merging_view, metric_trust_view
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import agreement_text, chip, language_badge, language_option
from workbench.ui.parts.safe_html import Html, element, escaped

LANGUAGE = "inspect_agreement_language"


def progress(state: QueueProgress, annotator: str) -> None:
    """How much of a queue is complete, in all and by its person."""
    share = state.complete / state.places if state.places else 0.0
    words = f"{state.complete:,} of {state.places:,} complete, {state.annotators.get(annotator, 0):,} by you"
    st.progress(min(1.0, share), text=words)


def progress_line(state: QueueProgress) -> Html:
    """The languages with what is complete of each, then the people with what they completed."""
    languages = [
        element("span", language_badge(code), escaped(f" {complete:,} of {places:,}"), css="wb-once")
        for code, (complete, places) in state.languages.items()
    ]
    people = [chip(name, f"{count:,}") for name, count in state.annotators.items()]
    return element("div", *languages, *people, css="wb-row wb-muted")


def draw(place: LabellingDesk, *, opened: bool) -> None:
    """What came of the queue so far, in folds; agreement is open from the start where `opened`.

    It is not for people who still have items to label: they would see what others said.
    """
    _agreement(place, opened=opened)
    metric_trust_view.draw(place.queue)
    label_merging_view.draw(place.queue)


def _agreement(place: LabellingDesk, *, opened: bool) -> None:
    """Agreement and downloads, computed only while they are open."""
    with st.expander(
        "Agreement and downloads",
        icon=":material/handshake:",
        key="inspect_results",
        on_change="rerun",
        expanded=opened,
    ) as results:
        if not (opened or results.open):
            return
        rows = agreement(place.queues, place.labels, place.queue.id)
        if any(row.n for row in rows):
            st.markdown("**Agreement** · with 95 % intervals over answers; n counts what at least two people labelled.")
            agreement_table(_of_language(rows), place.taxonomy, "inspect_agreement_table")
        else:
            safe_html.message("Agreement needs answers that two people have completed; there are none yet.")
        if steady := self_agreement(place.queues, place.labels, place.queue.id):
            st.markdown("**The same person twice** · agreement with the first time.")
            records = [
                {
                    "Annotator": row.annotator,
                    "n": row.raw.n,
                    "Raw agreement": agreement_text(row.raw),
                    "Cohen’s κ": agreement_text(row.kappa),
                }
                for row in steady
            ]
            st.dataframe(records, hide_index=True, key="inspect_self_agreement")
        label_transfer.downloads(place)


def _of_language(rows: Sequence[LabelAgreement]) -> list[LabelAgreement]:
    """The rows of the language that is chosen, of all languages together at first."""
    codes = list(dict.fromkeys(row.language for row in rows))
    if st.session_state.get(LANGUAGE) not in codes:
        st.session_state[LANGUAGE] = codes[0]
    code = st.selectbox(
        "Language", codes, key=LANGUAGE, format_func=lambda item: language_option(item) if item else "All languages"
    )
    return [row for row in rows if row.language == code]


def agreement_table(rows: Sequence[LabelAgreement] | Sequence[ProposalAgreement], taxonomy: Taxonomy, key: str) -> None:
    """One row per label and language: n, and raw agreement, κ and α with their intervals."""
    names = {label.key: label.name for label in taxonomy.labels}
    records = [
        {
            "Label": names.get(row.label, "All labels"),
            "Language": language_option(row.language) if row.language else "All languages",
            "n": row.n,
            "Raw agreement": agreement_text(row.raw),
            "Cohen’s κ": agreement_text(row.kappa),
            "Krippendorff’s α": agreement_text(row.alpha),
        }
        for row in rows
    ]
    st.dataframe(records, hide_index=True, key=key)
