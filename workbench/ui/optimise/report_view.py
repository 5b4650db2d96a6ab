"""What a search came to, a view at a time: its best recipe, its nodes, its choices, its costs, all its recipes.

What AutoRAG's authors measured, tables 2 to 8 of Kim et al. (2024), stands next to it as a reference only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

import streamlit as st

from workbench.metrics import metric_name, published_figures, published_tables
from workbench.optimise import (
    SearchReport,
    SearchRow,
    autorag_of,
    comparison_words,
    headline,
    language_words,
    luck_words,
    report_of,
    verdict,
    winner_experiment,
)
from workbench.pipeline import Recipe, recipe_to_yaml
from workbench.ui.ask import ask_state
from workbench.ui.dashboard.charts.curves import Cost
from workbench.ui.dashboard.published_view import printed_table
from workbench.ui.dashboard.view_parts import show_findings
from workbench.ui.data import data_state
from workbench.ui.optimise import report_figures, search_start
from workbench.ui.optimise.report_figures import standing
from workbench.ui.optimise.search_view import SESSION, TITLES, jobs
from workbench.ui.parts import access, downloads, figure, safe_html
from workbench.ui.parts.safe_html import element, escaped
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.runs import actions, matrix_form

if TYPE_CHECKING:
    from pandas import DataFrame

METRIC, LANGUAGE = "optimise_metric", "optimise_language"
PUBLISHED_TABLE = "optimise_published"
SHOWN, OFFERED = 500, 50
"""Recipes in the table on the screen, while the download has all; and those of the best that are offered."""
SOURCE = "kim2024_autorag"
"""The paper whose tables are shown."""
NO_TEST = (
    "Figures as printed in the paper. Its questions, documents and models differ from yours, so this is not a test."
)
AVERAGED = (
    "Each variant: the mean over all measured recipes that have it. Filled: the variant of the best recipe. Where not "
    "all combinations were measured, variants may also differ in what their recipes choose elsewhere."
)


def draw(row: SearchRow) -> None:
    """The results of a search that is not at work."""
    if not jobs().store.measured(row.id):
        safe_html.message(f"Nothing is measured yet. {'Resume' if row.started else 'Start'} the search to get results.")
        return
    st.header("Results")
    if SESSION.choose_view(TITLES, "Results").view == "published":
        _published()
        return
    with st.spinner("Working out the results"):
        report = _report(access.workbench().settings.database_url, row.id, row.state, row.started, row)
        VIEWS[SESSION.current.view](report, row)


@st.cache_resource(show_spinner=False, max_entries=8)
def _report(database: str, search_id: str, state: str, started: float, _row: SearchRow) -> SearchReport:
    # The first four are the key: a search that has ended changes no more until it is started again.
    del database, search_id, state, started
    return report_of(access.workbench(), jobs().store, _row)


def _best(report: SearchReport, row: SearchRow) -> None:
    if row.state != "done":
        safe_html.message("The search has not finished: this is what it has measured up to now.")
    safe_html.show(element("div", escaped(verdict(report)), css="wb-said wb-long"))
    _recommended(report)
    show_findings(headline(report))
    st.subheader("Is it the best?")
    show_findings(comparison_words(report), luck_words(report))
    members = report_figures.recipes_frame(recipe for recipe in report.recipes if recipe.may_be_best)
    if len(members) > 1:
        _table(members, f"{row.id}-not-told-apart", "Not told apart (CSV)")
    st.subheader("By language")
    languages = report_figures.languages_frame(report)
    if len(languages):
        show_findings(language_words(report))
        _table(languages, f"{row.id}-languages", "Languages (CSV)")
    else:
        st.caption("Two or more languages and held-out questions are needed to compare recipes by language.")


def _nodes(report: SearchReport, row: SearchRow) -> None:
    nodes = {node.name: node for node in report.nodes if node.marks}
    if not nodes:
        st.caption("No variant of a node is measured yet.")
        return
    name = SESSION.current.node if SESSION.current.node in nodes else next(iter(nodes))
    help_ = "A step of the pipeline at which one of several modules is taken."
    SESSION.switch("node", "Node", {key: node.title for key, node in nodes.items()}, name, help=help_)
    node = nodes[name]
    metrics = list(dict.fromkeys(mark.metric for mark in node.marks))
    if st.session_state.get(METRIC) not in metrics:
        st.session_state[METRIC] = metrics[0]
    metric = st.segmented_control(
        "Metric",
        metrics,
        key=METRIC,
        format_func=metric_name,
        required=True,
        help="The node's metrics, and the objective of the search.",
    )
    show_findings(node.reason)
    frame = report_figures.node_frame(node, str(metric))
    chart = report_figures.node_chart(frame, node.title, str(metric))
    figure.draw(chart, frame, f"search-{row.id}-{name}-{metric}", (row.id, row.state, row.started))
    if not node.reason:
        st.caption(AVERAGED)


def _choices(report: SearchReport, row: SearchRow) -> None:
    frame = report_figures.importance_frame(report)
    if not len(frame):
        st.caption("Two or more recipes that differ, on two or more questions, are needed to weigh choices.")
        return
    codes = list(dict.fromkeys(frame["code"]))
    titles = dict(zip(frame["code"], frame["language"], strict=True))
    code = st.selectbox(
        "Language",
        codes,
        key=LANGUAGE,
        format_func=titles.__getitem__,
        help="The importance over all questions of the search, or in one language.",
    )
    rows = frame[frame["code"] == code].drop(columns="code")
    chart = report_figures.importance_chart(rows, titles[code])
    figure.draw(chart, rows, f"search-{row.id}-importance-{code or 'all'}", (row.id, row.state, row.started))
    for node, why in zip(rows["node"], rows["reason"], strict=True):
        if why:
            safe_html.show(safe_html.text_block(f"{node}: no share is given, because {why}.", "en", "wb-muted"))
    st.caption(
        "A share whose interval reaches 0 shows nothing. After a search that measures few combinations, such as a "
        "greedy one, importances say less than after an exhaustive or random one."
    )
    st.subheader("What each variant gives")
    effects = report_figures.effects_frame(report)
    shown = effects[effects["code"] == code].drop(columns=["code", "language"])
    _table(shown, f"search-{row.id}-effects-{code or 'all'}", "Effects (CSV)")


def _costs(report: SearchReport, row: SearchRow) -> None:
    frame = report_figures.recipes_frame(recipe for recipe in report.recipes if recipe.is_compared)
    if not len(frame):
        st.caption("No recipe is measured on enough questions yet.")
        return
    costs: list[Cost] = ["seconds"]
    if (frame["tokens per answer"].fillna(0) > 0).any():
        costs.append("tokens")
    for cost in costs:
        chart = report_figures.cost_chart(frame, report.goal, cost)
        figure.draw(chart, frame, f"search-{row.id}-quality-{cost}", (row.id, row.state, row.started))
    st.caption(
        "What an answer costs if no step is shared with other recipes. “On the front”: no other one beats it at "
        "quality, tokens and time."
    )


def _recipes(report: SearchReport, row: SearchRow) -> None:
    frame = report_figures.recipes_frame(report.recipes)
    if len(frame) > SHOWN:
        st.caption(f"The best {SHOWN:,} of {len(frame):,} recipes; the download has all of them.")
    _table(frame, f"search-{row.id}-recipes", "All recipes (CSV)", limit=SHOWN)


def _table(frame: DataFrame, name: str, label: str, limit: int | None = None) -> None:
    figure.linked_table(frame if limit is None else frame.head(limit), (), name)
    figure.csv_button(label, lambda: frame, name, f"csv_{name}", "All rows and columns of this table.")


def _recommended(report: SearchReport) -> None:
    """What can be done with the recipe that the verdict recommends, or else with more questions."""
    members = {item.recipe.fingerprint: item for item in report.recipes if item.may_be_best}
    first = report.recommended
    if not members:
        return
    offered = list(members)[:OFFERED]
    if first is not None:
        members[first.recipe.fingerprint] = first
        offered = list(dict.fromkeys([first.recipe.fingerprint, *offered]))
    with st.container(border=True, key="optimise_winner"):
        if first is None:
            _more_questions(report)
        name = st.selectbox(
            "Recipe",
            offered,
            0 if first else None,
            key="optimise_recipe",
            placeholder="Choose one all the same",
            format_func=lambda item: f"{standing(members[item]).capitalize()}: {members[item].choices}",
            help="The recipe that the verdict recommends, if any, and those that are not told apart from the best.",
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if name is not None:
                _use(members[name].recipe, report, kind="primary" if first else "secondary")
            downloads.button(
                "Search for AutoRAG (YAML)",
                lambda: autorag_of(report.figures.space)[0],
                "autorag.yaml",
                "optimise_autorag_space",
                help="The space of this search as a configuration of AutoRAG; what that cannot say is in comments.",
            )


def _use(recipe: Recipe, report: SearchReport, kind: Literal["primary", "secondary"]) -> None:
    if st.button("Ask with it", key="optimise_ask", icon=":material/search:", type=kind, help="Opens Ask with it."):
        st.switch_page("pages/ask.py", query_params=ask_state.Choice(recipe=recipe).to_params())
    if verb_button(
        "Run it as an experiment",
        "runs.start",
        key="optimise_run",
        icon="play_circle",
        help="Fills the form on Runs with this recipe and the questions of the search.",
    ):
        matrix_form.put(winner_experiment(report.figures.space, recipe))
        st.session_state[actions.FORM] = True
        st.switch_page("pages/runs.py")
    downloads.button(
        "Download recipe (YAML)",
        recipe_to_yaml(recipe),
        f"recipe-{recipe.fingerprint}.yaml",
        "optimise_recipe_file",
        help="For Ask, for experiments, and for the command line.",
    )


def _more_questions(report: SearchReport) -> None:
    """What tells more: the same search over all questions, or where it had all, writing some."""
    space = report.figures.space
    if space.questions is not None:
        verb_button(
            "Search over all questions",
            "searches.start",
            search_start.offer,
            space.model_copy(update={"questions": None}),
            key="optimise_more",
            icon="add_circle",
            kind="primary",
            help=f"Fills New search with this space and every question; here were {space.questions:,} per dataset.",
        )
    elif st.button(
        "Write more questions",
        key="optimise_more",
        icon=":material/edit_note:",
        type="primary",
        help="Opens Data, where a model drafts questions from your passages; all questions there are were asked.",
    ):
        st.switch_page("pages/data.py", query_params=data_state.Selection(view="review", name="").to_params())


VIEWS: Mapping[str, Callable[[SearchReport, SearchRow], None]] = {
    "best": _best,
    "nodes": _nodes,
    "choices": _choices,
    "costs": _costs,
    "recipes": _recipes,
}


def _published() -> None:
    """The choice of a published table, and the table as it was printed: a row per module, a column per metric."""
    titles = {table.key: table.title for table in published_tables() if table.source == SOURCE}
    topics = {key: str(published_figures([key])["setting"].iloc[0]).partition(":")[0] for key in titles}
    key = st.selectbox(
        "Table",
        list(titles),
        key=PUBLISHED_TABLE,
        format_func=lambda item: f"{titles[item]}: {topics[item]}",
        help="The result tables of the paper that greedy search by node comes from.",
    )
    st.caption(NO_TEST)
    rows = published_figures([key])
    measures = rows["metric"].where(rows["metric"] == rows["unit"], rows["metric"] + " (" + rows["unit"] + ")")
    table = printed_table(rows.assign(metric=measures.str.replace("_", " ")), "metric")
    figure.linked_table(table.rename(columns=str.capitalize), (), f"search-{key}")
    figure.rows(rows, f"search-{key}")
