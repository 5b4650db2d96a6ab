"""Searches at work and finished: which one is shown, the state of each, live, and what can be done about it.

Every figure is read from the database, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import ClassVar, Literal, Self

import streamlit as st

from workbench.core import UsageError
from workbench.experiments import counted
from workbench.metrics import metric_name
from workbench.optimise import STRATEGIES, SearchJobs, SearchRow
from workbench.ui.parts import access, job_card, job_list, outcome, safe_html
from workbench.ui.parts.badges import chip
from workbench.ui.parts.job_list import JobRow
from workbench.ui.parts.page_state import PageSession, PageState
from workbench.ui.parts.safe_html import Html, element, joined
from workbench.ui.parts.verb_button import confirmed_button, verb_button
from workbench.workspace import duration_words

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


UNLIMITED = "optimise_unlimited"
PHASES = {"retrieving": "searching", "reranking": "ranking", "answering": "answering"}


def ids() -> list[str]:
    """The ids of all searches, the newest first."""
    return [row.id for row in jobs().store.rows()]


def search_list() -> SearchRow:
    """All searches, at least one, with the card of the one that is open, which is returned."""
    return jobs().status(job_list.draw(SESSION, "search", jobs(), ids(), _row, detail))


def detail(search_id: str) -> None:
    """One search, updated while it is at work."""
    job_card.live(lambda: jobs().is_active(search_id), lambda: _draw(jobs().status(search_id)))


def jobs() -> SearchJobs:
    """The searches of the workspace."""
    return SearchJobs(access.workbench().settings)


def _row(search_id: str) -> JobRow:
    row = jobs().status(search_id)
    # Of a search at work those that are complete, as its card says.
    measured = int(row.progress.get("trial", 0)) if row.active else jobs().store.measured(search_id)
    most = _most(row)
    share = 1.0 if row.state == "done" else min(1.0, measured / most) if most else 0.0
    return JobRow(row.id, row.name, row.state, share, f"{counted(measured, 'recipe')} measured", row.created)


def _most(row: SearchRow) -> int:
    """How many recipes a search measures at most; 0 for a space that this version cannot read any more."""
    from workbench.optimise import most_recipes

    try:
        return most_recipes(row.space, row.options)
    except UsageError:
        return 0


def _draw(row: SearchRow) -> None:
    with st.container(border=row.state != "done", key="search"):
        if row.state != "done":
            _progress(row)
        reason = str(row.outcome.get("stopped_early") or "")
        if row.error or reason:
            safe_html.message(row.error or reason, "error" if row.state == "failed" else "note")
        if row.state == "interrupted":
            safe_html.message("The process was killed. Resume continues where it ended: nothing is lost or done twice.")
        outcome.show(row.id)
        SESSION.show_notice()
        # What stands above the verdict of a finished search is folded.
        fold = st.expander("What it took", key="search_facts") if row.state == "done" else nullcontext()
        with fold:
            safe_html.show(_facts(row))
            _buttons(row)


def _progress(row: SearchRow) -> None:
    values, most = row.progress, _most(row)
    goal, nodes = (row.space.goal, row.space.nodes) if most else ("", ())
    titles = {node.node: node.type.title for node in nodes}
    done = int(values.get("trial", 0))
    text = f"{done:,} of at most {counted(most, 'recipe')}"
    if row.active and values.get("confirming"):
        text = f"{done:,} recipes measured; confirming {values['confirming']:,} on held-out questions"
    if row.active and values.get("total"):
        phase = PHASES.get(str(values.get("phase")), "working")
        text += f" · {phase}: batch {min(int(values['done']) + 1, int(values['total'])):,} of {int(values['total']):,}"
    if row.active and values.get("node"):
        text += f" · node {titles.get(values['node'], values['node'])}"
    st.progress(min(1.0, done / most) if most else 0.0, text=safe_html.plain_label(text))
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
                job_card.press,
                row.id,
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
                job_card.press,
                row.id,
                partial(_resume, row),
                key="optimise_resume",
                icon="play_circle",
                kind="primary",
                help="Continues where it ended. Nothing is measured twice.",
            )
        what = "with all that was measured. Cached steps stay, so that the same search is quick to run again."
        effect = f"“{row.name}” will be deleted for good, {what}"
        confirmed_button("Delete", effect, "searches.delete", _delete, row.id, key="searches_delete")
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


def _facts(row: SearchRow) -> Html:
    """How it searches, and what it took."""
    spent = row.spent
    chips = [chip("strategy", STRATEGIES[row.options.strategy].title), chip("ID", row.id)]
    if row.started:
        chips += [chip("time", duration_words(spent.seconds)), chip("calls of a generator", f"{spent.calls:,}")]
    chips += [chip("tokens", f"{spent.tokens:,}")] if spent.tokens else []
    chips += [chip("cost", f"{spent.money:,.4g}")] if spent.money else []
    chips += [chip(name, counted(count, "step")) for name, count in spent.steps.items()]
    return element("div", joined(chips), css="wb-row")
