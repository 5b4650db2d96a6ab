"""Jobs: processes of their own that survive their parent, a kill and each other."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, insert, update

from tests.experiments.experiments import answer_rows, small
from tests.jobs.waiting import work_on
from tests.screens.results import add_results
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.experiments import inputs
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.jobs.job_status import job_to_json, steps_of
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import lock, result_tables as t
from workbench.workspace.jobs.job import Job
from workbench.workspace.tables import jobs as table

SOON = 0.02


@pytest.fixture
def jobs(workbench: Workbench) -> ExperimentJobs:
    return ExperimentJobs(workbench.settings)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs work in the test's process, before their start returns."""
    monkeypatch.setattr(ExperimentJobs, "spawn", lambda self, job_id, _number: work_on(self.settings, job_id))


def to_the_end(jobs: ExperimentJobs, experiment_id: str) -> Job:
    *_, last = jobs.watch(experiment_id, SOON)
    return last


def kill_at_look(jobs: ExperimentJobs, experiment_id: str, look: int) -> None:
    """SIGKILL at a look at the status, counted from when the process is at work; at its end where that comes first."""
    seen = 0
    for now in jobs.watch(experiment_id, SOON):
        seen += now.state == "running"
        if now.state == "running" and now.pid and seen >= look:
            os.kill(now.pid, signal.SIGKILL)
            break
    to_the_end(jobs, experiment_id)


@pytest.mark.slow
def test_killed_at_random_moments_and_resumed_it_ends_as_an_unbroken_one(
    workbench: Workbench, jobs: ExperimentJobs
) -> None:
    looks = random.Random(7)
    broken = jobs.create(workbench, small(questions=17, languages=["en"]))
    states = []
    for _ in range(3):
        now = jobs.status(broken)
        if now is None or now.state != "done":
            jobs.start(broken)
            kill_at_look(jobs, broken, looks.randint(1, 60))
            states.append(to_the_end(jobs, broken).state)
    assert "interrupted" in states
    if states[-1] != "done":
        jobs.start(broken)
        assert to_the_end(jobs, broken).state == "done"
    Workbench(jobs.settings).cache.forget()
    whole = jobs.create(workbench, small(questions=17, languages=["en"]))
    jobs.start(whole)
    assert to_the_end(jobs, whole).state == "done"
    assert answer_rows(jobs.settings, broken) == answer_rows(jobs.settings, whole)
    assert len(answer_rows(jobs.settings, whole)) == 17 * 4


def test_a_job_killed_while_it_starts_is_seen_at_once(
    workbench: Workbench, jobs: ExperimentJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = []

    class Remembered(subprocess.Popen[bytes]):
        def __init__(self, *words: Any, **options: Any) -> None:
            super().__init__(*words, **options)
            processes.append(self)

    monkeypatch.setattr(subprocess, "Popen", Remembered)
    experiment_id = jobs.create(workbench, small())
    jobs.start(experiment_id)
    processes[0].kill()
    processes[0].wait()
    now = jobs.status(experiment_id)
    assert now is not None and now.state == "interrupted"
    jobs.start(experiment_id)
    assert to_the_end(jobs, experiment_id).state == "done"


def test_a_job_that_ends_while_one_looks_is_not_taken_for_a_killed_one(
    workbench: Workbench, jobs: ExperimentJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment_id = jobs.create(workbench, small())
    jobs.start(experiment_id)
    look = lock.is_locked

    def ends_meanwhile(path: Path) -> bool:
        while look(path):
            pass
        return False

    monkeypatch.setattr(lock, "is_locked", ends_meanwhile)
    now = jobs.status(experiment_id)
    assert now is not None and now.state == "done"


def test_the_end_of_its_parent_leaves_a_job_running_and_others_can_watch_it(
    workbench: Workbench, jobs: ExperimentJobs
) -> None:
    experiment_id = jobs.create(workbench, small(questions=1))
    starts = (
        "import sys; from pathlib import Path; from workbench.workspace import settings; "
        "from workbench.experiments.jobs.control import ExperimentJobs; "
        "ExperimentJobs(settings.load(Path(sys.argv[1]))).start(sys.argv[2])"
    )
    subprocess.run(
        [sys.executable, "-c", starts, str(jobs.settings.home), experiment_id],
        env={**os.environ, "WORKBENCH_DATABASE_URL": jobs.settings.database_url},
        check=True,
        start_new_session=True,
    )
    assert to_the_end(jobs, experiment_id).state == "done"
    assert len(answer_rows(jobs.settings, experiment_id)) == 8


@pytest.mark.slow
def test_two_jobs_at_once_do_not_disturb_each_other(workbench: Workbench, jobs: ExperimentJobs) -> None:
    first = jobs.create(workbench, small(name="One"))
    second = jobs.create(workbench, small(name="Two", modes=["multirag", "drag"]))
    jobs.start(first)
    jobs.start(second)
    assert to_the_end(jobs, first).state == to_the_end(jobs, second).state == "done"
    store = ResultStore(jobs.engine)
    assert (store.of(first).count(), store.of(second).count()) == (16, 12), "D-RAG has one prompt of its own"
    shared = []
    for one in (first, second):
        cells = store.where(Filter(experiments=(one,), modes=("multirag",))).instances()
        shared.append({(cell.run.title, cell.language, cell.question): cell.output for cell in cells})
    assert shared[0] == shared[1] and len(shared[0]) == 8


@pytest.mark.slow
def test_a_job_that_shall_stop_stops_and_can_go_on(workbench: Workbench, jobs: ExperimentJobs) -> None:
    experiment_id = jobs.create(workbench, small(questions=17))
    jobs.start(experiment_id)
    assert jobs.stop(experiment_id)
    assert to_the_end(jobs, experiment_id).state in ("stopped", "done")
    if to_the_end(jobs, experiment_id).state == "stopped":
        jobs.start(experiment_id)
    assert to_the_end(jobs, experiment_id).state == "done"
    assert len(answer_rows(jobs.settings, experiment_id)) == 17 * 2 * 4


def test_an_experiment_that_is_worked_on_is_not_started_twice(workbench: Workbench, jobs: ExperimentJobs) -> None:
    experiment_id = jobs.create(workbench, small())
    jobs.start(experiment_id)
    with pytest.raises(UsageError, match="is running"):
        jobs.start(experiment_id)
    assert to_the_end(jobs, experiment_id).state == "done"


@pytest.mark.usefixtures("here")
def test_questions_that_changed_since_it_began_are_not_mixed_with_the_old_ones(
    workbench: Workbench, jobs: ExperimentJobs
) -> None:
    from workbench.core.records import Question
    from workbench.data.datasets.dataset_library import DatasetLibrary

    library = DatasetLibrary(workbench.settings.datasets)
    library.add("mine", "sample", [Question("a", "Who invented radio?", "en")], aligned=False)
    experiment_id = jobs.create(workbench, small(datasets=["mine"], languages=["en"]))
    library.add("mine", "sample", [Question("a", "Who invented the bicycle?", "en")], aligned=False)
    jobs.start(experiment_id)
    last = to_the_end(jobs, experiment_id)
    assert last.state == "failed" and "changed since this experiment began" in last.error


def test_an_experiment_that_does_not_exist_is_named(workbench: Workbench, jobs: ExperimentJobs) -> None:
    for method in (jobs.status, jobs.experiment_status, jobs.start, jobs.stop, jobs.retry_failed):
        with pytest.raises(UsageError, match="Unknown experiment “nothing”"):
            method("nothing")
    assert jobs.status(jobs.create(workbench, small())) is None


@pytest.fixture
def statements(jobs: ExperimentJobs) -> Iterator[list[str]]:
    """The SQL statements that are executed on the workspace's database."""
    statements: list[str] = []

    def remember(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("SELECT"):
            statements.append(statement)

    event.listen(jobs.engine, "before_cursor_execute", remember)
    yield statements
    event.remove(jobs.engine, "before_cursor_execute", remember)


def add_job(jobs: ExperimentJobs, experiment_id: str, state: str) -> None:
    result = '{"ran": {"generate": 3}, "from_cache": {"retrieve": 2}, "failed": {}}'
    row = {"id": experiment_id, "kind": "experiment", "title": "", "state": state, "stop": False, "actor": ""}
    times = {"created": 1.0, "started": 1.0, "heartbeat": 1.0}
    progress = {"phase": "answering", "done": 1, "total": 4, "error": "", "parameters": "{}", "result": result}
    with jobs.engine.begin() as connection:
        connection.execute(insert(table).values(**row, **times, **progress))


def test_one_statement_reads_how_all_experiments_stand(
    workbench: Workbench, jobs: ExperimentJobs, statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Path] = []

    def is_locked(path: Path) -> bool:
        looks.append(path)
        return True

    monkeypatch.setattr(lock, "is_locked", is_locked)
    ids = [add_results(workbench, name) for name in ("One", "Two", "Three")]
    add_job(jobs, ids[0], "done")
    add_job(jobs, ids[1], "running")
    statements.clear()
    rows = {row.experiment.name: row for row in jobs.statuses()}
    assert len(statements) == 1
    assert [path.stem for path in looks] == [ids[1]]
    assert [row.job.state if row.job else None for row in rows.values()] == [None, "running", "done"]
    assert [row.experiment.id for row in rows.values()] == ids[::-1]
    assert all((row.experiment.answered, row.experiment.failed) == (3, 1) for row in rows.values())
    running = rows["Two"].job
    assert running is not None and running == jobs.status(ids[1])
    counts = tuple(steps_of(running, name) for name in ("ran", "from_cache", "failed"))
    assert counts == ({"generate": 3}, {"retrieve": 2}, {})


def test_one_experiment_is_read_like_all_of_them(
    workbench: Workbench, jobs: ExperimentJobs, statements: list[str]
) -> None:
    ids = [add_results(workbench, name) for name in ("One", "Two")]
    statements.clear()
    row = jobs.experiment_status(ids[0])
    assert (len(statements), row.experiment.id, row.job) == (1, ids[0], None)


def test_a_job_without_its_process_is_interrupted(workbench: Workbench, jobs: ExperimentJobs) -> None:
    experiment_id = add_results(workbench)
    add_job(jobs, experiment_id, "running")
    (row,) = jobs.statuses()
    assert row.job is not None and (row.job.state, row.active) == ("interrupted", False)


def test_a_job_keeps_the_names_that_programs_read() -> None:
    job = Job("e", "experiment", state="done", result={"ran": {"generate": 3}, "from_cache": {"retrieve": 2}})
    values = job_to_json(job)
    assert list(values) == [
        "experiment", "job", "state", "stage", "done", "total", "started", "heartbeat", "pid", "error",
        "run", "found", "failed", "ends",
    ]  # fmt: skip
    assert (values["run"], values["found"], values["failed"]) == ({"generate": 3}, {"retrieve": 2}, {})


def test_a_clock_that_is_set_back_hides_no_job(
    workbench: Workbench, jobs: ExperimentJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment_id = jobs.create(workbench, small())
    monkeypatch.setattr(ExperimentJobs, "spawn", lambda *_: None)
    jobs.start(experiment_id)
    now = jobs.status(experiment_id)
    assert now is not None and now.state == "interrupted"
    monkeypatch.undo()
    monkeypatch.setattr(ExperimentJobs, "spawn", lambda self, job_id, _number: work_on(self.settings, job_id))
    real = time.time
    monkeypatch.setattr("workbench.workspace.jobs.jobs.time.time", lambda: real() - 86_400)
    jobs.start(experiment_id)
    assert to_the_end(jobs, experiment_id).state == "done"
    with pytest.raises(UsageError, match="is finished: nothing is left to run"):
        jobs.start(experiment_id)


@pytest.mark.usefixtures("here")
def test_a_finished_experiment_stays_finished_whatever_changed_since(
    workbench: Workbench, jobs: ExperimentJobs
) -> None:
    from workbench.core.records import Question
    from workbench.data.datasets.dataset_library import DatasetLibrary

    library = DatasetLibrary(workbench.settings.datasets)
    library.add("mine", "sample", [Question("a", "Who invented radio?", "en")], aligned=False)
    experiment_id = jobs.create(workbench, small(datasets=["mine"], languages=["en"]))
    jobs.start(experiment_id)
    assert to_the_end(jobs, experiment_id).state == "done"
    before = answer_rows(jobs.settings, experiment_id)
    library.add("mine", "sample", [Question("a", "Who invented the bicycle?", "en")], aligned=False)
    with pytest.raises(UsageError, match="is finished"):
        jobs.start(experiment_id)
    with pytest.raises(UsageError, match="changed since this experiment began"):
        jobs.retry_failed(experiment_id)
    now = jobs.status(experiment_id)
    assert now is not None and now.state == "done"
    assert answer_rows(jobs.settings, experiment_id) == before


@pytest.mark.usefixtures("here")
def test_an_experiment_goes_on_under_the_ranking_metrics_that_it_began_with_alone(
    workbench: Workbench, jobs: ExperimentJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked, unranked = small(metrics=["hit@5"]), small(metrics=["char3_recall"])
    with monkeypatch.context() as before:
        before.setattr(inputs, "RANKINGS_VERSION", inputs.RANKINGS_VERSION + 1)
        old = jobs.create(workbench, ranked)
        without = ExperimentInputs(workbench, unranked).fingerprint
    assert ExperimentInputs(workbench, unranked).fingerprint == without
    jobs.start(old)
    last = to_the_end(jobs, old)
    assert last.state == "failed" and "the ranking metrics changed since this experiment began" in last.error


@pytest.mark.usefixtures("here")
def test_an_experiment_whose_matrix_has_other_runs_now_does_not_go_on(
    workbench: Workbench, jobs: ExperimentJobs
) -> None:
    experiment_id = jobs.create(workbench, small())
    with jobs.engine.begin() as connection:
        last = t.runs.c.number == 3, t.runs.c.experiment_id == experiment_id
        connection.execute(update(t.runs).where(*last).values(fingerprint="of another one"))
    jobs.start(experiment_id)
    status = to_the_end(jobs, experiment_id)
    assert status.state == "failed" and "makes other runs of its matrix" in status.error
