"""What the Dashboard's views share: sentences, a figure with the rows behind it, the choice of published figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.experiments import choice_name, listed
from workbench.pipeline import EXTRACTIVE
from workbench.ui.dashboard import published_choices, result_frames
from workbench.ui.dashboard.dashboard_state import SESSION, DashboardState
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.safe_html import element, escaped

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure


def show_figure(chart: Figure, frame: DataFrame, name: str, dashboard: DashboardState, state: ResultsState) -> None:
    """Shows a Plotly figure with the rows it is drawn from; `name` is that of its files.

    A click on the figure counts only while the state of the Dashboard and of the results is the same.
    """
    # How its answers are listed makes no other figure.
    figure.draw(chart, frame, name, (dashboard.with_(mark="", order="worst", within="", page=1), state))


def choose_published(
    dashboard: DashboardState, metric: str, state: ResultsState
) -> tuple[DashboardState, DataFrame | None]:
    """The control for published figures; returns the state with what it shows, and their rows or None."""
    choices = published_choices.choices(dashboard.view, metric)
    if not choices:
        return dashboard, None
    titles = {published_choices.NONE: "None", **choices}
    default = published_choices.default_choice(dashboard.view, choices)
    choice = dashboard.reference if dashboard.reference in titles else default
    help_ = "As printed in the papers: hollow or outlined, in grey, with their source."
    SESSION.box("reference", "Published figures", titles, choice, help=help_)
    rows = published_choices.rows(dashboard.view, choice, metric)
    if rows is not None:
        show_note(_compared(dashboard, state, rows))
    return dashboard.with_(reference=choice), rows


def _compared(dashboard: DashboardState, state: ResultsState, published: DataFrame) -> str:
    """What of the user's is next to what of a paper, in a sentence."""
    runs = result_frames.runs(state, dashboard.filter_)
    theirs = listed(list(dict.fromkeys(filter(None, published["model"]))) or ["the paper's models"])
    data = listed(list(dict.fromkeys(filter(None, published["dataset"]))) or ["the paper's questions"])
    searches = dashboard.view in ("retrieval", "documents")
    names = [choice_name("model", model) for model in dict.fromkeys(run.model for run in runs)]
    models = "the search of these runs" if searches else listed(list(dict.fromkeys(names)))
    datasets = listed(list(dict.fromkeys(run.dataset for run in runs)))
    quotes = (
        " The built-in reader quotes sentences and knows nothing by itself: without retrieval it has 0."
        if not searches and any(run.model == EXTRACTIVE for run in runs)
        else ""
    )
    return f"Published: {theirs} on {data}. Yours: {models} on {datasets}. Compare the pattern, not the level.{quotes}"


def show_findings(*sentences: str) -> None:
    """What a figure shows, in a sentence or more above it; empty ones are left out."""
    if texts := [escaped(text) for text in sentences if text]:
        safe_html.show(element("div", *(element("div", text) for text in texts), css="wb-finding", direction="auto"))


def show_note(sentence: str) -> None:
    """A sentence below a figure, such as what it pools."""
    safe_html.show(element("div", escaped(sentence), css="wb-muted"))
