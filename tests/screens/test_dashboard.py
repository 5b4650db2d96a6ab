"""The Dashboard over invented results: figures, filters in the URL, and the instances behind a mark."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tests.screens.conftest import APP, html
from tests.screens.results import PAYLOAD, add_results
from tests.screens.test_instances_view import RUN
from workbench.results.filters import Filter
from workbench.ui.dashboard import dashboard_state, difference_frames, result_frames
from workbench.ui.dashboard.dashboard_state import VIEWS, DashboardState
from workbench.ui.dashboard.view_controls import DESCRIPTIONS, TITLES
from workbench.ui.shared import access, figure
from workbench.ui.shared.safe_html import escaped
from workbench.workspace.workbench import Workbench


@pytest.fixture
def bench(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """The workbench that the screens of this test use."""
    monkeypatch.setattr(access, "workbench", lambda: workbench)
    monkeypatch.setattr(access, "warm", lambda corpus: None)
    return workbench


def _open(**params: str | list[str]) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=30)
    app.switch_page("pages/dashboard.py")
    for name, value in params.items():
        app.query_params[name] = value
    return app.run()


def _titles(app: AppTest) -> str:
    """The titles of the figures, on one line each."""
    titles = (json.loads(item.proto.spec)["layout"]["title"]["text"] for item in app.get("plotly_chart"))
    return "\n".join(title.replace("</b><br><b>", " ") for title in titles)


def test_an_empty_workspace_leads_to_the_runs(bench: Workbench) -> None:
    app = _open()
    assert not app.exception
    assert "There are no results yet" in app.markdown[0].value


def test_every_view_has_a_title(bench: Workbench) -> None:
    assert set(TITLES) == set(VIEWS)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_draws_without_an_error(bench: Workbench, view: str) -> None:
    add_results(bench)
    app = _open(view=view)
    assert not app.exception
    assert 'class="wb-message wb-error"' not in html(app)
    assert "<b>" in _titles(app)


def test_the_leaderboard_states_n_and_unscored(bench: Workbench) -> None:
    add_results(bench)
    assert "n = 3 scored, 0 unscored" in _titles(_open())
    assert "n = 0 scored, 3 unscored" in _titles(_open(metric="clr"))


def test_an_imported_run_is_named_by_what_is_known_of_it() -> None:
    imported = replace(RUN, mode="", scope="", prompt="", model="my-system")
    assert result_frames.run_titles([imported]) == {RUN.id: "my-system"}


def test_a_filter_in_the_url_narrows_every_figure(bench: Workbench) -> None:
    add_results(bench)
    app = _open(mode="crossrag")
    assert "n = 1 scored" in _titles(app)
    assert app.multiselect(key="dash_modes").value == ["crossrag"]


def test_a_selected_filter_is_written_into_the_url(bench: Workbench) -> None:
    add_results(bench)
    app = _open()
    app.multiselect(key="dash_languages").select("fi").run()
    assert app.query_params["language"] == "fi"
    assert "n = 1 scored" in _titles(app)


def test_values_in_the_url_that_are_not_available_are_reported(bench: Workbench) -> None:
    add_results(bench)
    app = _open(view="pie", k="many")
    assert "Unknown view “pie”" in html(app)
    assert "must be a whole number" in html(app)


def test_a_mark_opens_its_instances_as_plain_text(bench: Workbench) -> None:
    add_results(bench)
    app = _open(mark=dashboard_state.mark(modes="multirag", languages="fi"))
    shown = html(app)
    assert "Kuka mainitaan radion keksijänä?" in shown
    assert "Who is named" not in shown
    assert escaped(PAYLOAD) in shown
    assert "radio.en.1" in shown
    assert "Marconi" in shown


def test_a_click_opens_instances_and_is_written_into_the_url(bench: Workbench) -> None:
    add_results(bench)
    app = _open()
    app.session_state[figure.CLICKED_MARK] = dashboard_state.mark(modes="crossrag")
    app.run()
    assert app.query_params["mark"] == "mode=crossrag"
    assert "Instances (2)" in [item.value for item in app.header]
    app.button(key="dash_closed").click().run()
    assert "mark" not in app.query_params
    assert not app.header


def test_opened_instances_are_scrolled_to_once(bench: Workbench) -> None:
    add_results(bench)
    app = _open(mark=dashboard_state.mark(modes="multirag"))
    assert "scrollIntoView" in html(app)
    assert "scrollIntoView" not in html(app.run())


def test_every_view_states_what_it_is_for(bench: Workbench) -> None:
    add_results(bench)
    assert set(DESCRIPTIONS) == set(VIEWS)
    assert DESCRIPTIONS["modes"] in [item.value for item in _open(view="modes").markdown]


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
    assert ", by language: char3_recall" in _titles(app)
    assert "paired permutation test;" in _titles(app)
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
    assert "Difference from “multirag”" in _titles(app)
    frame = difference_frames.differences(result_frames.current_state(), Filter(), "char3_recall", "mode", "multirag")
    assert sorted(frame["mode"]) == ["crossrag", "drag"]
    assert list(frame["pairs_of_runs"]) == [1, 1]


def test_what_is_compared_is_written_into_the_url(bench: Workbench) -> None:
    add_results(bench)
    app = _open(view="deltas")
    app.segmented_control(key="dash_what").set_value("mode").run()
    assert app.query_params["what"] == "mode"
    assert "Difference from “crossrag”" in _titles(app)


def test_a_mark_of_a_difference_in_a_language_opens_that_run_s_answers_in_it(bench: Workbench) -> None:
    add_results(bench)
    frame = difference_frames.by_languages(result_frames.current_state(), Filter(), "char3_recall", "run", "1", "2")
    opened = [result_frames.result_view(dashboard_state.from_mark(mark).filter_).count() for mark in frame["mark"]]
    assert (list(frame["language"]), opened) == (["", "en", "fi"], [2, 1, 1])


def test_the_failed_cells_have_a_mark(bench: Workbench) -> None:
    add_results(bench)
    app = _open(mark=dashboard_state.mark(failed=True))
    assert "Instances (1)" in [item.value for item in app.header]
    assert "The model did not answer." in html(app)


def test_a_cell_of_the_language_map_opens_those_that_were_given_such_a_document(bench: Workbench) -> None:
    add_results(bench)
    assert "Instances (1)" in [item.value for item in _open(mark="language=fi&document=fr").header]
    assert "Instances (0)" in [item.value for item in _open(mark="language=fi&document=ko").header]


def test_a_row_of_the_language_flow_opens_those_answered_in_that_language_too(bench: Workbench) -> None:
    add_results(bench)
    frame = result_frames.flows(result_frames.current_state(), Filter())
    assert "language=fi&document=fr&answer=en" in frame["mark"].tolist()
    assert "Instances (1)" in [item.value for item in _open(mark="language=fi&document=fr&answer=en").header]
    assert "Instances (0)" in [item.value for item in _open(mark="language=fi&document=fr&answer=none").header]


def test_a_cell_of_the_metrics_opens_the_answers_over_which_they_differ(bench: Workbench) -> None:
    add_results(bench)
    (mark, _) = result_frames.agreement(result_frames.current_state(), Filter())["mark"]
    assert mark == "apart=char3_recall&apart=clr"
    app = _open(mark=mark)
    assert "Instances (0)" in [item.value for item in app.header]
    assert "largest disagreement first" in html(app)


def test_a_mark_that_names_only_one_metric_is_reported(bench: Workbench) -> None:
    add_results(bench)
    assert "two metrics that disagree" in html(_open(mark="apart=clr"))


def test_documents_are_read_from_the_corpus_on_request(bench: Workbench) -> None:
    add_results(bench)
    app = _open(mark="mode=multirag")
    app.toggle(key="dash_documents").set_value(True).run()
    assert not app.exception
    assert "wb-part" in html(app)


def test_a_mark_that_is_not_valid_is_reported() -> None:
    dashboard, problems = dashboard_state.from_params({"mark": ["drop=table"]})
    assert dashboard.mark == ""
    assert "Unknown part of a mark" in problems[0]


def test_a_state_survives_the_url() -> None:
    dashboard, problems = dashboard_state.from_params(
        {"view": ["deltas"], "mode": ["trag", "drag"], "k": ["5"], "page": ["3"]}
    )
    assert problems == ()
    assert dashboard_state.from_params(dashboard_state.to_params(dashboard)) == (dashboard, ())
    assert dashboard_state.to_params(DashboardState()) == {}


def test_a_table_goes_into_a_spreadsheet_without_its_formulas() -> None:
    from pandas import DataFrame

    frame = DataFrame([{"title": "=1+1", "mean": -0.5, "low": float("nan"), "mark": "run=1"}])
    assert figure.as_csv(frame).splitlines() == ['"title","mean","low"', '"\'=1+1","-0.5",""']
