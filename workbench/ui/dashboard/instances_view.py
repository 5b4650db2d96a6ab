"""The answers behind a mark, one page at a time: a card per question, the worst first, with a row per run.

One question in all runs of the selected experiments is a card of its own.
"""

from __future__ import annotations

import json
from functools import partial

import streamlit as st
from sqlalchemy import ColumnElement

from workbench.core import UsageError
from workbench.experiments import (
    Filter,
    Instance,
    answered_in,
    choice_title,
    furthest_apart,
    given_in,
    of_questions,
    question_step,
)
from workbench.metrics import metric_name
from workbench.pipeline import make_recipe
from workbench.ui.ask.ask_state import Choice
from workbench.ui.dashboard import instance_controls, result_frames
from workbench.ui.dashboard.dashboard_state import SESSION, URL_NAMES, DashboardState, Mark, from_mark, mark, narrow
from workbench.ui.dashboard.view_controls import filter_words
from workbench.ui.parts import answer_rows, safe_html
from workbench.ui.parts.badges import chip, language_option
from workbench.ui.parts.safe_html import Html, element, escaped

PAGE = 10
"""Questions of a page."""
ANSWERS_LIMIT = 200
"""Answers that a page shows."""
UNPERTURBED = "none"
SEEN = "dash_seen"
"""In the session: the mark and the page that were scrolled to last."""


def draw(dashboard: DashboardState) -> None:
    """A page of the answers behind the open mark, with their controls."""
    mark = from_mark(dashboard.mark)
    with st.container(key="instances"):
        container = st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
        safe_html.show(described(mark))
        count = _list(dashboard, mark)
        with container:
            st.header(f"Answers ({count:,})", anchor=safe_html.INSTANCES)
            st.button("Close", key="dash_closed", icon=":material/close:", type="tertiary", on_click=_close)
    # Once: a user who then scrolls away is not brought back by the next run.
    if st.session_state.get(SEEN) != (dashboard.mark, dashboard.page):
        st.session_state[SEEN] = (dashboard.mark, dashboard.page)
        safe_html.look_at_instances()


def _list(dashboard: DashboardState, mark: Mark) -> int:
    """The cards of a page, and how many answers there are."""
    # One question in all runs, whatever else is filtered: every run of the experiments that asked it.
    filter_ = Filter(experiments=dashboard.filter_.experiments) if mark.question else dashboard.filter_
    filter_ = narrow(filter_, mark.filter_)
    if not (mark.metrics or mark.question):
        instance_controls.choose(dashboard)
    count, pages, instances = _page(dashboard, filter_, mark)
    if mark.metrics and (every := question_step(result_frames.result_view(filter_), mark.metrics[0])) > 1:
        safe_html.message(f"There are very many answers: only those to one question in {every:,} are searched.")
    if not instances:
        safe_html.message("No answers here: none has such a score, or this page is past the last one.")
    one_run = not mark.question and len({item.run.id for item in instances}) == 1
    answer_rows.draw_groups(instances, mark.metrics or (dashboard.metric,), partial(_links, one_run=one_run))
    with st.container(horizontal=True, vertical_alignment="center", key="instances_pages"):
        SESSION.turn_pages(pages, f", {PAGE} questions each")
        if count:
            view = result_frames.result_view(filter_)
            instance_controls.download(view, lambda: _file(dashboard, filter_, mark), count)
    return count


def _links(instance: Instance, *, one_run: bool) -> None:
    """What opens an answer, and the same question in all runs where only one is listed."""
    if one_run:
        st.button(
            "All runs",
            key=f"question_of_{instance.answer}",
            icon=":material/view_column:",
            type="tertiary",
            help="The answers of all runs to this question.",
            on_click=open_question,
            args=(instance.question_id,),
        )
    st.page_link(
        "pages/inspect.py",
        label="Open",
        icon=":material/fact_check:",
        help="The complete answer with its documents, prompt and scores, to read and to label.",
        query_params={"experiment": instance.run.experiment_id, "instance": str(instance.answer)},
        width="content",
    )


def open_question(question_id: int) -> None:
    """Opens a question in all runs, as a click on a figure would."""
    SESSION.choose("mark", mark(question=question_id))


def described(mark: Mark) -> Html:
    """What the mark stands for, as chips."""
    chips = [
        chip(choice_title(URL_NAMES[name]), ", ".join(filter_words(URL_NAMES[name], value) for value in values))
        for name in URL_NAMES
        if (values := getattr(mark.filter_, name)) and name != "runs"
    ]
    if mark.document:
        chips.append(chip("given a document in", language_option(mark.document)))
    if mark.answer is not None:
        chips.append(chip("answered in", language_option(mark.answer) if mark.answer else "an unknown language"))
    if mark.metrics:
        chips.append(chip("largest disagreement first", " and ".join(map(metric_name, mark.metrics))))
    if mark.failed:
        chips.append(chip("failed"))
    if mark.question:
        chips.append(chip("one question", "all runs"))
    return element("div", *chips, css="wb-row")


def again(instance: Instance) -> Choice | None:
    """The choice that asks the same again on the Ask screen.

    None for an imported answer, for one whose evidence was perturbed and for one that this version cannot repeat.
    """
    if not instance.run.recipe or instance.run.perturbation != UNPERTURBED:
        return None
    try:
        return Choice(
            question=instance.text,
            language=instance.language,
            recipe=make_recipe(json.loads(instance.run.recipe)),
            submitted=True,
        )
    except (UsageError, ValueError):
        # Written by a version that had other choices.
        return None


def _page(dashboard: DashboardState, filter_: Filter, mark: Mark) -> tuple[int, int, list[Instance]]:
    """How many answers and how many pages there are, and the answers of a page, sorted by question."""
    view, metric, start = result_frames.result_view(filter_), dashboard.metric, (dashboard.page - 1) * PAGE
    if mark.metrics:
        count, instances = furthest_apart(view, *mark.metrics, start=start, limit=PAGE)
        return count, -(-count // PAGE), instances
    conditions, failed = _conditions(dashboard, mark), True if mark.failed else None
    order = {"best_first": dashboard.order == "best"}
    if dashboard.order == "stored":
        count = view.count(failed=failed, conditions=conditions)
        instances = view.instances(start=start, limit=PAGE, failed=failed, conditions=conditions)
        return count, -(-count // PAGE), instances
    questions, ids = view.questions_by_score(
        metric, start=start, limit=PAGE, failed=failed, conditions=conditions, **order
    )
    instances = view.instances(limit=ANSWERS_LIMIT, failed=failed, conditions=[*conditions, *of_questions(*ids)])
    return (
        view.count(failed=failed, conditions=conditions),
        -(-questions // PAGE),
        answer_rows.in_order(instances, ids, metric, **order),
    )


def _conditions(dashboard: DashboardState, mark: Mark) -> list[ColumnElement[bool]]:
    others = instance_controls.conditions(dashboard) if not mark.question else of_questions(mark.question)
    return [*given_in(mark.document), *answered_in(mark.answer), *others]


def _file(dashboard: DashboardState, filter_: Filter, mark: Mark) -> list[Instance]:
    """The listed answers that a file holds, from the first on."""
    view, limit = result_frames.result_view(filter_), instance_controls.CSV_LIMIT
    if mark.metrics:
        return furthest_apart(view, *mark.metrics, start=0, limit=limit)[1]
    order = instance_controls.sorting(dashboard)
    failed = True if mark.failed else None
    return view.instances(limit=limit, failed=failed, conditions=_conditions(dashboard, mark), order=order)


def _close() -> None:
    st.session_state.pop(SEEN, None)
    SESSION.choose("mark", "")


def hint() -> Html:
    """What is shown where no answers are open."""
    text = "Click a point or cell of the figure, or a row of its table, to see the answers behind it."
    return element("div", escaped(text), css="wb-muted")
