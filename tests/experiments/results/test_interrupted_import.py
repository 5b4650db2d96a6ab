"""An import of predictions that is killed, or whose disk is full, leaves nothing that looks complete."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select

from workbench.app.workbench import Workbench
from workbench.core.errors import MissingError
from workbench.data.corpora import sample
from workbench.experiments.results import predictions, writer
from workbench.experiments.results.predictions import import_predictions
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import Writer
from workbench.workspace import result_tables as t
from workbench.workspace.database import opened_store

QUESTIONS = len(sample.questions("en"))
MOMENTS = ("stored", "in a batch", "after a batch", "before the last step", "after the last step")

KILLED = """
import os, signal, sys
from pathlib import Path
from workbench.workspace import settings
from workbench.experiments.results import predictions
from workbench.app.workbench import Workbench

home, file, *moments = sys.argv[1:]
predictions.ANSWERS_AT_ONCE = 10

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def killed_at(moment):
    write, set_kind = predictions.Writer.write, predictions.set_kind
    if moment == "stored":
        predictions.Writer.write = die
    elif moment == "in a batch":
        import workbench.experiments.results.writer as writer
        writer.add_scores = die
    elif moment == "after a batch":
        def once(self, phase, number, *rest):
            write(self, phase, number, *rest)
            if number == 2:
                die()
        predictions.Writer.write = once
    elif moment == "before the last step":
        predictions.set_kind = die
    else:
        def last(*words):
            set_kind(*words)
            die()
        predictions.set_kind = last
    bench = Workbench(settings.load(Path(home)))
    predictions.import_predictions(bench, Path(file), "sample", title=moment, language="en")

for moment in moments:
    child = os.fork()
    if not child:
        killed_at(moment)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL, moment
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    rows = [{"id": f"q{number:02d}", "answer": "It was Marconi."} for number in range(1, 53)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def titles(workbench: Workbench) -> list[str]:
    return [row.name for row in ResultStore.at(workbench.settings.database_url).experiments()]


def stored(workbench: Workbench) -> dict[str, int]:
    """The number of rows of each table of results."""
    tables = (t.experiments, t.runs, t.answers, t.scores, t.batches)
    with opened_store(workbench.settings.database_url).connect() as connection:
        return {one.name: int(connection.execute(select(func.count()).select_from(one)).scalar_one()) for one in tables}


def test_a_killed_import_is_in_no_list_and_the_next_one_removes_it(workbench: Workbench, file: Path) -> None:
    home = workbench.settings.home
    subprocess.run([sys.executable, "-c", KILLED, str(home), str(file), *MOMENTS[:-1]], check=True, timeout=240)
    assert titles(workbench) == []
    done = import_predictions(workbench, file, "sample", title="complete", language="en")
    assert titles(workbench) == ["complete"]
    assert (stored(workbench)["experiments"], stored(workbench)["answers"]) == (1, QUESTIONS)
    assert ResultStore.at(workbench.settings.database_url).experiment(done.experiment_id).kind == "predictions"
    assert not list((home / "jobs").glob("*.importing"))


def test_one_that_is_killed_after_its_last_step_is_complete_and_stays(workbench: Workbench, file: Path) -> None:
    home = workbench.settings.home
    command = [sys.executable, "-c", KILLED, str(home), str(file), MOMENTS[-1]]
    environment = {**os.environ, "WORKBENCH_DATABASE_URL": workbench.settings.database_url}
    subprocess.run(command, env=environment, check=True, timeout=240)
    import_predictions(workbench, file, "sample", title="again", language="en")
    assert sorted(titles(workbench)) == ["after the last step", "again"]
    assert stored(workbench)["answers"] == 2 * QUESTIONS


@pytest.mark.parametrize("also_removing", [False, True])
def test_a_write_that_fails_leaves_nothing_complete(
    workbench: Workbench, file: Path, monkeypatch: pytest.MonkeyPatch, also_removing: bool
) -> None:
    full = MissingError("The database cannot be used (database or disk is full).")
    write, remove = Writer.write, writer.remove

    def fails(self: Writer, phase: str, batch: int, *rest: object) -> None:
        if batch == 3:
            raise full
        write(self, phase, batch, *rest)  # type: ignore[arg-type]

    def cannot_remove(*_: object) -> None:
        raise full

    monkeypatch.setattr(predictions, "ANSWERS_AT_ONCE", 10)
    monkeypatch.setattr(Writer, "write", fails)
    if also_removing:
        monkeypatch.setattr(predictions, "remove", cannot_remove)
    with pytest.raises(MissingError, match="disk is full"):
        import_predictions(workbench, file, "sample", title="half", language="en")
    assert titles(workbench) == []
    assert (stored(workbench)["answers"] > 0) is also_removing
    monkeypatch.setattr(Writer, "write", write)
    monkeypatch.setattr(predictions, "remove", remove)
    import_predictions(workbench, file, "sample", title="complete", language="en")
    assert titles(workbench) == ["complete"] and stored(workbench)["answers"] == QUESTIONS


def test_an_import_that_goes_on_is_left_alone_by_another(
    workbench: Workbench, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, others = Writer.write, ["second"]

    def write_with_another(self: Writer, phase: str, batch: int, *rest: object) -> None:
        if others:
            import_predictions(workbench, file, "sample", title=others.pop(), language="en")
            assert titles(workbench) == ["second"]
        write(self, phase, batch, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Writer, "write", write_with_another)
    import_predictions(workbench, file, "sample", title="first", language="en")
    assert titles(workbench) == ["first", "second"] and stored(workbench)["answers"] == 2 * QUESTIONS
