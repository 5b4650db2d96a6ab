"""How the instances behind a mark are listed: their order, the scores that they have, and all of them as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st
from sqlalchemy import ColumnElement

from workbench.experiments import Instance, ResultView, csv_rows, not_scored, score_of, scored_within
from workbench.metrics import metric_name, scale_of
from workbench.ui.dashboard.dashboard_state import ORDERS, SESSION, DashboardState, bounds
from workbench.ui.parts import downloads
from workbench.ui.parts.page_state import PageSession
from workbench.workspace import csv_text

CSV_LIMIT = 10_000
"""Instances in a file; exports of the Runs screen have all."""


def choose(dashboard: DashboardState) -> None:
    """The controls for order and scores."""
    metric = dashboard.metric
    left, right = st.columns([1, 1.4], gap="medium")
    with left:
        help_ = "Of the questions by the mean of their answers here, and of the answers to each."
        SESSION.box("order", "Order", ORDERS, help=help_)
    with right:
        choose_scores(
            SESSION,
            metric,
            disabled=dashboard.order == "unscored",
            help_="Only answers with such a score are listed. The complete range lists all, scored or not.",
        )


def choose_scores(session: PageSession[Any], metric: str, *, disabled: bool = False, help_: str | None = None) -> None:
    """The slider for the scores that are listed, which the field `within` of a page's state holds as text."""
    scale, key = scale_of(metric), f"{session.key('within')}_{metric}"
    low, high = bounds(session.current.within) or (scale.low, scale.high)
    value = (max(scale.low, min(low, scale.high)), max(scale.low, min(high, scale.high)))
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    st.slider(
        f"{metric_name(metric)}: from … to",
        scale.low,
        scale.high,
        key=key,
        persist_state="page",
        step=(scale.high - scale.low) / 20,
        disabled=disabled,
        help=help_,
        on_change=_take_scores,
        args=(session, key, (scale.low, scale.high)),
    )


def _take_scores(session: PageSession[Any], key: str, complete: tuple[float, float]) -> None:
    low, high = st.session_state[key]
    session.choose("within", "" if (low, high) == complete else f"{low:g}-{high:g}")


def conditions(dashboard: DashboardState) -> list[ColumnElement[bool]]:
    """The conditions on answers that the state's order and scores stand for."""
    if dashboard.order == "unscored":
        return not_scored(dashboard.metric)
    within = bounds(dashboard.within)
    return scored_within(dashboard.metric, *within) if within else []


def sorting(dashboard: DashboardState) -> list[ColumnElement[Any]]:
    """What the answers are sorted by; nothing where they are listed as they were run. Unscored ones come last."""
    if dashboard.order not in ("worst", "best"):
        return []
    value = score_of(dashboard.metric)
    ascending = scale_of(dashboard.metric).higher_is_better == (dashboard.order == "worst")
    return [value.is_(None), value if ascending else value.desc()]


def download(view: ResultView, instances: Callable[[], Sequence[Instance]], count: int) -> None:
    """A button for the listed instances as CSV, which are read when it is pressed: `CSV_LIMIT` at most."""
    limit = "" if count <= CSV_LIMIT else f" The first {CSV_LIMIT:,}; the Runs screen exports all of them."
    name, help_ = "instances.csv", f"As listed here.{limit}"
    downloads.button(
        "Answers (CSV)", lambda: f"\ufeff{csv_text(csv_rows(view, instances()))}", name, "csv_instances", help=help_
    )
