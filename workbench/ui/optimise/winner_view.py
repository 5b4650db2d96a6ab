"""What can be done with a recipe that a search came to: ask with it, run it as an experiment, download it."""

from __future__ import annotations

import streamlit as st

from workbench.optimise import ReportedRecipe, SearchReport, winner_experiment
from workbench.pipeline import recipe_to_yaml
from workbench.ui.ask import ask_state
from workbench.ui.optimise.report_frames import standing
from workbench.ui.parts import permitted
from workbench.ui.runs import actions, matrix_form

RUNS = "pages/runs.py"
OFFERED = 50
"""Recipes of the set not told apart that are offered."""


def draw(report: SearchReport) -> None:
    """The box for a recipe of the set not told apart from the best, and what can be done with it."""
    members = {item.recipe.fingerprint: item for item in report.recipes if item.may_be_best}
    if not members:
        return
    offered = list(members)[:OFFERED]
    cheapest = next((name for name, item in members.items() if item.is_cheapest), offered[0])
    offered = list(dict.fromkeys([offered[0], cheapest, *offered]))
    with st.container(border=True, key="optimise_winner"):
        name = st.selectbox(
            "Recipe",
            offered,
            key="optimise_recipe",
            format_func=lambda item: _title(members[item]),
            help="The best recipe, the cheapest that is not told apart from it, and the others of that set.",
        )
        recipe = members[name].recipe
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.page_link(
                "pages/ask.py",
                label="Ask with it",
                icon=":material/search:",
                query_params=ask_state.Choice(recipe=recipe).to_params(),
                help="Opens Ask with this recipe.",
            )
            if st.button(
                "Run it as an experiment",
                key="optimise_run",
                icon=":material/play_circle:",
                **permitted.control(
                    "runs.start", help="Fills the form on Runs with this recipe and the questions of the search."
                ),
            ):
                matrix_form.put(winner_experiment(report.figures.space, recipe))
                st.session_state[actions.FORM] = True
                st.switch_page(RUNS)
            st.download_button(
                "Download recipe (YAML)", recipe_to_yaml(recipe), f"recipe-{name}.yaml", "application/yaml",
                key="optimise_recipe_file", on_click="ignore", icon=":material/download:",
                help="For Ask, for experiments, and for the command line.",
            )  # fmt: skip


def _title(item: ReportedRecipe) -> str:
    words = standing(item)
    return f"{words[0].upper()}{words[1:]}: {item.choices}"
