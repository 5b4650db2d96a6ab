"""Results of a queue: progress and pace of its people, their agreement, the shares of labels, and the labels as files.

The shares are in a figure and a table next to the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.annotation import (
    INSPECTED,
    PAPER_TAXONOMY,
    PAUSE,
    AdjudicationStore,
    LabelAgreement,
    LabelShare,
    QueueProgress,
    Taxonomy,
    agreement,
    final_labels,
    label_shares,
    pace_frame,
    paces,
    paper_rows,
    self_agreement,
)
from workbench.ui.annotate import adjudication_view, label_transfer
from workbench.ui.annotate.label_measures import choose_language, draw_merging, draw_trust
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import figure, folds, safe_html
from workbench.ui.parts.agreement_table import agreement_table, agreement_text
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.chart_style import language_label, number_range, plain_text
from workbench.ui.parts.data_table import data_table
from workbench.ui.parts.interval_chart import interval_chart
from workbench.ui.parts.safe_html import Html, element, escaped

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure


LANGUAGE = "inspect_agreement_language"


def draw_progress(state: QueueProgress, annotator: str) -> None:
    """How much of a queue is complete, in all and by its person."""
    share = state.complete / state.places if state.places else 0.0
    words = f"{state.annotators.get(annotator, 0):,} of {state.items:,} answers complete by you"
    if (each := state.places // max(1, state.items)) > 1:
        words += f"; by all {state.complete:,} of {state.places:,}, as {each:,} people read each"
    st.progress(min(1.0, share), text=words)


def progress_line(state: QueueProgress) -> Html:
    """The languages with what is complete of each, then the people with what they completed."""
    languages = [
        element("span", language_badge(code), escaped(f" {complete:,} of {places:,}"), css="wb-once")
        for code, (complete, places) in state.languages.items()
    ]
    people = [chip(name, f"{count:,}") for name, count in state.annotators.items()]
    return element("div", *languages, *people, css="wb-row wb-muted")


def draw_results(desk: LabellingDesk, *, opened: bool) -> None:
    """What came of the queue so far, in folds; agreement is open from the start where `opened`.

    It is not for people who still have items to label: they would see what others said.
    """
    folds.draw("Agreement and downloads", "handshake", "inspect_results", lambda: _agreement(desk), expanded=opened)
    draw_trust(desk.queue)
    draw_merging(desk.queue)
    _pace(desk)
    adjudication_view.draw(desk)
    _shares(desk)


def _agreement(desk: LabellingDesk) -> None:
    rows = agreement(desk.queues, desk.labels, desk.queue.id)
    if any(row.n for row in rows):
        st.markdown("**Agreement** · n counts the answers that at least two people labelled; [95 % intervals].")
        agreement_table(_of_language(rows), desk.taxonomy, "inspect_agreement_table")
    else:
        safe_html.message("Agreement needs answers that two people have completed; there are none yet.")
    if steady := self_agreement(desk.queues, desk.labels, desk.queue.id):
        st.markdown("**The same person twice** · agreement with the first time.")
        records = [
            {
                "Annotator": row.annotator,
                "n": row.raw.n,
                "Same choice": agreement_text(row.raw, percent=True),
                "Cohen’s κ": agreement_text(row.kappa),
            }
            for row in steady
        ]
        data_table(records, hide_index=True, key="inspect_self_agreement")
    label_transfer.draw_downloads(desk)


def _of_language(rows: Sequence[LabelAgreement]) -> list[LabelAgreement]:
    """The rows of the language that is chosen, of all languages together at first."""
    codes = list(dict.fromkeys(row.language for row in rows))
    code = choose_language(LANGUAGE, codes)
    return [row for row in rows if row.language == code]


PACE_EXPLANATION = (
    "An answer’s time runs from the completion of the one before it to its own; “Timed” counts answers with a time. "
    f"Pauses of more than {PAUSE / 60:.0f} minutes are left out; a person’s first answer has no time."
)


@folds.folded("Progress and pace", "timer", "inspect_pace")
def _pace(desk: LabellingDesk) -> None:
    rows = paces(result_frames.store(), desk.queue.id)
    if not rows:
        safe_html.message("Nobody has labelled in this queue yet.")
        return
    data_table(
        pace_frame(rows),
        hide_index=True,
        column_config={
            "annotator": "Annotator",
            "language": "Language",
            "labels": "Labels",
            "items": "Items completed",
            "median_seconds": st.column_config.NumberColumn("Median time", format="%.1f s"),
            "timed": "Timed",
            "pauses_left_out": "Pauses left out",
            "last_active": "Last active (UTC)",
        },
        key="inspect_pace_table",
    )
    st.caption(PACE_EXPLANATION)
    figure.csv_button("Progress and pace (CSV)", lambda: pace_frame(rows), "pace", "csv_label_pace")


ALL = "all"
SHARES_LANGUAGE = "inspect_shares_language"
SHARES_EXPLANATION = (
    "If people disagreed, the labels decided on count; otherwise those that most people gave. Ties are left out of n."
)
PAPER = "Chirkova et al. (2024), Table 8, counted {} predictions per language, of another system on another sample."


@folds.folded("Shares of labels by language", "bar_chart", "inspect_shares")
def _shares(desk: LabellingDesk) -> None:
    decisions = AdjudicationStore(result_frames.store())
    finals = final_labels(desk.queues, desk.labels, decisions, desk.queue.id)
    if not finals:
        safe_html.message("Shares need completed answers; there are none yet.")
        return
    shares = label_shares(desk.taxonomy, finals)
    st.caption(SHARES_EXPLANATION)
    if desk.taxonomy.name == PAPER_TAXONOMY:
        st.caption(PAPER.format(INSPECTED))
    language = choose_language(SHARES_LANGUAGE, ["", *sorted({final.language for final in finals})]) or ALL
    rows = share_rows(shares, desk.taxonomy)
    is_paper = desk.taxonomy.name == PAPER_TAXONOMY
    paper = paper_rows() if is_paper else paper_rows().iloc[:0]
    selected = rows[rows["language"] == language]
    figure.draw(share_chart(rows, language, paper), selected, "label-shares", (desk.queue.id, language))
    shown = [row for row in shares if (row.language or ALL) == language]
    _shares_table(shown, desk.taxonomy)
    st.markdown("**Every language**")
    data_table(share_matrix(shares, desk.taxonomy), key="inspect_shares_matrix")
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
    data_table(rows, hide_index=True, key="inspect_shares_table")


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
