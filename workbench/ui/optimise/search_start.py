"""What a search of the space in the form takes, what its questions can show, and its start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.core import UsageError
from workbench.experiments import counted
from workbench.optimise import (
    COUNTED,
    DEFAULT_STRATEGY,
    STRATEGIES,
    Cap,
    SearchJobs,
    SearchOptions,
    SearchSpace,
    idle_words,
)
from workbench.ui.home import home_view
from workbench.ui.optimise import space_form
from workbench.ui.optimise.search_view import SESSION
from workbench.ui.parts import access, permitted, safe_html
from workbench.ui.parts.safe_html import element, escaped, table
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.runs import actions
from workbench.workspace import duration_words

if TYPE_CHECKING:
    from workbench.optimise import Confirmation, Forecast
    from workbench.ui.parts.safe_html import Html

KEY = "optimise_how_"
COST = "optimise_cost"
"""The session's key for the last forecast, with the space and options that it is for."""
FORM = "new_search"
LIMITS: Mapping[str, tuple[str, Any, str]] = {
    "calls": ("Calls", 1, "Calls of a generator."),
    "tokens": ("Tokens", 1, "Tokens read and written."),
    "seconds": ("Seconds", 1.0, "Seconds of work."),
    "money": ("Cost", 0.01, "In the currency of prices.yaml, USD by default."),
}
"""What of a search can be limited: its title, the least value, and what it is."""
HOLDOUTS: Mapping[float, str] = {0.5: "Half", 0.33: "A third", 0.2: "A fifth", 0.0: "None"}


@permitted.form("searches.start")
def new_search(*, opened: bool) -> None:
    """The form of a search in an expander, with what it takes and its start; `opened`: whether it is open at first."""
    with actions.folded("New search", FORM, ":material/add_circle:", opened), access.guarded():
        space = space_form.draw()
        options = _options()
        _size(space, options)
        _cost_and_start(space, options)


def _options() -> SearchOptions:
    """How the space is searched: the strategy, the most recipes, the held-out questions and the cap."""
    left, middle, right = st.columns([1.6, 1, 1], gap="medium")
    with left:
        name = st.selectbox(
            "Strategy",
            list(STRATEGIES),
            key=f"{KEY}strategy",
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
        placeholder="No limit",
        help="The search ends after this number of recipes. Left empty, Random, TPE, and Quality, tokens and time "
        "measure 50; the others have no limit.",
    )
    holdout = right.selectbox(
        "Held-out questions",
        list(HOLDOUTS),
        key=f"{KEY}holdout",
        format_func=HOLDOUTS.__getitem__,
        help="Questions that the search does not see. They confirm the result; translations stay together.",
    )
    with st.expander("Spending limits", icon=":material/speed:", key=f"{KEY}limits"):
        spent: dict[str, Any] = {
            name: column.number_input(
                title, low, None, None, key=f"{KEY}{name}", placeholder="No limit", help=explanation
            )
            for column, (name, (title, low, explanation)) in zip(st.columns(4), LIMITS.items(), strict=True)
        }
    return SearchOptions(strategy=name, trials=trials, holdout=holdout, cap=Cap(**spent))


def _size(space: SearchSpace, options: SearchOptions) -> None:
    """How large the space is, with what a search of it measures at most."""
    from workbench.optimise import most_recipes

    searched, holdout, groups = _question_counts(
        space.fingerprint, access.workbench().settings.database_url, options.holdout, space
    )
    recipes = most_recipes(space, options)
    kind = "recipe" if space.combinations <= COUNTED else "combination"
    figures = {
        f"{kind}{'' if space.size == 1 else 's'} in the space": space.size,
        "recipes measured at most": recipes,
        "questions of the search": searched,
        "held-out questions": holdout,
        "cells of the search at most": recipes * searched,
    }
    safe_html.show(home_view.figures(figures))
    if sentence := idle_words(space):
        safe_html.show(safe_html.text_block(sentence, "en", "wb-muted"))
    if len(space.languages) != 1:
        noun = "question" if groups == 1 else "questions"
        safe_html.show(
            safe_html.text_block(f"Translations count once: {groups:,} {noun} of the search.", "en", "wb-muted")
        )


@st.cache_data(show_spinner="Counting questions", max_entries=64, ttl=60)
def _question_counts(fingerprint: str, database: str, holdout: float, _space: SearchSpace) -> tuple[int, int, int]:
    # The first three are the key under which Streamlit caches the counts.
    del fingerprint, database
    from workbench.experiments import ExperimentInputs
    from workbench.optimise import NO_QUESTIONS, material_of, parts_of, search_questions

    _, questions = search_questions(ExperimentInputs(access.workbench(), material_of(_space)))
    if not len(questions):
        raise UsageError(NO_QUESTIONS)
    parts = parts_of(questions, holdout, _space.seed)
    return len(parts.search), len(parts.holdout), len({questions.groups[row] for row in parts.search})


def _cost_and_start(space: SearchSpace, options: SearchOptions) -> None:
    """The buttons that tell the cost and start the search, with what the last one told."""
    hosts, problems = _hosts(space.fingerprint, str(access.workbench().settings.home), space)
    for problem in problems[:3]:
        safe_html.message(f"Recipes that need it will fail: {problem}", "error")
    agreed = actions.consent(KEY.rstrip("_"), hosts, judged=bool(space.judge))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        tell = verb_button(
            "What will it cost?",
            "searches.start",
            key=f"{KEY}cost",
            icon="timer",
            disabled=not agreed,
            help="Counts the steps and runs a small pilot. What it computes is cached for the search.",
        )
        start = verb_button(
            "Start",
            "searches.start",
            key=f"{KEY}start",
            icon="play_circle",
            kind="primary",
            disabled=not agreed,
            help="Searches in a process of its own: you can close this page.",
        )
    request = (space.fingerprint, options.model_dump_json())
    if tell:
        st.session_state[COST] = (request, _forecast(space, options))
    if start:
        with st.spinner("Starting"):
            jobs = SearchJobs(access.workbench().settings)
            search_id = jobs.create(access.workbench(), space, options)
            jobs.start(search_id)
        st.session_state[actions.SUBMITTED_FORM] = FORM
        SESSION.change(search=search_id, view="best", node="")
        SESSION.remember()
        st.rerun()
    last, cost = st.session_state.get(COST, (None, None))
    if cost is not None and last == request:
        _cost_card(cost)


@st.cache_data(show_spinner=False, max_entries=64, ttl=60)
def _hosts(fingerprint: str, home: str, _space: SearchSpace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    del fingerprint, home
    from workbench.optimise import hosts_of_space

    return hosts_of_space(_space, access.workbench().settings.home)


def _forecast(space: SearchSpace, options: SearchOptions) -> Forecast:
    from workbench.optimise import forecast

    placeholder = st.empty()
    titles = {"counting": "Counting steps", "pilot": "Running a pilot"}

    def progress(phase: str, share: float) -> None:
        placeholder.progress(min(1.0, share), text=titles.get(phase, "Working"))

    result = forecast(access.workbench(), space, options, on_share=progress)
    placeholder.empty()
    return result


def _cost_card(cost: Forecast) -> None:
    """What the search takes, exactly or at most, and what its questions can show."""
    from workbench.optimise import needed_rows, size_words

    rows = [_cost_row("The search", cost, cost.currency, is_exact=cost.exact, are_calls_exact=cost.exact_calls)]
    if cost.confirmation is not None:
        rows.append(_cost_row("Confirming on held-out questions", cost.confirmation, cost.currency))
    with st.container(border=True, key="optimise_cost_card"):
        safe_html.show(element("div", escaped("What it costs"), css="wb-title"))
        safe_html.show(table(["", "Calls of a generator", "Tokens", "Time", "Cost"], rows))
        for sentence in _remarks(cost):
            safe_html.message(sentence)
        safe_html.show(element("div", escaped("What it can show"), css="wb-title"))
        safe_html.message(size_words(cost.groups, cost.recipes, cost.spread))
        if needed := needed_rows(cost.recipes, cost.spread):
            body = [
                [escaped(f"{spread:.2f}"), escaped(f"{gain:.2f}"), escaped(f"{one:,}"), escaped(f"{every:,}")]
                for spread, gain, one, every in needed
            ]
            head = ["Spread", "Gain", "Questions needed to tell two recipes apart", "Questions needed for a winner"]
            safe_html.show(table(head, body))


def _cost_row(
    title: str, cost: Forecast | Confirmation, currency: str, *, is_exact: bool = False, are_calls_exact: bool = False
) -> list[Html]:
    most, tokens, money = "" if is_exact else "at most ", cost.tokens, cost.money
    cells = [
        title,
        f"{cost.calls:,} exactly" if are_calls_exact else f"at most {cost.calls:,}",
        "" if tokens is None else f"{most}about {tokens:,}" if tokens else "none",
        "" if cost.seconds is None else f"{most}about {duration_words(cost.seconds)}",
        "no price known" if money is None else f"{most}{money:,.4g} {currency}" if money else "nothing",
    ]
    return [escaped(cell) for cell in cells]


def _remarks(cost: Forecast) -> list[str]:
    built = [
        f"The index of {corpus} by {encoder} is built first; its recipes are not counted."
        for corpus, encoder in cost.unindexed
    ]
    unpriced = [f"{name} has no price in prices.yaml, so no cost is known." for name in cost.unpriced]
    unmet = [f"Not included, as the pilot did not reach them: {', '.join(cost.unmet)}."] if cost.unmet else []
    failed = [f"{counted(cost.failed, 'answer')} of the pilot failed."] if cost.failed else []
    return [*built, *unpriced, *unmet, *failed]
