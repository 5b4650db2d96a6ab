"""Territories on the Dashboard: agreement with the controller and concurrence across languages, next to Table 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.experiments import (
    Filter,
    TerritoryAnswer,
    concurrence_rows,
    group_rows,
    listed,
    read_answers,
    run_names,
)
from workbench.languages import language
from workbench.metrics import CONCURRENCE, KINDS, published_figures
from workbench.ui.dashboard import result_frames
from workbench.ui.dashboard.dashboard_state import SESSION, DashboardState, mark
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.dashboard.view_parts import show_figure, show_findings, show_note
from workbench.ui.parts import access, figure, safe_html
from workbench.ui.parts.chart_style import is_missing, language_label
from workbench.ui.parts.interval_chart import interval_chart
from workbench.ui.parts.safe_html import element, escaped

if TYPE_CHECKING:
    from pandas import DataFrame

TABLE, NONE = "ranaldi2025_drag.2", "none"
PRINTED_AS = {"agreement_en": "agreement_en", "agreement_all": "agreement_answers"}
"""The figure that each printed metric is shown next to: see `metrics.concurrence` on the second."""


@st.cache_data(show_spinner="Reading the answers …", max_entries=16)
def answers(state: ResultsState, filter_: Filter) -> list[TerritoryAnswer]:  # noqa: ARG001 - part of the key
    """The answers about territories that a filter lets through, as they are read."""
    return read_answers(result_frames.result_view(filter_), access.dataset_library())


def draw(dashboard: DashboardState, state: ResultsState) -> None:
    """The figures of each run, what its answers say by language and region, and every territory."""
    rows = answers(state, dashboard.filter_)
    if not rows:
        _explain()
        return
    names = run_names(result_frames.runs(state, Filter(runs=tuple({row.instance.run.id for row in rows}))))
    published = _choose_published(dashboard)
    frame = _frame(concurrence_rows(rows), names).assign(
        label=lambda figures: [CONCURRENCE[name].title for name in figures["figure"]],
        group=lambda figures: figures["Run"],
    )
    above = st.container()
    # A gain is no share, and would stretch their axis.
    shares = frame[(frame["figure"] != "delta") & frame["value"].notna()]
    subtitle = f"{len({row.question.id for row in rows}):,} territories, {len(rows):,} answers"
    axis = "share, with its 95 % interval"
    chart = interval_chart(shares, "Agreement and concurrence", subtitle, axis, published=published)
    show_figure(chart, frame.drop(columns=["group", "figure"]), "territories", dashboard, state)
    with above:
        show_findings(*(_finding(frame, name) for name in ("agreement_en", "agreement_all", "delta")))
    if published is not None:
        show_note(
            "Printed “% Agreement X, Y, En” is next to “Answers that name the controller”: it exceeds the agreement in "
            "English, so it counts answers. The paper took 20 territories; its data and models differ from yours."
        )
    with st.expander("What each figure says", icon=":material/help:"):
        for measure in CONCURRENCE.values():
            show_note(f"{measure.title}: {measure.definition} Source: {measure.source}.")
    _table("What answers say, by language", _frame(group_rows(rows, "language"), names), "territories-by-language")
    show_note(
        "Favours its own: of the answers that name a claimant, the share that names one whose language it is, where "
        "another claims, too. Above the share in which its own has control, the language favours its own side."
    )
    _table("What answers say, by region", _frame(group_rows(rows, "region"), names), "territories-by-region")
    _table("Every territory", _territories(rows, names), "territories-each")
    show_note("A row opens what all runs answer in one language, English where it was asked in.")


def _explain() -> None:
    safe_html.message(
        "No answer here is about a territory. Import BORDERLINES (Li et al., 2024) as a folder under Data, then run "
        "its experiment by “mrag run borderlines”: it asks about each territory in English and in the claimants’ "
        "languages, without retrieval, with documents in all languages and by D-RAG."
    )
    st.page_link("pages/data.py", label="Import the dataset", icon=":material/upload_file:")


def _choose_published(dashboard: DashboardState) -> DataFrame | None:
    """The control for the published figures of a model, and these in the rows of the chart; None for none."""
    table = published_figures([TABLE])
    titles = {**{model: f"Table 2, {model}" for model in table["model"].unique()}, NONE: "None"}
    choice = dashboard.reference if dashboard.reference in titles else next(iter(titles))
    help_ = "Ranaldi et al. (2025, D-RAG), as printed: hollow, in grey."
    SESSION.box("reference", "Published figures", titles, choice, help=help_)
    labels = [CONCURRENCE[PRINTED_AS[name]].title for name in table["metric"]]
    return None if choice == NONE else table.assign(label=labels, group=table["setting"])[table["model"] == choice]


COLUMNS: Mapping[str, str] = {
    "value": "Names the controller", "low": "from", "high": "to", "unscored": "Unscored",
    "language": "Language", "region": "Region", **{kind: words.capitalize() for kind, words in KINDS.items()},
    "home": "Favours its own", "home_low": "its from", "home_high": "its to", "home_n": "its n",
    "home_controls": "Its own has control",
}  # fmt: skip


def _frame(rows: Sequence[Mapping[str, Any]], names: Mapping[int, str]) -> DataFrame:
    """The rows with the names of their runs and their marks."""
    from pandas import DataFrame

    marks = [mark(run=row["run"], language=row.get("language", "")) for row in rows]
    rows = [{**row, "language": language_label(row["language"])} if "language" in row else row for row in rows]
    frame = DataFrame(rows).assign(mark=marks, Run=[names[row["run"]] for row in rows]).drop(columns="run")
    numbers = [name for name in map(str, frame) if name in ("value", "low", "high") or name.startswith("home")]
    return result_frames.numbers(frame[["Run", *frame.columns.drop("Run")]], numbers)


def _finding(frame: DataFrame, name: str) -> str:
    part = frame[(frame["figure"] == name) & frame["value"].notna()]
    columns = (part[column].tolist() for column in ("Run", "value", "low", "high", "n"))
    values = [
        f"{run} {value:.2f} ({'' if is_missing(low) else f'95 %: {low:.2f} to {high:.2f}, '}n = {n:,})"
        for run, value, low, high, n in zip(*columns, strict=True)
    ]
    return f"{CONCURRENCE[name].title}: {listed(values, 'run')}." if values else ""


def _territories(rows: Sequence[TerritoryAnswer], names: Mapping[int, str]) -> DataFrame:
    """A row per territory and run, a column per language with what its answer says."""
    from pandas import DataFrame

    lines: dict[tuple[str, int], dict[str, str]] = {}
    for row in rows:
        name, run = row.question.id, row.instance.run.id
        facts = {"Territory": name.replace("_", " "), "Run": names[run], "Controller": row.claimants[row.controller]}
        line = lines.setdefault((name, run), {**facts, "mark": mark(question=row.instance.question_id)})
        line[language(row.question.language).name] = row.words
    return DataFrame([lines[key] for key in sorted(lines)]).fillna("")


def _table(title: str, frame: DataFrame, name: str) -> None:
    safe_html.show(element("div", escaped(title), css="wb-title"))
    figure.linked_table(frame.drop(columns="mark").rename(columns=COLUMNS), frame["mark"].tolist(), name)
    figure.csv_button(f"{title} (CSV)", lambda: frame, name, f"csv_{name}")
