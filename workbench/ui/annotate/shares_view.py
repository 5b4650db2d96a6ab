"""The shares of labels by language, as a figure and a table next to the paper's, and as a file."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.annotation import (
    INSPECTED,
    PAPER_TAXONOMY,
    AdjudicationStore,
    LabelShare,
    Taxonomy,
    final_labels,
    label_shares,
    paper_rows,
)
from workbench.ui.annotate import share_chart
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, table

ALL = "all"
LANGUAGE = "inspect_shares_language"
EXPLANATION = (
    "An answer’s labels are those decided on where people disagreed, else those that most people gave. Ties are left "
    "out of n."
)
PAPER = "Chirkova et al. (2024), Table 8, counted {} predictions per language, of another system on another sample."


def draw(place: LabellingDesk) -> None:
    """The shares so far; computed only while they are open."""
    with st.expander(
        "Shares of labels by language",
        icon=":material/bar_chart:",
        key="inspect_shares",
        on_change="rerun",
        expanded=False,
    ) as fold:
        if not fold.open:
            return
        decisions = AdjudicationStore(result_frames.store())
        finals = final_labels(place.queues, place.labels, decisions, place.queue.id)
        if not finals:
            safe_html.message("Shares need completed answers; there are none yet.")
            return
        shares = label_shares(place.taxonomy, finals)
        st.caption(EXPLANATION)
        if place.taxonomy.name == PAPER_TAXONOMY:
            st.caption(PAPER.format(INSPECTED))
        codes = [ALL, *sorted({item.language for item in finals})]
        if st.session_state.get(LANGUAGE) not in codes:
            st.session_state[LANGUAGE] = ALL
        language = st.selectbox("Language", codes, key=LANGUAGE, format_func=_language)
        rows = share_chart.share_rows(shares, place.taxonomy)
        is_paper = place.taxonomy.name == PAPER_TAXONOMY
        paper = paper_rows() if is_paper else paper_rows().iloc[:0]
        selected = rows[rows["language"] == language]
        figure.draw(share_chart.shares(rows, language, paper), selected, "label-shares", (place.queue.id, language))
        shown = [row for row in shares if (row.language or ALL) == language]
        safe_html.show(shares_table(shown, place.taxonomy, with_paper=any(row.paper is not None for row in shown)))
        st.markdown("**Every language**")
        st.dataframe(share_chart.share_matrix(shares, place.taxonomy), key="inspect_shares_matrix")
        figure.csv_button("Shares of every language (CSV)", lambda: rows, "label-shares", "csv_label_shares")


def shares_table(shares: Sequence[LabelShare], taxonomy: Taxonomy, *, with_paper: bool) -> Html:
    """One row per label: count, n, share with its interval, those decided on, ties, and the paper's count."""
    head = ["Label", "Answers", "Share", "Decided on", "Ties"]
    cells = [
        [
            inline(taxonomy.label(row.label).name, css="wb-title"),
            escaped(f"{row.count:,} of {row.n:,}"),
            _share(row),
            _named("decided on", row.adjudicated),
            _named("ties", row.ties),
            *([_paper(row)] if with_paper else []),
        ]
        for row in shares
    ]
    return table([*head, *(["Published"] if with_paper else [])], cells, "wb-stacked")


def _share(row: LabelShare) -> Html:
    if row.share.value is None:
        return inline(row.share.reason or "–", css="wb-muted")
    interval = "" if row.interval is None else f" [{row.interval.low * 100:.0f}, {row.interval.high * 100:.0f}]"
    return element("span", escaped(f"{row.share.value * 100:.0f} %{interval}"), css="wb-once")


def _named(name: str, count: int) -> Html:
    """A number, on a phone after its name."""
    return joined([element("span", escaped(f"{name} "), css="wb-phone"), escaped(f"{count:,}")])


def _paper(row: LabelShare) -> Html:
    if row.paper is None:
        return element("span", escaped("–"), css="wb-muted")
    words = f"{row.paper} of {INSPECTED} ({row.paper / INSPECTED * 100:.0f} %)"
    return joined([element("span", escaped("published "), css="wb-phone"), inline(words, css="wb-muted")])


def _language(code: str) -> str:
    return "All languages" if code == ALL else language_option(code)
