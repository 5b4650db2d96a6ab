"""How the instances behind a mark are listed: their order, the scores that they have, and all of them as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st
from sqlalchemy import ColumnElement

from workbench.experiments import Instance, not_scored, run_names, score_of, scored_within
from workbench.metrics import metric_name, scale_of
from workbench.ui.dashboard.dashboard_state import ORDERS, SESSION, DashboardState, Order, bounds
from workbench.ui.parts import figure
from workbench.ui.parts.page_state import PageSession

if TYPE_CHECKING:
    from pandas import DataFrame

CSV_LIMIT = 10_000
"""Instances in a file; exports of the Runs screen have all."""


def choose(dashboard: DashboardState) -> None:
    """The controls for order and scores."""
    metric = dashboard.metric
    words: dict[Order, str] = {
        "worst": "Worst first",
        "best": "Best first",
        "stored": "As they were run",
        "unscored": "Unscored only",
    }
    left, right = st.columns([1, 1.4], gap="medium")
    with left:
        st.selectbox(
            "Order",
            list(ORDERS),
            format_func=words.__getitem__,
            help="Of the questions by the mean of their answers here, and of the answers to each.",
            **SESSION.control("order"),
        )
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


def table(instances: Sequence[Instance]) -> DataFrame:
    """Instances as rows of plain values, one column for each metric that scored any of them."""
    from pandas import DataFrame

    metrics = list(dict.fromkeys(name for instance in instances for name in instance.scores))
    names = run_names(list({instance.run.id: instance.run for instance in instances}.values()))
    return DataFrame(
        [
            {"run_name": names[instance.run.id], **_row(instance)}
            | {name: instance.scores.get(name) for name in metrics}
            for instance in instances
        ]
    )


def download(instances: Callable[[], Sequence[Instance]], count: int) -> None:
    """A button for the listed instances as CSV, which are read when it is pressed: `CSV_LIMIT` at most."""
    limit = "" if count <= CSV_LIMIT else f" The first {CSV_LIMIT:,}; The Runs screen exports all of them."
    figure.csv_button(
        "Answers (CSV)", lambda: table(instances()), "instances", "csv_instances", f"As listed here.{limit}"
    )


def _row(instance: Instance) -> dict[str, object]:
    run = instance.run
    return {
        **{name: getattr(run, name) for name in ("dataset", "mode", "scope", "prompt", "model", "k", "perturbation")},
        "question_id": instance.question,
        "language": instance.language,
        "question": instance.text,
        "gold": " | ".join(instance.golds),
        "gold_passages": " | ".join(instance.gold_passages),
        "answer": instance.output,
        "answer_language": instance.answer_language,
        "documents": " | ".join(name for name, _, _ in instance.passages),
        "seconds": instance.seconds,
        "error": instance.error,
    }
