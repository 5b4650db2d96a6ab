"""The Optimise screen: a space as form and YAML, what it costs, searches, and what they came to."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from tests.jobs.waiting import work_on
from tests.optimise.searches import small_space
from tests.screens.conftest import cells, html, open_page
from workbench.app.workbench import Workbench
from workbench.optimise.search_report import report_of
from workbench.optimise.search_running import SearchRun
from workbench.optimise.search_store import SearchJobs, SearchRow
from workbench.optimise.search_trial import SearchTrials
from workbench.optimise.space.space_files import example_space, space_from_text, space_to_yaml
from workbench.optimise.spending import SearchOptions
from workbench.ui.optimise.report_figures import standing
from workbench.ui.parts.access import UNEXPECTED
from workbench.workspace.jobs.worker import RunningJob

PAYLOAD = "<img src=x onerror=alert(1)> **bold**"
AUTORAG = """node_lines:
- node_line_name: line
  nodes:
  - node_type: retrieval
    strategy: {metrics: [retrieval_ndcg]}
    top_k: 5
    modules:
    - module_type: bm25
    - module_type: ingested_by_nobody
"""


def _open(**params: str) -> AppTest:
    """The screen, its form open with all that can be changed."""
    return open_page("optimise", "new_search", "optimise_change", "optimise_yaml_fold", **params)


def stored_search(bench: Workbench, *, work: bool = True, **choices: object) -> str:
    """A search that this process has worked on to its end, or that was never started."""
    jobs = SearchJobs(bench.settings)
    search_id = jobs.create(bench, small_space(questions=4, **choices), SearchOptions())
    if work:
        with jobs.undisturbed(search_id) as claim:
            task = RunningJob(jobs, claim.record("running"))
            run = SearchRun(bench, jobs.store, jobs.store.row(search_id))
            with task.at_work():
                run.run()
                task.note(**run.progress.values)
    return search_id


def type_yaml(app: AppTest, text: str) -> AppTest:
    return app.text_area(key="optimise_yaml").set_value(text).run()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The searches that a screen started: no process is."""
    ids: list[str] = []
    monkeypatch.setattr(SearchJobs, "start", lambda jobs, search_id, cap=None: ids.append(search_id))
    return ids


def test_an_empty_workspace_shows_what_a_first_search_takes_and_can_show_and_a_trial_begins(
    bench: Workbench, tried: list[str]
) -> None:
    app = open_page("optimise")
    assert not app.exception
    shown = html(app)
    assert "There are no searches yet" in shown
    assert "<b>8</b>recipes" in shown and "<b>46 + 46</b>distinct questions + held out" in shown
    assert "at most, by a cautious rate" in shown
    assert "the smallest difference between 8 recipes that can be shown is 0.22" in shown
    assert not app.button(key="optimise_how_start").disabled
    assert not app.selectbox, "the form is built when it is opened"
    assert len(tried) == 1


def test_a_search_of_more_than_an_hour_starts_only_once_a_person_confirms(bench: Workbench) -> None:
    app = type_yaml(_open(), space_to_yaml(example_space("sample-without-models")))
    assert app.button(key="optimise_how_start").disabled
    assert "This search takes up to" in html(app)
    app = next(box for box in app.checkbox if box.label == "Start it all the same").check().run()
    assert not app.button(key="optimise_how_start").disabled


def test_a_space_is_downloaded_as_autorags_yaml_and_what_that_cannot_say_is_shown(bench: Workbench) -> None:
    app = _open()
    assert "Not for AutoRAG:" in html(app) and "mode: AutoRAG has no node for it" in html(app)
    assert [item for item in app.get("download_button") if "AutoRAG" in item.proto.label]


def test_form_and_yaml_are_in_step_both_ways(bench: Workbench) -> None:
    app = type_yaml(_open(), space_to_yaml(small_space()))
    assert "<b>6</b>recipes" in html(app)
    box = next(item for item in app.multiselect if item.label == "Passages to the generator (k)")
    assert box.value == ["1", "3", "5"]
    app = box.set_value(["1", "7"]).run()
    assert "<b>4</b>recipes" in html(app)
    space = space_from_text(str(app.text_area(key="optimise_yaml").value), "x")
    assert space.nodes[1].modules[0].values["k"] == (1, 7)
    app = app.text_input(key="optimise_space_name").set_value("Another").run()
    assert "name: Another" in str(app.text_area(key="optimise_yaml").value)


def test_a_mistake_in_the_yaml_is_a_sentence_with_its_line_and_nothing_can_be_started(bench: Workbench) -> None:
    app = type_yaml(_open(), space_to_yaml(small_space()).replace("- 1\n", "- many\n", 1))
    assert not app.exception
    assert "line " in html(app) and "many" in html(app)
    assert not [item for item in app.button if item.key == "optimise_how_start"]


def test_a_configuration_of_autorag_is_listed_module_by_module(bench: Workbench) -> None:
    app = type_yaml(_open(), AUTORAG)
    assert "ingested_by_nobody" in html(app) and "line 9" in html(app)
    app = type_yaml(app, AUTORAG.replace("    - module_type: ingested_by_nobody\n", ""))
    assert not app.exception
    assert "taken over" in html(app) and "retrieval / bm25" in html(app)


@pytest.mark.usefixtures("answers_unread")
def test_a_trial_in_the_background_tells_the_cost(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SearchTrials, "spawn", lambda jobs, job, _number: work_on(jobs.settings, job))
    app = type_yaml(_open(), space_to_yaml(small_space(questions=4)))
    app.session_state["optimise_cost_card"] = True
    app.run()
    assert not app.exception
    shown = html(app)
    assert "by a trial on this machine" in shown and "Calls of a generator: exactly" in shown
    assert "held-out questions: at most" in shown
    # Two groups of questions are searched on, with which nothing can be shown.
    assert "With 2 distinct questions no difference between 6 recipes can be shown" in shown


def test_start_stores_the_search_and_opens_it(bench: Workbench, started: list[str]) -> None:
    app = type_yaml(_open(), space_to_yaml(small_space(questions=4)))
    app = app.selectbox(key="optimise_how_strategy").set_value("greedy").run()
    app = app.button(key="optimise_how_start").click().run()
    assert not app.exception
    (search_id,) = started
    assert "".join(app.query_params["search"]) == search_id
    assert SearchJobs(bench.settings).status(search_id).options.strategy == "greedy"
    assert "not started" in html(app)


def test_a_finished_search_shows_its_best_recipe_on_both_halves_and_every_view_and_leads_to_ask(
    bench: Workbench,
) -> None:
    search_id = stored_search(bench)
    app = _open(search=search_id)
    assert not app.exception
    shown = html(app)
    assert "Nothing can be told apart: with 2 distinct questions" in shown and "on held-out" in shown
    assert "recommended" not in shown and "cheapest" not in shown
    assert app.selectbox(key="optimise_recipe").value is None
    again = app.button(key="optimise_more").click().run()
    assert (
        not again.exception and "4 + 4" not in html(again) and again.session_state["optimise_draft"].questions is None
    )
    app = app.selectbox(key="optimise_recipe").select_index(0).run()
    answer_page = app.button(key="optimise_ask").click().run()
    assert not answer_page.exception and "".join(answer_page.query_params["corpus"]) == "sample"
    for view in ("nodes", "choices", "costs", "recipes", "published"):
        app = _open(search=search_id, view=view, node="reranker")
        assert not app.exception
        assert UNEXPECTED not in html(app), view
        assert "".join(app.query_params["view"]) == view
        if view == "nodes":
            assert app.button_group(key="optimise_node").value == "reranker"
        if view == "published":
            assert "Query Decompose" in cells(app) and "0.651694" in cells(app)
        if view in ("nodes", "choices", "costs"):
            assert app.get("plotly_chart"), view


def test_a_search_at_work_shows_how_far_it_is_and_can_be_stopped(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    search_id = stored_search(bench)
    status, stopped = SearchJobs.status, []

    def running(jobs: SearchJobs, name: str) -> SearchRow:
        progress = {"phase": "answering", "done": 2, "total": 5, "trial": 3, "node": "reranker"}
        row = status(jobs, name)
        assert row.job is not None
        return replace(row, job=replace(row.job, state="running", result=progress))

    monkeypatch.setattr(SearchJobs, "status", running)
    monkeypatch.setattr(SearchJobs, "stop", lambda jobs, name: stopped.append(name))
    app = _open(search=search_id)
    assert not app.exception
    bar = next(str(item.proto.text) for item in app.get("progress"))
    assert "3 of at most 6 recipes" in bar.replace("\\", "") and "batch 3 of 5" in bar
    app.button(key="optimise_stop").click().run()
    assert stopped == [search_id]


def test_a_search_that_was_stopped_can_go_on(bench: Workbench, started: list[str]) -> None:
    search_id = stored_search(bench)
    jobs = SearchJobs(bench.settings)
    with jobs.undisturbed(search_id) as claim:
        claim.record("stopped")
    app = _open(search=search_id)
    assert "The search has not finished" in html(app)
    app.button(key="optimise_resume").click().run()
    assert started == [search_id]


def test_a_deleted_search_is_gone_and_its_link_says_so(bench: Workbench) -> None:
    first, second = stored_search(bench, work=False), stored_search(bench, work=False)
    app = _open(search=first)
    app = app.button(key="searches_delete_now").click().run()
    assert not app.exception
    assert [row.id for row in SearchJobs(bench.settings).statuses()] == [second]
    app = _open(search=first)
    assert "not in this workspace" in html(app)


def test_the_winner_fills_the_form_of_runs(bench: Workbench) -> None:
    search_id = stored_search(bench)
    app = _open(search=search_id).selectbox(key="optimise_recipe").select_index(0).run()
    app = app.button(key="optimise_run").click().run()
    assert not app.exception
    assert app.text_input(key="matrix_name").value == "Best of Small"
    jobs = SearchJobs(bench.settings)
    best = report_of(bench, jobs.store, jobs.status(search_id)).best
    assert best is not None and app.multiselect(key="matrix_k").value == [best.recipe.k]


def test_names_from_a_file_are_shown_as_text(bench: Workbench) -> None:
    space = small_space(name=PAYLOAD, questions=4).model_dump(mode="json")
    space["nodes"][0]["modules"][0]["name"] = PAYLOAD
    jobs = SearchJobs(bench.settings)
    jobs.create(bench, small_space(**space), SearchOptions())
    app = type_yaml(_open(), space_to_yaml(small_space(**space)))
    assert not app.exception
    assert "<img" not in html(app) and "&lt;img" in html(app)


def test_changed_questions_are_a_sentence_not_an_error(bench: Workbench) -> None:
    search_id = stored_search(bench)
    jobs = SearchJobs(bench.settings)
    jobs.store.update(search_id, material="another")
    with jobs.undisturbed(search_id) as claim:
        claim.record("done")
    app = _open(search=search_id)
    assert not app.exception
    assert "changed since this search began" in html(app)


def test_it_is_said_what_is_known_of_a_recipe_among_the_others() -> None:
    unknown = dict.fromkeys(("is_recommended", "is_best", "is_cheapest", "may_be_best", "is_compared"), False)
    for known, words in (
        (("is_recommended", "is_cheapest"), "recommended, the cheapest not told apart"),
        (("is_recommended",), "recommended"),
        (("is_best",), "what the search took"),
        (("is_cheapest",), "the cheapest not told apart"),
        (("may_be_best",), "not told apart from the best"),
        (("is_compared",), "told apart"),
        ((), "not compared"),
    ):
        recipe = SimpleNamespace(**{**unknown, **dict.fromkeys(known, True)})
        assert standing(recipe) == words  # type: ignore[arg-type]
