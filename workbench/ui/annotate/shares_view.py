"""The shares of labels by language, as a figure and a table next to the paper's, and as a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

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
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.chart_style import language_label, number_range, plain_text
from workbench.ui.parts.interval_chart import interval_chart

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

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
        rows = share_rows(shares, place.taxonomy)
        is_paper = place.taxonomy.name == PAPER_TAXONOMY
        paper = paper_rows() if is_paper else paper_rows().iloc[:0]
        selected = rows[rows["language"] == language]
        figure.draw(share_chart(rows, language, paper), selected, "label-shares", (place.queue.id, language))
        shown = [row for row in shares if (row.language or ALL) == language]
        _shares_table(shown, place.taxonomy)
        st.markdown("**Every language**")
        st.dataframe(share_matrix(shares, place.taxonomy), key="inspect_shares_matrix")
        figure.csv_button("Shares of every language (CSV)", lambda: rows, "label-shares", "csv_label_shares")


def _shares_table(shares: Sequence[LabelShare], taxonomy: Taxonomy) -> None:
    """One row per label: count, n, share with its interval, those decided on, ties, and the paper's count."""
    rows = [
        {
            "Label": taxonomy.label(row.label).name,
            "Answers": f"{row.count:,} of {row.n:,}",
            "Share": _share(row),
            "Decided on": row.adjudicated,
            "Ties": row.ties,
            **({} if row.paper is None else {"Published": f"{row.paper} of {INSPECTED} ({row.paper / INSPECTED:.0%})"}),
        }
        for row in shares
    ]
    st.dataframe(rows, hide_index=True, key="inspect_shares_table")


def _share(row: LabelShare) -> str:
    if row.share.value is None:
        return row.share.reason or "–"
    interval = "" if row.interval is None else f" [{row.interval.low * 100:.0f}, {row.interval.high * 100:.0f}]"
    return f"{row.share.value * 100:.0f} %{interval}"


def share_rows(shares: Sequence[LabelShare], taxonomy: Taxonomy) -> DataFrame:
    """One row per label and language, as the figure, the table and the file have them; shares from 0 to 1."""
    from pandas import DataFrame

    return DataFrame(
        [
            {
                "label": taxonomy.label(row.label).name,
                "key": row.label,
                "language": row.language or "all",
                "count": row.count,
                "n": row.n,
                "mean": row.share.value,
                "low": row.interval.low if row.interval else None,
                "high": row.interval.high if row.interval else None,
                "ties": row.ties,
                "adjudicated": row.adjudicated,
                "paper_count": row.paper,
            }
            for row in shares
        ]
    ).astype({"mean": float, "low": float, "high": float})


def share_matrix(shares: Sequence[LabelShare], taxonomy: Taxonomy) -> DataFrame:
    """Labels by languages, as the paper's table is: shares in percent with their n, the paper's next to them."""
    from pandas import DataFrame

    columns: dict[str, dict[str, str]] = {}
    for row in shares:
        name, label = (row.language or "all"), taxonomy.label(row.label).name
        value = "–" if row.share.value is None else f"{row.share.value * 100:.0f} % of {row.n:,}"
        columns.setdefault(name, {})[label] = value
        if row.paper is not None:
            printed = f"{row.paper / INSPECTED * 100:.0f} % of {INSPECTED}"
            columns.setdefault(f"{name}, published", {})[label] = printed
    names = [label.name for label in taxonomy.labels]
    return DataFrame({name: [cells.get(label, "") for label in names] for name, cells in columns.items()}, index=names)


def share_chart(rows: DataFrame, language: str, paper: DataFrame) -> Figure:
    """The shares of one language, "all" for all of them, as `share_rows` states them.

    `paper` has the published rows, with their `label` as the key of ours; they are next to ours.
    """
    selected = rows[(rows["language"] == language) & (rows["n"] > 0)]
    names = dict(zip(selected["key"], selected["label"], strict=True))
    printed = paper[(paper["language"] == language) & paper["label"].isin(list(names))]
    hovers = [
        f"<b>{plain_text(label)}</b><br>{count:,} of {n:,} answers: {mean:.1%}<br>{ties:,} ties left out"
        for label, count, n, mean, ties in zip(
            *(selected[column] for column in ("label", "count", "n", "mean", "ties")), strict=True
        )
    ]
    where = "all languages" if language == ALL else language_label(language)
    counts = number_range(int(selected["n"].min()), int(selected["n"].max())) if len(selected) else "0"
    return interval_chart(
        selected.rename(columns={"mean": "value"}).assign(hover=hovers, group="your queue"),
        "How many answers have each label",
        f"{where} · n = {counts} answers",
        "share of answers, with 95 % interval",
        published=printed.assign(label=printed["label"].map(names)),
        number=".1%",
        empty="No answer in this language is labelled without a tie.",
    )


def _language(code: str) -> str:
    return "All languages" if code == ALL else language_option(code)
