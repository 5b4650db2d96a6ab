"""Published tables on the Dashboard, as printed: a row per setting, below the user's results where they compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from workbench.experiments import listed, value_words
from workbench.metrics import PUBLISHED_MEASURES, metric_name, published_figures, published_tables
from workbench.ui.dashboard import result_frames
from workbench.ui.dashboard.dashboard_state import SESSION, DashboardState
from workbench.ui.dashboard.published_choices import recipe_words
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.dashboard.view_parts import show_findings, show_note
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.chart_style import GROUPS, is_missing, language_label, scored_counts
from workbench.ui.parts.safe_html import element, escaped

if TYPE_CHECKING:
    from pandas import DataFrame

AVERAGE = next(iter(GROUPS))
NAMES = ("dataset", "model", "setting", "prompt", "retrieval")
"""What the rows of a table can differ in."""


def draw(dashboard: DashboardState, state: ResultsState) -> None:
    """The choice of a table, and its figures in each of its metrics."""
    titles = {table.key: table.title for table in published_tables()}
    key = dashboard.reference if dashboard.reference in titles else next(iter(titles))
    SESSION.box("reference", "Table", titles, key, help="The tables of five papers; columns are question languages.")
    for number, (metric, printed) in enumerate(published_figures([key]).groupby("metric", sort=False)):
        _metric(dashboard, state, str(metric), printed, f"published-{key}-{number}")


def _metric(dashboard: DashboardState, state: ResultsState, metric: str, printed: DataFrame, name: str) -> None:
    """The figures of a table in one metric, below those of the user that are computed in the same way."""
    from pandas import concat

    unit, table = str(printed["unit"].iloc[0]), printed_table(printed.assign(setting=recipe_words(printed)), "language")
    title = f"{metric_name(PUBLISHED_MEASURES.get(metric, metric))}, in {unit}"
    safe_html.show(element("div", escaped(title), css="wb-title"))
    results, marks = _comparable_results(dashboard, state, metric), [""] * len(table)
    if results is None:
        st.caption(_why_no_results(metric))
    else:
        averages = results[results["language"] == AVERAGE]
        show_findings(_next_to_published(averages, metric))
        show_note(f"Your results: {scored_counts(averages)}, with 95 % intervals.")
        cells = results.assign(printed=_as_printed(results, unit), setting="yours: " + results["series"])
        rows = printed_table(cells[cells["language"].isin([*table, AVERAGE])], "language", ("setting",))
        rows = rows if "setting" in table else rows.rename(columns={"setting": table.columns[0]})
        table = concat([rows, table])[list(dict.fromkeys([*table, *rows]))].fillna("")
        marks = [*averages["mark"], *marks]
    figure.linked_table(table.rename(columns=_heading), marks, name)
    with st.container(horizontal=True, gap="small"):
        if results is not None:
            figure.csv_button("Your results (CSV)", lambda: results, name, f"csv_{name}", figure.CSV_HELP)
        figure.rows(printed, name)


def printed_table(rows: DataFrame, across: str, names: tuple[str, ...] = NAMES) -> DataFrame:
    """A table as printed: a row per setting, named by what its rows differ in, and a column per value of `across`."""
    named = [name for name in names if rows[name].nunique() > 1] or ["setting"]
    if rows.duplicated([*named, across]).any():
        named.append("note")
    wide = rows.pivot_table(index=named, columns=across, values="printed", aggfunc="first", sort=False, fill_value="")
    return wide.reset_index().rename_axis(columns=None)


def _heading(column: str) -> str:
    """What heads a column: the name of a language or of a group of languages, else what names the rows."""
    if column in (*NAMES, "note"):
        return column.capitalize()
    return language_label(column).partition(" (")[0] if column else "All languages"


def _as_printed(results: DataFrame, unit: str) -> list[str]:
    """The user's means with their intervals in the unit of the paper."""
    times, digits = (100, 1) if unit == "percent" else (1, 2)
    return [
        "" if is_missing(mean) else f"{mean * times:.{digits}f}"
        if is_missing(low) else f"{mean * times:.{digits}f} ({low * times:.{digits}f}–{high * times:.{digits}f})"
        for mean, low, high in zip(results["mean"], results["low"], results["high"], strict=True)
    ]  # fmt: skip


def _why_no_results(metric: str) -> str:
    if measure := PUBLISHED_MEASURES.get(metric):
        return f"No matching results of yours: these runs are not scored by {measure}. Add it to an experiment."
    return "No matching results of yours: no metric of the workbench is computed in this way."


def _comparable_results(dashboard: DashboardState, state: ResultsState, metric: str) -> DataFrame | None:
    """The results in the metric that is computed as a published one, by mode and language and over all languages."""
    from pandas import concat

    measure = PUBLISHED_MEASURES.get(metric, "")
    if measure not in result_frames.metrics(state, dashboard.filter_):
        return None
    filter_ = result_frames.in_paper_scope(state, dashboard.filter_)
    by_language = result_frames.by_dimensions(state, filter_, measure, ("mode", "scope", "language"))
    averages = result_frames.by_dimensions(state, filter_, measure, ("mode", "scope"))
    frame = concat([averages.assign(language=AVERAGE), by_language], ignore_index=True)
    return result_frames.labelled(frame).rename(columns={"label": "series"})


def _next_to_published(averages: DataFrame, metric: str) -> str:
    scored = averages[averages["mean"].notna()]
    if not len(scored):
        return ""
    columns = (scored[column].tolist() for column in ("series", "mean", "low", "high", "n"))
    values = [
        f"{name} {value_words(mean, None if is_missing(low) else low, high, n)}"
        for name, mean, low, high, n in zip(*columns, strict=True)
    ]
    measure = metric_name(PUBLISHED_MEASURES[metric])
    return f"Yours, by “{measure}”: {listed(values)}. The paper's data and models differ, so this is not a test."
