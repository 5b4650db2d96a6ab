"""The Runs screen: building a matrix, the state of an experiment, and what can be done about it."""

from __future__ import annotations

import subprocess
import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tests.jobs.waiting import work_on
from tests.screens.conftest import codes, html, open_page
from tests.screens.results import add_results
from workbench.annotation.error_taxonomy import taxonomy
from workbench.annotation.queue_store import QueueStore
from workbench.app.workbench import Workbench
from workbench.core.records import Question
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.experiments.experiment import experiment_from_yaml, make_experiment
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.jobs.job_status import ExperimentStatus
from workbench.experiments.jobs.pilot_jobs import Pilot, Pilots
from workbench.experiments.planning import PilotMeasurement
from workbench.experiments.results.result_store import ResultStore
from workbench.ui.parts.safe_html import plain_label
from workbench.ui.runs import jobs_view
from workbench.workspace.jobs.job import Job, State


def _open(**params: str) -> AppTest:
    return open_page("runs", **params)


def _folded_out(key: str, **params: str) -> AppTest:
    """The page with what the expander of a key holds."""
    app = _open(**params)
    app.session_state[key] = True
    return app.run()


def _status(experiment_id: str, state: State, **result: float) -> Job:
    steps = {"ran": {"generate": 3}, "from_cache": {"retrieve": 2}}
    return Job(experiment_id, "experiment", state=state, phase="answering", done=1, total=4, result={**steps, **result})


def _put_job(monkeypatch: pytest.MonkeyPatch, state: State) -> None:
    """Every experiment has a job in this state."""
    statuses = ExperimentJobs.statuses

    def with_job(jobs: ExperimentJobs, *experiment_ids: str) -> list[ExperimentStatus]:
        rows = statuses(jobs, *experiment_ids)
        return [replace(row, job=_status(row.experiment.id, state)) for row in rows]

    monkeypatch.setattr(ExperimentJobs, "statuses", with_job)


def test_the_form_counts_cells_and_steps_and_writes_the_yaml(bench: Workbench) -> None:
    app = _open()
    assert not app.exception
    shown = html(app)
    assert "<b>60</b>cells, one answer each" in shown
    assert "steps, each run once" in shown
    assert experiment_from_yaml(codes(app)).modes == ("multirag", "crossrag")


def test_a_choice_changes_the_count_at_once(bench: Workbench) -> None:
    app = _open()
    app.multiselect(key="matrix_modes").unselect("crossrag").run()
    assert "<b>30</b>cells, one answer each" in html(app)


def test_a_matrix_that_is_not_valid_is_reported_in_a_sentence(bench: Workbench) -> None:
    app = _open()
    app.multiselect(key="matrix_modes").set_value([]).run()
    assert not app.exception
    assert "The experiment names none of its modes: name at least one." in html(app)


def _judged(app: AppTest, metrics: str = "matrix_metrics") -> AppTest:
    return app.multiselect(key=metrics).set_value(["flexible_em", "correctness"]).run()


def test_a_judge_can_be_selected_where_a_metric_needs_one(bench: Workbench) -> None:
    app = _open()
    assert not [box for box in app.selectbox if box.key == "matrix_judge"]
    _judged(app)
    assert not app.exception
    assert "The metric correctness needs a judge" in html(app)
    assert "extractive" not in " ".join(app.selectbox(key="matrix_judge").options)
    app.selectbox(key="matrix_judge").set_value("llama-3-8b-instruct").run()
    written = experiment_from_yaml(codes(app))
    assert written.metrics == ("flexible_em", "correctness@llama-3-8b-instruct+ul")
    app.selectbox(key="matrix_judge_language").set_value("both").run()
    assert experiment_from_yaml(codes(app)).judge_language == "both"
    app.multiselect(key="matrix_metrics").set_value(["flexible_em"]).run()
    assert experiment_from_yaml(codes(app)).judge == ""


def test_a_judge_is_kept_while_the_page_is_left(bench: Workbench) -> None:
    app = _judged(_open())
    app.selectbox(key="matrix_judge").set_value("llama-3-8b-instruct").run()
    app.switch_page("pages/dashboard.py").run()
    app.switch_page("pages/runs.py").run()
    assert app.selectbox(key="matrix_judge").value == "llama-3-8b-instruct"
    assert app.multiselect(key="matrix_metrics").value == ["flexible_em", "correctness"]


def test_nothing_starts_before_the_user_agrees_to_send_texts_to_a_judge(bench: Workbench) -> None:
    app = _judged(_open())
    app.selectbox(key="matrix_judge").set_value("gpt-4o").run()
    assert "gold answers and answers are sent to api.openai.com" in html(app)
    assert app.button(key="runs_start").disabled and app.button(key="runs_pilot").disabled
    app.checkbox(key="runs_agree_api.openai.com").check().run()
    assert not app.button(key="runs_start").disabled


def test_predictions_are_judged_once_the_user_agrees(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    app = _judged(_folded_out("own_run"), "own_metrics")
    app.file_uploader(key="own_file").upload("mine.jsonl", b'{"id": "q01", "answer": "Marconi", "language": "en"}')
    app.text_input(key="own_title").input("Mine")
    app.selectbox(key="own_judge").set_value("gpt-4o").run()
    assert app.button(key="own_take").disabled
    app.checkbox(key="own_agree_api.openai.com").check().run()
    app.button(key="own_take").click().run()
    assert not app.exception
    results = ResultStore.at(bench.settings.database_url).of(app.query_params["experiment"])
    ((reason, count),) = results.unscored("correctness@gpt-4o+ul")
    assert count == 1 and "OPENAI_API_KEY" in reason


@pytest.mark.parametrize("form", ["new_experiment", "own_run"])
def test_a_form_that_has_created_an_experiment_folds_itself(
    form: str, bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ExperimentJobs, "start", lambda jobs, experiment_id: None)
    app = _folded_out(form)
    if form == "own_run":
        app.file_uploader(key="own_file").upload("mine.jsonl", b'{"id": "q01", "answer": "Marconi", "language": "en"}')
        app.text_input(key="own_title").input("Mine").run()
    assert app.session_state[form]
    app.button(key="own_take" if form == "own_run" else "runs_start").click().run()
    assert not app.exception
    assert "experiment" in app.query_params
    assert not app.session_state[form]


def test_start_creates_the_experiment_and_its_job(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(ExperimentJobs, "start", lambda jobs, experiment_id: started.append(experiment_id))
    app = _open()
    app.multiselect(key="matrix_modes").unselect("crossrag").run()
    app.button(key="runs_start").click().run()
    assert not app.exception
    assert [app.query_params["experiment"]] == started
    assert "0 of 30 answers" in html(app)


@pytest.fixture
def at_once(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of a job is done in this process before its start returns."""
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: work_on(bench.settings, words[3]))


@pytest.mark.usefixtures("at_once")
def test_a_pilot_is_a_job_whose_estimate_of_the_matrix_in_the_form_is_in_every_tab_and_in_no_list(
    bench: Workbench,
) -> None:
    app = _open()
    app.button(key="runs_pilot").click().run()
    assert not app.exception
    assert "from a pilot of 12 cells" in html(app)
    assert not app.get("header")
    app.multiselect(key="matrix_modes").unselect("crossrag").run()
    assert "from a pilot" not in html(app)
    app.multiselect(key="matrix_modes").select("crossrag").run()
    assert "from a pilot of 12 cells" in html(app)
    assert "from a pilot of 12 cells" in html(_open())
    app.switch_page("pages/dashboard.py").run()
    assert any("There are no results yet" in item.value for item in app.markdown)


def test_a_pilot_at_work_shows_its_stage_and_can_be_stopped(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[str] = []
    job = replace(_status("p", "running"), kind="pilot", title="<img src=x>")
    monkeypatch.setattr(Pilots, "at_work", lambda pilots: [Pilot("p", job.title, job)])
    monkeypatch.setattr(Pilots, "job", lambda pilots, job_id: job)
    monkeypatch.setattr(Pilots, "stop", lambda jobs, experiment_id: stopped.append(experiment_id))
    app = _open()
    assert app.get("progress")[0].proto.text == plain_label("Pilot of “<img src=x>”. Answering: batch 2 of 4")
    app.button(key="pilot_stop_p").click().run()
    assert stopped == ["p"]


def test_a_pilot_at_work_is_not_download_labels_again(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    working = Pilot("p", "Mine", _status("p", "running"))
    monkeypatch.setattr(Pilots, "at_work", lambda pilots: [working])
    monkeypatch.setattr(Pilots, "find", lambda pilots, experiment, questions: working)
    assert _open().button(key="runs_pilot").disabled


@pytest.mark.parametrize(
    ("state", "sentence"), [("stopped", "The pilot was stopped."), ("interrupted", "process was killed.")]
)
def test_a_pilot_that_did_not_finish_states_why(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, state: State, sentence: str
) -> None:
    ended = Pilot("p", "Mine", _status("p", state))
    monkeypatch.setattr(Pilots, "find", lambda pilots, experiment, questions: ended)
    app = _open()
    assert sentence in html(app)
    assert not app.button(key="runs_pilot").disabled


def test_a_pilot_whose_cells_failed_gives_the_reason(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = PilotMeasurement(4, 4, {"retrieve": 0.1}, reasons={"<b>No</b> endpoint.": 4})
    ended = Pilot("p", "Mine", _status("p", "done"), measured)
    monkeypatch.setattr(Pilots, "find", lambda pilots, experiment, questions: ended)
    shown = html(_open())
    assert "4 of the pilot&#x27;s cells failed: &lt;b&gt;No&lt;/b&gt; endpoint." in shown
    assert "Not included, as the pilot did not reach them: " in shown


def test_a_job_at_work_can_be_stopped(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[str] = []

    def stop(_jobs: ExperimentJobs, experiment_id: str) -> bool:
        stopped.append(experiment_id)
        return True

    identity = add_results(bench)
    _put_job(monkeypatch, "running")
    monkeypatch.setattr(ExperimentJobs, "stop", stop)
    app = _folded_out("runs_steps", experiment=identity)
    assert "Answering: batch 2 of 4" in app.get("progress")[0].proto.text
    assert "2 from the cache" in html(app)
    app.button(key="runs_stop").click().run()
    assert stopped == [identity]


def test_a_stopped_job_can_be_resumed_and_its_failed_cells_tried_again(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    identity = add_results(bench)
    _put_job(monkeypatch, "stopped")
    monkeypatch.setattr(ExperimentJobs, "start", lambda jobs, experiment_id: done.append("resumed"))
    monkeypatch.setattr(ExperimentJobs, "retry_failed", lambda jobs, experiment_id: done.append("retried"))
    app = _open(experiment=identity)
    app.button(key="runs_resume").click().run()
    app.button(key="runs_retry").click().run()
    assert done == ["resumed", "retried"]


def test_failed_cells_are_not_counted_as_answers(bench: Workbench) -> None:
    assert "3 of 4 answers, 1 failed" in html(_open(experiment=add_results(bench)))


def test_failed_cells_are_shown_with_their_reason(bench: Workbench) -> None:
    app = _open(experiment=add_results(bench))
    assert "The model did not answer." in html(app)
    assert any("1 cell failed" in item.value for item in app.markdown)


def test_a_killed_job_states_that_resuming_loses_nothing(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = add_results(bench)
    _put_job(monkeypatch, "interrupted")
    assert "nothing is lost or done twice" in html(_open(experiment=identity))


def test_the_form_keeps_its_values_while_the_page_is_left(bench: Workbench) -> None:
    app = _open()
    app.multiselect(key="matrix_modes").set_value(["trag"]).run()
    app.switch_page("pages/dashboard.py").run()
    app.switch_page("pages/runs.py").run()
    assert app.multiselect(key="matrix_modes").value == ["trag"]


def test_names_of_experiments_are_shown_as_text(bench: Workbench) -> None:
    identity = add_results(bench, "<img src=x> ![y](https://stranger.example/z.png)")
    shown = html(_open(experiment=identity))
    assert "&lt;img src=x&gt;" in shown
    assert make_experiment({"name": "<img>"}).name == "<img>"


def _download_labels(app: AppTest) -> list[str]:
    """The labels of the buttons that download results."""
    return [item.proto.label for item in app.get("download_button") if item.proto.label.startswith("Download (")]


def test_results_are_exported_as_a_file_that_is_created_on_request(bench: Workbench) -> None:
    add_results(bench)
    app = _folded_out("runs_export")
    assert not _download_labels(app)
    app.button(key="runs_make").click().run()
    assert not app.exception
    assert _download_labels(app) == ["Download (0.0 MB)"]
    app.selectbox(key="runs_format").set_value("jsonl").run()
    assert not _download_labels(app)
    app.button(key="runs_make").click().run()
    assert len(_download_labels(app)) == 1


def test_a_file_too_large_for_a_browser_is_reported_with_what_to_do(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_results(bench)
    monkeypatch.setattr(jobs_view, "LARGEST", 100)
    app = _folded_out("runs_export")
    app.button(key="runs_make").click().run()
    assert not app.exception and not _download_labels(app)
    assert "Choose Parquet, the smallest format" in html(app) and "--format" not in html(app)


def test_what_cannot_be_exported_is_reported_in_a_sentence(bench: Workbench) -> None:
    app = _folded_out("own_run")
    app.file_uploader(key="own_file").upload("mine.jsonl", b'{"id": "q01", "answer": "Marconi", "language": "en"}')
    app.text_input(key="own_title").input("Mine").run()
    app.button(key="own_take").click().run()
    app.session_state["runs_export"] = True
    app.run()
    app.selectbox(key="runs_format").set_value("trec-run").run()
    app.button(key="runs_make").click().run()
    assert not app.exception and not _download_labels(app)
    assert "These results hold no passages that TREC files could list" in html(app) and "--format" not in html(app)


def test_an_open_page_without_a_link_leaves_the_address_as_it_is(bench: Workbench) -> None:
    add_results(bench)
    assert "experiment" not in _open().query_params


def test_an_experiment_that_is_selected_is_in_the_address(bench: Workbench) -> None:
    older, _ = add_results(bench, "Older"), add_results(bench, "Newer")
    app = _open()
    app.button(key=f"runs_open_{older}").click().run()
    assert app.query_params["experiment"] == older
    assert "Older" in html(app)


def test_all_experiments_are_listed_with_their_state_and_counts(bench: Workbench) -> None:
    identity = add_results(bench, "=Mine")
    app = _open()
    assert ">=Mine<" in html(app) and "not started" in html(app) and "3 of 4 answers, 1 failed" in html(app)
    assert app.button(key=f"runs_open_{identity}").disabled and not app.dataframe


def test_answers_of_a_finished_experiment_are_labelled_by_one_click(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = add_results(bench)
    _put_job(monkeypatch, "done")
    app = _open(experiment=identity)
    assert {"Read the answers", "Open dashboard"} <= {link.proto.label for link in app.get("page_link")}
    app.button(key="runs_label").click().run()
    assert not app.exception
    results = ResultStore.at(bench.settings.database_url)
    (queue,) = QueueStore(results).queues()
    assert app.query_params["queue"] == queue.id and len(queue.runs) == 2
    # Somebody else's newer queue of the same answers is not theirs.
    runs = [run.id for run in results.of(identity).runs()]
    QueueStore(results).create("Another", taxonomy("answer-faithfulness", bench.settings.home), runs, per_language=5)
    again = _open(experiment=identity)
    again.button(key="runs_label").click().run()
    assert again.query_params["queue"] == queue.id


def test_a_link_to_an_experiment_that_does_not_exist_is_reported(bench: Workbench) -> None:
    add_results(bench)
    assert "The link names the experiment “gone”, which is not in this workspace" in html(_open(experiment="gone"))


def test_a_job_shows_how_long_it_will_take_yet(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    status = _status("e", "running", ends=time.time() + 150)
    assert jobs_view.stage_words(status) == "Answering: batch 2 of 4, about 3 minutes left"


def test_an_experiment_is_renamed_on_the_page(bench: Workbench) -> None:
    experiment_id = add_results(bench)
    app = _open()
    app.text_input(key=f"runs_new_name_{experiment_id}").input("Baselines")
    next(button for button in app.button if button.proto.label == "Rename").click().run()
    assert not app.exception
    assert "The experiment is now called “Baselines”." in html(app)
    assert jobs_view.experiment_names() == {experiment_id: "Baselines"}


def test_an_experiment_is_deleted_once_it_is_confirmed(bench: Workbench) -> None:
    older, newer = add_results(bench, "Older"), add_results(bench, "Newer")
    app = _open(experiment=older)
    assert "“Older” will be deleted for good, with 3 answers" in html(app)
    app.button(key="runs_delete_now").click().run()
    assert not app.exception
    assert "The experiment “Older” was deleted." in html(app)
    assert jobs_view.experiment_names() == {newer: "Newer"} and "experiment" not in app.query_params


def test_an_experiment_at_work_offers_neither_a_new_name_nor_its_end(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_results(bench)
    _put_job(monkeypatch, "running")
    assert not [button for button in _open().button if button.key == "runs_delete_now"]


def test_languages_that_no_selected_dataset_has_are_not_offered(bench: Workbench) -> None:
    DatasetLibrary(bench.settings.datasets).add("finnish", "sample", [Question("a", "Kuka?", "fi")], aligned=False)
    app = _open()
    app.multiselect(key="matrix_languages").set_value(["fi"]).run()
    app.multiselect(key="matrix_datasets").set_value(["finnish"]).run()
    assert not app.exception
    assert len(app.multiselect(key="matrix_languages").options) == 2


def test_languages_that_a_selected_dataset_lacks_are_named(bench: Workbench) -> None:
    DatasetLibrary(bench.settings.datasets).add("finnish", "sample", [Question("a", "Kuka?", "fi")], aligned=False)
    app = _open()
    app.multiselect(key="matrix_datasets").set_value(["sample", "finnish"]).run()
    assert "finnish has no questions in English (en), 中文 · Chinese (zh)." in html(app)
    assert "sample has no questions" not in html(app)


def test_models_are_marked_as_ready_or_not(bench: Workbench) -> None:
    options = _open().multiselect(key="matrix_models").options
    marks = {option.rpartition("(")[2].rstrip(")"): option[0] for option in options}
    assert marks["extractive"] == "●" and marks["llama-3-8b-instruct"] == "○"


def test_all_missing_models_of_a_matrix_are_listed_before_the_start(bench: Workbench) -> None:
    app = _open()
    assert "not ready: cells that need one will fail" not in html(app)
    app.multiselect(key="matrix_models").set_value(["llama-3-8b-instruct", "command-r-35b"])
    app.multiselect(key="matrix_metrics").set_value(["flexible_em", "semscore"]).run()
    app.selectbox(key="matrix_semscore_encoder").set_value("bge-m3").run()
    assert not app.exception
    shown = html(app)
    assert "3 models are not ready" in shown
    for name in ("llama-3-8b-instruct", "command-r-35b", "bge-m3"):
        assert f"python -m workbench models download {name}" in shown


def test_semscore_needs_an_encoder_and_is_written_with_it(bench: Workbench) -> None:
    app = _open()
    app.multiselect(key="matrix_metrics").set_value(["flexible_em", "semscore"]).run()
    assert "The metric semscore needs an encoder" in html(app)
    app.selectbox(key="matrix_semscore_encoder").set_value("bge-m3").run()
    assert experiment_from_yaml(codes(app)).metrics == ("flexible_em", "semscore@bge-m3")


def test_any_other_field_of_a_recipe_can_be_varied_in_the_form(bench: Workbench) -> None:
    app = _open()
    app.multiselect(key="matrix_vary_fields").set_value(["candidates", "rrf_k"]).run()
    assert "vary" not in codes(app)  # no values yet
    app.multiselect(key="matrix_vary_candidates").set_value(["50"])
    app.multiselect(key="matrix_vary_rrf_k").set_value(["default"]).run()
    assert not app.exception
    assert experiment_from_yaml(codes(app)).vary == {"candidates": (50,), "rrf_k": (None,)}
