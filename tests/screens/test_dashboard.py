"""The Dashboard over invented results: figures, filters in the URL, and the instances behind a mark."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.screens.conftest import html, open_page
from tests.screens.results import PAYLOAD, add_results
from tests.screens.test_instances_view import RUN
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.experiments.result_files import csv_rows
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.summaries.findings import reach_finding
from workbench.experiments.results.summaries.run_names import run_names
from workbench.ui.dashboard import (
    dashboard_state,
    demonstration_view,
    leaderboard_view,
    result_frames,
    view_controls,
    view_figures,
)
from workbench.ui.dashboard.dashboard_state import DashboardState, View
from workbench.ui.dashboard.difference_view import by_languages, candidates, differences
from workbench.ui.dashboard.view_controls import DESCRIPTIONS, TITLES
from workbench.ui.parts import figure
from workbench.ui.parts.safe_html import escaped

WITH_A_FINDING = ("leaderboard", "languages", "prompts", "modes", "deltas", "documents", "cost")
"""The views above whose figure a sentence says what it shows."""
NOT_HERE = {
    **{name: name for name in ("experiment", "metric", "mode", "dataset", "scope", "model", "run")},
    "k": "passages to the generator (k)",
    "prompt": "prompt variant",
    "perturbation": "change of documents",
    "language": "question language",
}
"""The parameters of a link whose values depend on the results, each with what a message calls it."""


def _open(**params: str | list[str]) -> AppTest:
    return open_page("dashboard", **params)


def captions(app: AppTest) -> str:
    return "\n".join(item.value for item in app.caption)


def decoded(values: object) -> list[float]:
    """The numbers of an axis, which Plotly may write as base64."""
    if isinstance(values, dict):
        return [float(at) for at in np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])]
    return list(values) if isinstance(values, list) else []


def _titles(app: AppTest) -> str:
    """The titles of the figures, on one line each."""
    titles = (json.loads(item.proto.spec)["layout"]["title"]["text"] for item in app.get("plotly_chart"))
    return "\n".join(title.replace("</b><br><b>", " ") for title in titles)


def test_an_empty_workspace_leads_to_the_runs(bench: Workbench) -> None:
    app = _open()
    assert not app.exception
    assert "There are no results yet" in app.markdown[0].value


def test_an_empty_workspace_offers_a_demonstration_that_opens_when_it_is_done(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstration_view, "start_demonstration", lambda workbench: add_results(bench))
    app = _open()
    app.button(key="dash_demonstrate").click().run()
    assert not app.exception
    assert "Leaderboard: " in html(app)


@pytest.mark.parametrize("view", get_args(View))
def test_a_view_is_drawn_with_what_it_is_for_its_metric_and_its_finding(results_bench: Workbench, view: View) -> None:
    app = _open(view=view)
    assert not app.exception
    shown = html(app)
    assert 'class="wb-message wb-error"' not in shown
    assert "<b>" in _titles(app) or view in ("leaderboard", "published", "territories")
    assert view in TITLES and DESCRIPTIONS[view] in [item.value for item in app.markdown]
    assert "share of the gold answer&#x27;s three-letter sequences" in shown
    if view in WITH_A_FINDING:
        assert "wb-finding" in shown
    if view == "languages":
        assert "Each figure pools 2 modes (MultiRAG, CrossRAG)." in shown
    if view == "leaderboard":
        assert "n = 3 scored, 0 unscored" in shown
        assert "n = 0 scored, 3 unscored" in html(_open(metric="clr"))


def test_all_that_is_wrong_with_a_link_is_one_message_until_a_control_is_used(results_bench: Workbench) -> None:
    app = _open(**dict.fromkeys(NOT_HERE, "77"), corpus="other")
    assert html(app).count('class="wb-message wb-error"') == 1
    for what in NOT_HERE.values():
        assert f"Unknown {what} “77”" in html(app)
    assert "“corpus” is not a parameter of this page." in html(app)
    app.segmented_control(key="dash_view").set_value("cost").run()
    assert "Unknown" not in html(app)


def test_values_in_the_url_that_nothing_can_have_are_reported(results_bench: Workbench) -> None:
    app = _open(view="pie", k="many")
    assert "“view” in the URL is “pie”" in html(app)
    assert "must be a whole number" in html(app)


def test_selected_filters_are_counted_and_written_into_the_url(results_bench: Workbench) -> None:
    app = _open()
    app.session_state["dash_filters"] = True
    app.run()
    app.multiselect(key="dash_languages").select("fi").run()
    assert app.query_params["language"] == "fi"
    assert "n = 1 scored" in html(app)
    app.session_state["dash_filters"] = False
    app.run()
    assert "Filters (1 active)" in [item.label for item in app.expander]


def test_a_filter_draws_the_results_alone_again_unless_there_are_others_now(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_results(bench)
    drawn: list[object] = []
    draw = view_controls.draw

    def counted(state: result_frames.ResultsState) -> DashboardState | None:
        drawn.append(state)
        return draw(state)

    monkeypatch.setattr(view_controls, "draw", counted)
    app = _open()
    app.session_state["dash_filters"] = True
    app.run()
    assert len(drawn) == 2
    app.multiselect(key="dash_languages").select("fi").run()
    assert len(drawn) == 2 and app.query_params["language"] == "fi" and "n = 1 scored" in html(app)
    app.run()
    add_results(bench, name="Later")
    app.multiselect(key="dash_languages").select("en").run()
    assert len(drawn) == 4 and app.query_params["language"] == ["fi", "en"]


def test_every_view_has_a_title_and_a_description() -> None:
    assert set(TITLES) == set(DESCRIPTIONS) == set(get_args(View))


def test_an_imported_run_is_named_by_what_is_known_of_it() -> None:
    imported = replace(RUN, mode="", scope="", prompt="", model="my-system")
    assert run_names([imported]) == {RUN.id: "my-system"}


def test_a_run_without_retrieval_is_named_without_a_scope() -> None:
    runs = [replace(RUN, id=1, mode="baseline", scope="all"), replace(RUN, id=2, mode="trag", scope="en")]
    assert run_names(runs) == {1: "No retrieval", 2: "tRAG, English"}


def test_prompts_of_many_columns_are_pooled_over_languages(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_figures, "COLUMNS_LIMIT", 1)
    add_results(bench)
    app = _open(view="prompts")
    assert not app.exception
    assert json.loads(app.get("plotly_chart")[0].proto.spec)["data"][0]["x"] == ["all languages<br>pooled"]
    assert "to see them separately" in html(app)


def test_a_filter_in_the_url_narrows_every_figure(results_bench: Workbench) -> None:
    app = _open(mode="crossrag")
    assert "n = 1 scored" in html(app)
    assert app.multiselect(key="dash_modes").value == ["crossrag"]


def test_a_link_without_faults_reports_none(bench: Workbench) -> None:
    experiment_id = add_results(bench)
    app = _open(experiment=experiment_id, mode="crossrag", metric="clr", language="fi", k="5", scope="all")
    assert 'class="wb-message wb-error"' not in html(app)


def test_instances_can_be_sorted_by_score_and_the_url_says_so(results_bench: Workbench) -> None:
    app = _open(mark="k=5")
    app.selectbox(key="dash_order").set_value("best").run()
    assert app.query_params["order"] == "best"
    shown = html(app)[html(app).index("wb-run-said") :]
    assert shown.index(">1.00<") < shown.index(">0.50<")


def test_instances_can_be_restricted_to_a_range_of_scores(results_bench: Workbench) -> None:
    app = _open(mark="k=5", within="0.9-1")
    assert "Answers (1)" in [item.value for item in app.header]
    assert app.query_params["within"] == "0.9-1"


def test_instances_without_a_score_can_be_listed_alone(results_bench: Workbench) -> None:
    app = _open(mark="k=5", metric="clr", order="unscored")
    assert "Answers (4)" in [item.value for item in app.header]


def test_all_runs_of_a_question_are_shown_next_to_each_other_whatever_is_filtered(results_bench: Workbench) -> None:
    app = _open(mark="mode=multirag&language=en", mode="multirag")
    (button,) = [item for item in app.button if item.label == "All runs"]
    button.click().run()
    assert app.query_params["mark"].startswith("question=")
    assert "Answers (2)" in [item.value for item in app.header]
    names = [part.partition("<")[0] for part in html(app).split('wb-run-name">')[1:]]
    assert names == ["MultiRAG", "CrossRAG"]


def test_listed_instances_are_rows_of_a_file(results_bench: Workbench) -> None:
    view = result_frames.result_view(Filter())
    head, *rows = map(list, csv_rows(view, view.instances()))
    at = {name: head.index(name) for name in ("char3_recall", "answers")}
    assert [row[at["char3_recall"]] for row in rows[:3]] == [0.5, 0.5, 1.0]
    assert rows[0][at["answers"]] == '["Marconi"]'


def test_documents_show_one_scope_at_a_time(bench: Workbench) -> None:
    both = [add_results(bench), add_results(bench, name="Other", scope="en")]
    app = _open(view="documents", experiment=both)
    assert app.segmented_control(key="dash_scope").value == "all"
    assert "searching all languages" in _titles(app)
    app.segmented_control(key="dash_scope").set_value("en").run()
    assert "searching English" in _titles(app)
    assert app.query_params["shown"] == "en"


def test_modes_of_different_scopes_are_not_pooled(bench: Workbench) -> None:
    add_results(bench)
    add_results(bench, name="Other", scope="en")
    state = result_frames.current_state()
    assert set(result_frames.by_mode(state, Filter(), "char3_recall")["label"]) == {"MultiRAG", "CrossRAG"}
    faceted = result_frames.by_mode(state, Filter(scopes=("all", "en")), "char3_recall")
    assert set(faceted["label"]) == {"MultiRAG", "CrossRAG", "MultiRAG, English", "CrossRAG, English"}


def test_no_retrieval_is_counted_once_however_many_scopes_it_was_run_in(bench: Workbench) -> None:
    add_results(bench, modes=("baseline", "multirag"))
    add_results(bench, name="Other", modes=("baseline", "multirag"), scope="en")
    frame = result_frames.by_scope(result_frames.current_state(), Filter(), "char3_recall", ("scope",))
    assert list(frame[frame["scope"] == "none"]["n"]) == [2]


def test_whatever_the_base_p_is_corrected_for_all_pairs(bench: Workbench) -> None:
    add_results(bench, modes=("multirag", "crossrag"))
    add_results(bench, name="Other", modes=("trag", "drag"))
    state = result_frames.current_state()
    titles = candidates(state, Filter(), "char3_recall", "run")
    best, other = next(iter(titles)), list(titles)[1]
    by_base = {
        base: set(differences(state, Filter(), "char3_recall", "run", base)[0]["family"]) for base in (best, other)
    }
    assert by_base == {best: {6}, other: {6}}


def test_retrieval_says_how_many_questions_have_a_gold_passage_in_the_languages_searched() -> None:
    rows = [("MultiRAG", 66, 66), ("monoRAG", 29, 66)]
    sentence = reach_finding(rows)
    assert "66 of 66 (100%) with MultiRAG, 29 of 66 (44%) with monoRAG" in sentence
    assert reach_finding(rows[:1]) == ""


def test_each_question_leads_to_its_views_and_links_to_a_view_still_work(results_bench: Workbench) -> None:
    app = _open(view="retrieval")
    assert app.segmented_control(key="dash_question").value == "Why?"
    app.segmented_control(key="dash_question").set_value("Where does it work?").run()
    assert app.query_params["view"] == "languages"
    app.segmented_control(key="dash_question").set_value("Which is best?").run()
    app.segmented_control(key="dash_view").set_value("cost").run()
    assert app.segmented_control(key="dash_view").value == app.query_params["view"] == "cost"


def test_the_button_of_a_run_opens_its_answers_the_worst_first(results_bench: Workbench) -> None:
    app = _open()
    app.session_state[figure.CLICKED_MARK] = re.findall(r'class="wb-opens" value="([^"]*)"', html(app))[0]
    app.run()
    assert app.query_params["mark"] == "run=1" and "Answers (2)" in [item.value for item in app.header]


def test_a_mark_opens_its_instances_as_plain_text(results_bench: Workbench) -> None:
    app = _open(mark=dashboard_state.mark(mode="multirag", language="fi"))
    shown = html(app)
    assert "Kuka mainitaan radion keksijänä?" in shown
    assert "Who is named" not in shown
    assert escaped(PAYLOAD) in shown
    assert "Marconi" in shown


def test_a_click_opens_instances_and_is_written_into_the_url(results_bench: Workbench) -> None:
    app = _open()
    app.session_state[figure.CLICKED_MARK] = dashboard_state.mark(mode="crossrag")
    app.run()
    assert app.query_params["mark"] == "mode=crossrag"
    assert "Answers (2)" in [item.value for item in app.header]
    app.button(key="dash_closed").click().run()
    assert "mark" not in app.query_params
    assert not app.header


def test_opened_instances_are_scrolled_to_once(results_bench: Workbench) -> None:
    app = _open(mark=dashboard_state.mark(mode="multirag"))
    assert "scrollIntoView" in html(app)
    assert "scrollIntoView" not in html(app.run())


@pytest.mark.parametrize("modes", [("multirag", "crossrag"), ("baseline", "multirag")])
def test_every_mark_opens_as_many_instances_as_its_figure_counts(bench: Workbench, modes: tuple[str, str]) -> None:
    add_results(bench, modes=modes)
    state, filter_, metric = result_frames.current_state(), Filter(), "char3_recall"
    frames = [
        result_frames.leaderboard(state, filter_, metric)[0],
        result_frames.by_scope(state, filter_, metric, ("scope", "language")),
        result_frames.by_scope(state, filter_, metric, ("prompt", "scope")),
        result_frames.by_mode(state, filter_, metric),
        result_frames.costs(state, filter_, metric),
        result_frames.by_dimensions(state, filter_, metric, ("mode", "language")),
    ]
    for frame in frames:
        assert len(frame)
        for mark, n, unscored in zip(frame["mark"], frame["n"], frame["unscored"], strict=True):
            opened = result_frames.result_view(dashboard_state.from_mark(mark).filter_).count(failed=False)
            assert (mark, opened) == (mark, n + unscored)


def test_one_run_is_compared_with_another_in_each_language_and_the_url_names_it(bench: Workbench) -> None:
    both = [add_results(bench), add_results(bench, name="Other", modes=("trag", "drag"))]
    app = _open(view="deltas", experiment=both)
    assert ", by language: Answer contains the gold (letters)" in _titles(app)
    assert "paired permutation test" in _titles(app)
    first, second = app.selectbox(key="dash_closer").options[:2]
    assert f"“{first}” minus" in _titles(app)
    app.selectbox(key="dash_closer").select_index(1).run()
    assert f"“{second}” minus" in _titles(app)
    again = _open(view="deltas", experiment=both, closer=app.query_params["closer"])
    assert f"“{second}” minus" in _titles(again)


def test_modes_are_compared_over_all_runs_that_differ_in_nothing_else(bench: Workbench) -> None:
    both = [add_results(bench), add_results(bench, name="Other", modes=("multirag", "drag"))]
    app = _open(view="deltas", experiment=both, what="mode", against="multirag")
    assert app.segmented_control(key="dash_what").value == "mode"
    assert "Difference from “MultiRAG”" in _titles(app)
    frame, _ = differences(result_frames.current_state(), Filter(), "char3_recall", "mode", "multirag")
    assert sorted(frame["mode"]) == ["crossrag", "drag"]
    assert list(frame["pairs_of_runs"]) == [1, 1]


def test_what_is_compared_is_written_into_the_url(results_bench: Workbench) -> None:
    app = _open(view="deltas")
    app.segmented_control(key="dash_what").set_value("mode").run()
    assert app.query_params["what"] == "mode"
    assert "Difference from “CrossRAG”" in _titles(app)


def test_a_mark_of_a_difference_in_a_language_opens_that_run_s_answers_in_it(results_bench: Workbench) -> None:
    frame = by_languages(result_frames.current_state(), Filter(), "char3_recall", "run", "1", "2")
    opened = [result_frames.result_view(dashboard_state.from_mark(mark).filter_).count() for mark in frame["mark"]]
    assert (list(frame["language"]), opened) == (["", "en", "fi"], [2, 1, 1])


def test_the_failed_cells_have_a_mark(results_bench: Workbench) -> None:
    app = _open(mark=dashboard_state.mark(failed=1))
    assert "Answers (1)" in [item.value for item in app.header]
    assert "The model did not answer." in html(app)


def test_a_cell_of_the_language_map_opens_those_that_were_given_such_a_document(results_bench: Workbench) -> None:
    assert "Answers (1)" in [item.value for item in _open(mark="language=fi&document=fr").header]
    assert "Answers (0)" in [item.value for item in _open(mark="language=fi&document=ko").header]


def test_a_row_of_the_language_flow_opens_those_answered_in_that_language_too(results_bench: Workbench) -> None:
    frame = result_frames.flows(result_frames.current_state(), Filter())
    assert "language=fi&document=fr&answer=en" in frame["mark"].tolist()
    assert "Answers (1)" in [item.value for item in _open(mark="language=fi&document=fr&answer=en").header]
    assert "Answers (0)" in [item.value for item in _open(mark="language=fi&document=fr&answer=none").header]


def test_a_cell_of_the_metrics_opens_the_answers_over_which_they_differ(results_bench: Workbench) -> None:
    (mark, _) = result_frames.agreement(result_frames.current_state(), Filter())["mark"]
    assert mark == "apart=char3_recall&apart=clr"
    app = _open(mark=mark)
    assert "Answers (0)" in [item.value for item in app.header]
    assert "largest disagreement first" in html(app)


def test_a_mark_that_names_only_one_metric_is_reported(results_bench: Workbench) -> None:
    assert "two metrics that disagree" in html(_open(mark="apart=clr"))


def test_a_mark_that_is_not_valid_is_reported() -> None:
    dashboard, problems = DashboardState.from_params({"mark": ["drop=table"]})
    assert dashboard.mark == ""
    assert "Unknown part of a mark" in problems[0]


def test_a_state_survives_the_url() -> None:
    dashboard, problems = DashboardState.from_params(
        {"view": ["deltas"], "mode": ["trag", "drag"], "k": ["5"], "page": ["3"]}
    )
    assert problems == ()
    assert DashboardState.from_params(dashboard.to_params()) == (dashboard, ())
    assert DashboardState().to_params() == {}


def test_a_table_goes_into_a_spreadsheet_without_its_formulas() -> None:
    from pandas import DataFrame

    frame = DataFrame([{"title": "=1+1", "mean": -0.5, "low": float("nan"), "mark": "run=1"}])
    assert figure.as_csv(frame).splitlines() == ['"title","mean","low"', '"\'=1+1","-0.5",""']


def test_results_stand_above_the_published_table_of_their_metric(bench: Workbench) -> None:
    add_results(bench, further={"char3_recall_paper": 0.5})
    add_results(bench, name="Other", scope="en", further={"char3_recall_paper": 0.25})
    app = _open(view="published", reference="ranaldi2025_crossrag.14")
    assert not app.exception
    assert "Yours, by “Answer contains the gold (letters, as published)”: " in html(app)
    assert "The paper&#x27;s data and models differ, so this is not a test." in html(app)
    app = _open(view="published", reference="chirkova2024.8")
    assert "no metric of the workbench is computed in this way" in captions(app)
    app = _open(view="published", reference="ranaldi2025_crossrag.3")
    assert "these runs are not scored by flexible_em_paper. Add it to an experiment." in captions(app)


@pytest.mark.parametrize(
    ("series", "words"), [("mode", "MultiRAG"), ("language", "Finnish"), ("scope", "all languages")]
)
def test_hits_are_curves_over_their_depths_with_what_is_best_at_the_greatest(
    bench: Workbench, series: str, words: str
) -> None:
    add_results(bench, further={"hit@1": 0.5, "hit@5": 0.75})
    app = _open(view="retrieval", family="hit", series=series)
    assert not app.exception
    assert "(Hit@5): " in html(app) and words in html(app)
    (chart,) = app.get("plotly_chart")
    assert {1, 5} <= {at for trace in json.loads(chart.proto.spec)["data"] for at in decoded(trace.get("x", []))}


@pytest.mark.parametrize(("view", "how"), [("modes", "shown"), ("retrieval", "taken")])
def test_modes_outside_the_scope_of_their_papers_are_left_out_and_that_is_said(
    bench: Workbench, view: View, how: str
) -> None:
    both = [add_results(bench, further={"hit@5": 0.75}), add_results(bench, name="Other", scope="en")]
    assert f"Each mode is {how} in the scope that its paper defines" in html(_open(view=view, experiment=both))
    assert "that its paper defines" not in html(_open(view=view, experiment=both, scope="all"))


def test_the_leaderboard_says_what_its_ranks_rest_on(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    both = [add_results(bench), add_results(bench, name="Other", dataset="another")]
    assert "Runs over different datasets are ranked separately." in html(_open(experiment=both))
    monkeypatch.setattr(result_frames, "LEADERBOARD_SIZE", 1)
    st.cache_data.clear()
    assert "The 1 best of 4 runs. Use the filters to see the others." in html(_open(experiment=both))


def test_the_leaderboard_is_one_piece_whose_buttons_name_their_runs(bench: Workbench) -> None:
    app = _open(experiment=add_results(bench))
    (rows,) = [item.proto.body for item in app.get("html") if "wb-opens" in item.proto.body]
    runs = [run.id for run in result_frames.store().where(Filter()).runs()]
    assert sorted(re.findall(r'class="wb-opens" value="([^"]*)"', rows)) == [f"run={run}" for run in runs]


def test_what_a_browser_reports_as_pressed_is_only_ever_a_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, object] = {}
    monkeypatch.setattr(st, "session_state", kept)
    for sent, mark in (
        ({"mark": "run=1"}, "run=1"),
        ({}, ""),
        ({"mark": None}, ""),
        ({"mark": ["run=1"]}, "['run=1']"),
    ):
        kept[leaderboard_view.OPENED] = sent
        leaderboard_view._open()
        assert kept.pop(figure.CLICKED_MARK) == mark
    with pytest.raises(UsageError):
        dashboard_state.from_mark("['run=1']")


def test_the_chart_library_lies_where_the_browser_is_told_to_look() -> None:
    assert (Path(st.__file__).parent / "static" / leaderboard_view._chart_library()).is_file()
    assert leaderboard_view._chart_library().endswith(".js")


def test_a_click_on_a_mark_or_a_row_is_kept_until_the_page_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, object] = {}
    monkeypatch.setattr(st, "session_state", kept)
    for data in (["mode=trag"], {"0": "mode=trag"}):
        points = [{"x": 1}, {"customdata": data}]
        kept["figure_a"] = SimpleNamespace(selection=SimpleNamespace(points=points))
        figure._figure_clicked("figure_a")
        assert kept.pop(figure.CLICKED_MARK) == "mode=trag"
    kept["table_a"] = SimpleNamespace(selection=SimpleNamespace(rows=[1]))
    figure._row_clicked("table_a", ["mode=trag", "mode=drag"])
    assert kept.pop(figure.CLICKED_MARK) == "mode=drag"
    kept["figure_a"] = SimpleNamespace(selection=SimpleNamespace(points=[]))
    kept["table_a"] = SimpleNamespace(selection=SimpleNamespace(rows=[]))
    figure._figure_clicked("figure_a")
    figure._row_clicked("table_a", [])
    assert figure.CLICKED_MARK not in kept
