"""The filters of Browse: which instances are listed; and those that were saved under a name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import parse_qs

import streamlit as st

from workbench.core import shorten
from workbench.experiments import FILTER_NAME_LIMIT, Filter, SavedFilter, SavedFilters
from workbench.metrics import metric_help, metric_name
from workbench.ui.dashboard import instance_controls, result_frames, view_controls
from workbench.ui.dashboard.dashboard_state import URL_NAMES
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.inspect.inspect_state import FILTERS, LISTED, ONLY_TITLES, SESSION, InspectState
from workbench.ui.parts import folds
from workbench.ui.parts.safe_html import plain_label
from workbench.ui.parts.verb_button import verb_button

SCREEN = "inspect"
NAME = "inspect_filter_name"
ORDERS = {"worst": "Worst first", "best": "Best first"}


def saved_filters(state: InspectState) -> None:
    """The saved filters behind a button; the one that the screen shows is filled."""
    store = _store()
    rows = store.all()
    query = state.query
    with st.popover("Saved filters", icon=":material/bookmark:", key="inspect_saved_filters"):
        if not rows:
            st.caption("Name the current filters to find them again; everybody in this workspace sees them.")
        for number, row in enumerate(rows):
            _row(number, row, is_shown=row.query == query)
        st.text_input(
            "Name for these filters", key=NAME, max_chars=FILTER_NAME_LIMIT, placeholder="Finnish, low recall"
        )
        help_ = "The experiment, the filters and the search. A filter of the same name is replaced."
        save, key = partial(_save, query), "inspect_filter_save"
        verb_button("Save filters", "filters.save", save, key=key, icon="bookmark_add", help=help_)


def _row(number: int, row: SavedFilter, *, is_shown: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"inspect_filter_{number}"):
        st.button(
            plain_label(row.name),
            key=f"inspect_filter_pick_{number}",
            type="primary" if is_shown else "secondary",
            on_click=_pick,
            args=(row,),
            width="stretch",
        )
        help_ = plain_label(f"Deletes the filter “{row.name}” for everybody; no answer is lost.")
        key, delete = f"inspect_filter_delete_{number}", partial(_delete, row.name)
        verb_button("Delete", "filters.save", delete, key=key, icon="delete", kind="tertiary", help=help_)


def _pick(row: SavedFilter) -> None:
    """Shows what a saved filter lets through."""
    with SESSION.noticed():
        saved, problems = InspectState.from_params(parse_qs(row.query))
        listed = {name: saved.at(name) for name in LISTED}
        SESSION.change(**listed, page=1, instance=0)
        SESSION.note_problems(problems)


def _save(query: str) -> None:
    with SESSION.noticed():
        row = _store().save(str(st.session_state.get(NAME, "")), query)
        st.session_state[NAME] = ""
        st.toast(plain_label(f"Saved as “{row.name}”."), icon=":material/bookmark_added:")


def _delete(name: str) -> None:
    with SESSION.noticed():
        _store().delete(name)


def _store() -> SavedFilters:
    return SavedFilters(result_frames.store(), SCREEN)


def draw(results: ResultsState, *, shown: bool) -> tuple[InspectState, str]:
    """The controls, top to bottom, the state that they are in, and the metric that is shown, "" where there is none.

    There is at least one experiment. They are not `shown` where an answer is open, which would begin below them.
    """
    names = view_controls.distinct_names(result_frames.experiments(results))
    before = SESSION.current
    experiments = tuple(experiment for experiment in before.filter_.experiments if experiment in names) or (
        next(iter(names)),
    )
    every = Filter(experiments=experiments)
    options = view_controls.options(every, results, FILTERS)
    metrics = result_frames.metrics(results, every)
    lists = {name: tuple(item for item in getattr(before.filter_, name) if item in options[name]) for name in FILTERS}
    scores = {} if before.metric in metrics else {"metric": "", "within": ""}
    if SESSION.is_fresh:
        offered: Mapping[str, Collection[Any]] = {
            "experiments": names,
            "metric": ["", *metrics],
            **{name: options[name] for name in FILTERS},
        }
        SESSION.note_problems((*SESSION.problems, *_missing(before, offered)))
    SESSION.show_problems()
    SESSION.complete(before.with_(filter_=replace(every, **lists), search=before.search.strip(), **scores))
    state = SESSION.current
    metric = state.metric or next(iter(metrics), "")
    if not shown:
        return state, metric
    columns = st.columns([1.3, 1, 1.4, 0.7], gap="small")
    columns[0].multiselect(
        "Experiment", list(names), format_func=names.__getitem__, **SESSION.control("filter_.experiments")
    )
    columns[1].text_input(
        "Search", placeholder="Question, gold or answer", icon=":material/search:", **SESSION.control("search")
    )
    if metric:
        columns[2].selectbox(
            "Score",
            metrics,
            format_func=metric_name,
            help=plain_label(metric_help(metric)),
            **SESSION.control("metric", shown=metric),
        )
        columns[3].selectbox(
            "Order",
            list(ORDERS),
            format_func=ORDERS.__getitem__,
            help="Of the questions by the mean of their answers, and of the answers to each.",
            **SESSION.control("order"),
        )
    count = sum(map(bool, [*lists.values(), state.only])) + bool(state.within)
    label = f"Filters ({count} active)" if count else "Filters"

    def filters() -> None:
        view_controls.filter_boxes(SESSION, options, results, every)
        if metric:
            instance_controls.choose_scores(SESSION, metric)
        titles = ONLY_TITLES.__getitem__
        st.pills("Only", list(ONLY_TITLES), selection_mode="multi", format_func=titles, **SESSION.control("only"))

    folds.draw(label, "filter_alt", "inspect_filters", filters, expanded=count > 0)
    saved_filters(state)
    return state, metric


def _missing(state: InspectState, offered: Mapping[str, Collection[Any]]) -> list[str]:
    """A sentence for each value of a link that the results do not have, which would otherwise be left out silently."""
    return [
        f"There is no {URL_NAMES.get(name, name)} “{shorten(value)}” among these results."
        for name, known in offered.items()
        for value in (getattr(state.filter_, name) if name != "metric" else [state.metric])
        if value not in known
    ]
