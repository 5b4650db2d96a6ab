"""Searches at work and finished: which one is shown, the state of each, live, and what can be done about it.

Every figure is read from the database, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar, Literal, Self

import streamlit as st

from workbench.core import UsageError, shorten
from workbench.experiments import counted
from workbench.metrics import metric_name
from workbench.optimise import STRATEGIES, SearchJobs, SearchRow
from workbench.ui.parts import access, job_card, safe_html
from workbench.ui.parts.badges import chip
from workbench.ui.parts.data_table import data_table
from workbench.ui.parts.page_state import PageSession, PageState
from workbench.ui.parts.safe_html import Html, element, inline, joined
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.runs.jobs_view import delete_popover
from workbench.workspace import STATE_TITLES, duration_words

ReportView = Literal["best", "nodes", "choices", "costs", "recipes", "published"]
TITLES: Mapping[ReportView, str] = {
    "best": "Best recipe",
    "nodes": "Nodes",
    "choices": "Choices",
    "costs": "Quality and cost",
    "recipes": "All recipes",
    "published": "Published tables",
}


class OptimiseState(PageState):
    """The search that is open ("" for the newest), the view of its results, and the node whose plot is open."""

    PAGE: ClassVar[str] = "optimise"

    search: str = ""
    view: ReportView = "best"
    node: str = ""

    def after(self, path: str) -> Self:
        """Another search begins with no node open."""
        return self.with_(node="") if path == "search" else self


SESSION = PageSession(OptimiseState)


LISTED = 200
"""Searches in the list, the newest ones."""
UNLIMITED = "optimise_unlimited"
PHASES = {"retrieving": "searching", "reranking": "ranking", "answering": "answering"}


def names() -> dict[str, str]:
    """The names of all searches by id, the newest first."""
    return {row.id: row.name for row in jobs().store.rows()}


def choose(titles: Mapping[str, str]) -> str:
    """The box for the search that is shown; its id. `titles` are names by id, at least one."""
    linked = SESSION.current.search
    if linked and linked not in titles:
        sentence = (
            f"The link names the search “{shorten(linked)}”, which is not in this workspace; another one is shown."
        )
        safe_html.message(sentence, "error")
    search_id = linked if linked in titles else next(iter(titles))
    st.selectbox(
        "Search",
        list(titles),
        format_func=lambda item: f"{titles[item]} ({item})",
        help="The search whose progress and results are shown below.",
        **SESSION.control("search", shown=search_id),
    )
    return search_id


def detail(search_id: str) -> SearchRow:
    """One search, updated while it is at work; returns how it stands."""
    job_card.live(lambda: jobs().status(search_id).active, lambda: _draw(jobs().status(search_id)))
    return jobs().status(search_id)


def search_list() -> None:
    """All searches, updated while any is at work."""
    with st.expander("All searches", icon=":material/list:", key="optimise_list", on_change="rerun") as fold:
        if fold.open:
            job_card.live(lambda: any(row.active for row in jobs().statuses()[:LISTED]), _draw_list)


def jobs() -> SearchJobs:
    """The searches of the workspace."""
    return SearchJobs(access.workbench().settings)


def _draw_list() -> None:
    from pandas import DataFrame

    store = jobs().store
    rows = [
        {
            "Search": row.name,
            "State": STATE_TITLES[row.state],
            "Strategy": _strategy(row),
            "Recipes": store.measured(row.id),
            "Created": job_card.time_words(row.created),
            "ID": row.id,
        }
        for row in jobs().statuses()[:LISTED]
    ]
    data_table(DataFrame(rows), hide_index=True, key="optimise_searches", alt="All searches")


def _draw(row: SearchRow) -> None:
    with st.container(border=True, key="search"):
        name = element("b", inline(row.name), css="wb-ask")
        facts = [chip("strategy", _strategy(row)), chip("ID", row.id)]
        safe_html.show(element("div", name, job_card.badge(row.state), *facts, css="wb-row"))
        _progress(row)
        reason = str(row.outcome.get("stopped_early") or "")
        if row.error or reason:
            safe_html.message(row.error or reason, "error" if row.state == "failed" else "note")
        if row.state == "interrupted":
            safe_html.message("The process was killed. Resume continues where it ended: nothing is lost or done twice.")
        SESSION.show_notice()
        if row.started:
            safe_html.show(_spent(row))
        _buttons(row)


def _progress(row: SearchRow) -> None:
    from workbench.optimise import most_recipes

    values, measured = row.progress, jobs().store.measured(row.id)
    try:
        most, goal = most_recipes(row.space, row.options), row.space.goal
        titles = {node.node: node.type.title for node in row.space.nodes}
    except UsageError:
        most, goal, titles = measured, "", {}  # a space that this version cannot read any more still has a state
    done = int(values.get("trial", 0))
    share = 1.0 if row.state == "done" else min(1.0, done / most) if most else 0.0
    ended = f"{counted(measured, 'recipe')} measured"
    text = f"{done:,} of at most {counted(most, 'recipe')}" if row.state != "done" else ended
    if row.active and values.get("confirming"):
        text = f"{done:,} recipes measured; confirming {values['confirming']:,} on held-out questions"
    if row.active and values.get("total"):
        phase = PHASES.get(str(values.get("phase")), "working")
        text += f" · {phase}: batch {min(int(values['done']) + 1, int(values['total'])):,} of {int(values['total']):,}"
    if row.active and values.get("node"):
        text += f" · node {titles.get(values['node'], values['node'])}"
    st.progress(share, text=safe_html.plain_label(text))
    best = (values.get("best") or {}).get("metrics", {}).get(goal, {})
    if row.active and best.get("mean") is not None:
        safe_html.show(
            safe_html.text_block(
                f"Best so far, {metric_name(goal)}: {best['mean']:.3f} on {counted(best['n'], 'question')}.",
                "en",
                "wb-muted",
            )
        )


def _buttons(row: SearchRow) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if row.active:
            verb_button(
                "Stop",
                "searches.stop",
                _try,
                partial(jobs().stop, row.id),
                key="optimise_stop",
                icon="stop_circle",
                help="Ends after the current steps; what was measured is kept.",
            )
            return
        if row.state != "done":
            verb_button(
                "Resume" if row.started else "Start",
                "searches.start",
                _try,
                partial(_resume, row),
                key="optimise_resume",
                icon="play_circle",
                kind="primary",
                help="Continues where it ended. Nothing is measured twice.",
            )
        what = "with all that was measured. Cached steps stay, so that the same search is quick to run again."
        delete_popover(row.name, what, "searches", _delete, row.id)
        if row.state == "stopped" and row.options.cap.model_dump(exclude_none=True):
            st.checkbox(
                "Resume without limits",
                key=f"{UNLIMITED}_{row.id}",
                help="Resume without the limits of calls, tokens, seconds and cost that it was started with.",
            )


def _resume(row: SearchRow) -> None:
    from workbench.optimise import Cap

    jobs().start(row.id, Cap() if st.session_state.get(f"{UNLIMITED}_{row.id}") else None)


def _delete(search_id: str) -> None:
    with SESSION.noticed():
        jobs().discard(search_id)
        SESSION.change(search="", node="")


def _try(action: Callable[[], object]) -> None:
    with SESSION.noticed():
        action()


def _spent(row: SearchRow) -> Html:
    spent = row.spent
    chips = [chip("time", duration_words(spent.seconds)), chip("calls of a generator", f"{spent.calls:,}")]
    chips += [chip("tokens", f"{spent.tokens:,}")] if spent.tokens else []
    chips += [chip("cost", f"{spent.money:,.4g}")] if spent.money else []
    chips += [chip(name, counted(count, "step")) for name, count in spent.steps.items()]
    return element("div", joined(chips), css="wb-row")


def _strategy(row: SearchRow) -> str:
    return STRATEGIES[row.options.strategy].title
