"""What a search of the space in the form takes and can show, at once and better after a trial; and its start."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.experiments import counted
from workbench.optimise import (
    DEFAULT_STRATEGY,
    STRATEGIES,
    Cap,
    SearchJobs,
    SearchOptions,
    SearchSpace,
    SearchTrials,
    forecast_of,
    idle_words,
)
from workbench.ui.home import home_view
from workbench.ui.optimise import space_form
from workbench.ui.optimise.search_view import SESSION
from workbench.ui.parts import access, job_card, outcome, permitted, safe_html
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.safe_html import element, escaped, inline, table
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.runs import actions
from workbench.workspace import Job, duration_words

if TYPE_CHECKING:
    from workbench.optimise import FirstEstimate, Forecast

KEY = "optimise_how_"
OPTIONS = "optimise_options"
"""The session's key for how the space is searched: its controls are drawn only while they are looked at."""
FORM, CHANGE = "new_search", "optimise_change"
LIMITS: Mapping[str, tuple[str, Any, str]] = {
    "calls": ("Calls", 1, "Calls of a generator."),
    "tokens": ("Tokens", 1, "Tokens read and written."),
    "seconds": ("Seconds", 1.0, "Seconds of work."),
    "money": ("Cost", 0.01, "In the currency of prices.yaml, USD by default."),
}
"""What of a search can be limited: its title, the least value, and what it is."""
HOLDOUTS: Mapping[float, str] = {0.5: "Half", 0.33: "A third", 0.2: "A fifth", 0.0: "None"}
UNASKED = 3_600.0
"""Seconds up to which a search starts without a question."""
TRIAL = JobWords("optimise_trial", lambda job: f"A trial betters the estimate: {job.phase}", stop="Stop the trial")


@permitted.form("searches.start")
def new_search(*, opened: bool) -> None:
    """What would be searched, what it takes and can show, and Start; folded, what can be changed of it."""
    fold = actions.folded("New search", FORM, ":material/add_circle:", opened)
    if not fold.open:
        return
    with fold, access.guarded():
        above = st.container()
        change = st.expander(
            "Change questions, recipes or strategy", icon=":material/tune:", key=CHANGE, on_change="rerun"
        )
        space, options = space_form.current(), st.session_state.get(OPTIONS) or SearchOptions()
        if change.open:
            with change:
                space, options = space_form.draw(), _options()
            st.session_state[OPTIONS] = options
        with above:
            _plan(space, options)


def offer(space: SearchSpace) -> None:
    """Opens the form with a space: for the callback of a button."""
    space_form.put(space)
    st.session_state[FORM] = True


def _options() -> SearchOptions:
    """How the space is searched: the strategy, the most recipes, the held-out questions and the cap."""
    left, middle, right = st.columns([1.6, 1, 1], gap="medium")
    with left:
        name = st.selectbox(
            "Strategy",
            list(STRATEGIES),
            key=f"{KEY}strategy",
            persist_state="page",
            index=list(STRATEGIES).index(DEFAULT_STRATEGY),
            format_func=lambda item: STRATEGIES[item].title,
            help="How the space is searched. Exhaustive search is cheap if recipes share steps.",
        )
        safe_html.show(safe_html.text_block(STRATEGIES[name].explanation, "en", "wb-muted"))
    trials = middle.number_input(
        "Maximum number of recipes",
        1,
        None,
        None,
        key=f"{KEY}trials",
        persist_state="page",
        placeholder="No limit",
        help="The search ends after this number of recipes. Left empty, Random, TPE, and Quality, tokens and time "
        "measure 50; the others have no limit.",
    )
    holdout = right.selectbox(
        "Held-out questions",
        list(HOLDOUTS),
        key=f"{KEY}holdout",
        persist_state="page",
        format_func=HOLDOUTS.__getitem__,
        help="Questions that the search does not see. They confirm the result; translations stay together.",
    )
    st.markdown("**Spending limits**")
    spent: dict[str, Any] = {
        name: column.number_input(
            title, low, None, None, key=f"{KEY}{name}", persist_state="page", placeholder="No limit", help=explanation
        )
        for column, (name, (title, low, explanation)) in zip(st.columns(4), LIMITS.items(), strict=True)
    }
    return SearchOptions(strategy=name, trials=trials, holdout=holdout, cap=Cap(**spent))


def _plan(space: SearchSpace, options: SearchOptions) -> None:
    """How much is searched, how long that takes and what it can show; then the buttons."""
    from workbench.optimise import size_words

    key = (space.fingerprint, options.model_dump_json(), access.workbench().settings.database_url)
    first, hosts, problems, built_in = _known(*key, space, options)
    trials = SearchTrials(access.workbench().settings)
    if built_in and space == space_form.template() and trials.find(space, options) is None:
        trials.begin(space, options)  # nobody typed anything yet, and nothing leaves this machine
    trial = trials.find(space, options)
    cost = forecast_of(trial) if trial is not None and trial.state == "done" else None
    seconds, source = _time(first, cost)
    most = "about" if cost is not None and cost.exact else "at most"
    figures: dict[str, int | str] = {
        "recipe" if first.recipes == 1 else "recipes": f"{first.recipes:,}",
        "distinct questions" + (" + held out" if first.holdout else ""): f"{first.groups:,}"
        + (f" + {first.holdout_groups:,}" if first.holdout else ""),
        f"{most}, {source}": "?" if seconds is None else duration_words(seconds),
    }
    safe_html.show(element("div", inline(space.name), css="wb-ask"))
    safe_html.show(home_view.figures(figures))
    total = first.questions + first.holdout
    lines = [
        size_words(first.groups, first.recipes, cost.spread if cost else None),
        f"{total:,} questions are asked; a question and its translations count once."
        if total > first.groups + first.holdout_groups
        else "",
        idle_words(space),
    ]
    safe_html.show(element("div", escaped(" ".join(filter(None, lines))), css="wb-finding"))
    for problem in problems[:3]:
        safe_html.message(f"Recipes that need it will fail: {problem}", "error")
    for name, number in cost.unready.items() if cost else ():
        words = (
            f"{counted(number, 'recipe')} cannot run and are not in the estimate: {name} is not ready; see Settings."
        )
        safe_html.message(words, "error")
    agreed = actions.consent(KEY.rstrip("_"), hosts, judged=bool(space.judge)) and _accepted(seconds, key[0])
    _start(space, options, trial, agreed)
    if trial is not None and not trial.active:
        if trial.state == "failed":
            safe_html.message(f"The trial failed: {trial.error}", "error")
        if cost is not None:
            _details(cost)


@st.cache_data(show_spinner="Counting questions", max_entries=64, ttl=60)
def _known(
    fingerprint: str, how: str, database: str, _space: SearchSpace, _options: SearchOptions
) -> tuple[FirstEstimate, tuple[str, ...], tuple[str, ...], bool]:
    del fingerprint, how, database  # the key under which Streamlit caches it
    from workbench.optimise import first_estimate, hosts_of_space, is_built_in

    bench = access.workbench()
    return first_estimate(bench, _space, _options), *hosts_of_space(_space, bench.settings.home), is_built_in(_space)


def _time(first: FirstEstimate, cost: Forecast | None) -> tuple[float | None, str]:
    """The seconds of the search with its confirmation, None where nobody knows; and where that is from."""
    if cost is not None and cost.seconds is not None:
        later = cost.confirmation.seconds if cost.confirmation else None
        return cost.seconds + (later or 0.0), "by a trial on this machine"
    if first.seconds is None:
        return None, "unknown: no answer of its models was timed on this machine"
    return first.seconds, f"by {first.timed:,} answers timed here" if first.timed else "by a cautious rate"


def _accepted(seconds: float | None, key: str) -> bool:
    """Whether the search may start: one that may take long, or nobody knows how long, only if a person confirms."""
    if seconds is not None and seconds <= UNASKED:
        return True
    takes = "nobody knows how long" if seconds is None else f"up to {duration_words(seconds)}"
    safe_html.message(
        f"This search takes {takes}. Up to {duration_words(UNASKED)} it starts at once; limit the number of recipes, "
        "choose another strategy, or confirm below."
    )
    return st.checkbox("Start it all the same", key=f"{KEY}long_{key}", help="Allows Start for this plan.")


def _start(space: SearchSpace, options: SearchOptions, trial: Job | None, agreed: bool) -> None:
    """The buttons; a trial at work shows how far it is, and can be stopped."""
    trials = SearchTrials(access.workbench().settings)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        start = verb_button(
            "Start",
            "searches.start",
            key=f"{KEY}start",
            icon="play_circle",
            kind="primary",
            disabled=not agreed,
            help="Searches in a process of its own: you can close this page.",
        )
        if trial is None or not trial.active:
            verb_button(
                "Estimate again" if trial else "Better estimate",
                "searches.start",
                job_card.press,
                "trial",
                partial(trials.begin, space, options),
                key=f"{KEY}cost",
                icon="timer",
                disabled=not agreed,
                help="A short trial in the background counts the steps and measures this machine. What it computes is "
                "cached for the search.",
            )
    outcome.show("trial")
    if trial is not None and trial.active:
        job_card.live(partial(trials.is_active, trial.id), partial(job_card.progress, trials, trial.id, TRIAL))
    if start:
        with st.spinner("Starting"):
            searches = SearchJobs(access.workbench().settings)
            search_id = searches.create(access.workbench(), space, options)
            searches.start(search_id)
        st.session_state[actions.SUBMITTED_FORM] = FORM
        SESSION.change(search=search_id, view="best", node="")
        SESSION.remember()
        st.rerun()


def _details(cost: Forecast) -> None:
    """What the trial came to, and the questions that smaller differences need, built when it is opened."""
    from workbench.optimise import forecast_lines, needed_rows

    title = "What it costs, and how many questions are needed"
    with st.expander(title, icon=":material/table:", key="optimise_cost_card", on_change="rerun") as fold:
        if not fold.open:
            return
        safe_html.show(safe_html.text_block("\n".join(forecast_lines(cost))))
        rows = [
            [escaped(f"{spread:.2f}"), escaped(f"{gain:.2f}"), escaped(f"{one:,}"), escaped(f"{every:,}")]
            for spread, gain, one, every in needed_rows(cost.recipes, cost.spread)
        ]
        head = ["Spread", "Difference", "Questions to tell two recipes apart", "Questions for a winner"]
        safe_html.show(table(head, rows))
