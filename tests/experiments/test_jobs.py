"""Jobs: processes of their own that survive their parent, a kill and each other."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.experiments.experiments import found, small
from workbench.errors import UsageError
from workbench.experiments.jobs import control, lock
from workbench.results.filters import Filter
from workbench.results.instances import count, instances
from workbench.settings import Settings
from workbench.storage.database import opened_store
from workbench.workspace.workbench import Workbench

SOON = 0.02


def to_the_end(chosen: Settings, experiment: str) -> control.Status:
    *_, last = control.watch(chosen, experiment, SOON)
    return last


def kill_at_look(chosen: Settings, experiment: str, look: int) -> None:
    """SIGKILL at a look at the status, counted from when the process is at work; at its end where that comes first."""
    seen = 0
    for now in control.watch(chosen, experiment, SOON):
        seen += now.state == "running"
        if now.state == "running" and now.pid and seen >= look:
            os.kill(now.pid, signal.SIGKILL)
            break
    to_the_end(chosen, experiment)


def test_killed_at_random_moments_and_resumed_it_ends_as_an_unbroken_one(workbench: Workbench) -> None:
    chosen, drawn = workbench.settings, random.Random(7)
    broken = control.create(workbench, small(questions=17, languages=["en"]))
    states = []
    for _ in range(3):
        now = control.status(chosen, broken)
        if now is None or now.state != "done":
            control.start(chosen, broken)
            kill_at_look(chosen, broken, drawn.randint(1, 60))
            states.append(to_the_end(chosen, broken).state)
    assert "interrupted" in states
    if states[-1] != "done":
        control.start(chosen, broken)
        assert to_the_end(chosen, broken).state == "done"
    Workbench(chosen).cache.forget()
    whole = control.create(workbench, small(questions=17, languages=["en"]))
    control.start(chosen, whole)
    assert to_the_end(chosen, whole).state == "done"
    assert found(chosen, broken) == found(chosen, whole)
    assert len(found(chosen, whole)) == 17 * 4


def test_a_job_killed_while_it_starts_is_seen_at_once(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, begun = workbench.settings, []

    class Remembered(subprocess.Popen[bytes]):
        def __init__(self, *words: Any, **options: Any) -> None:
            super().__init__(*words, **options)
            begun.append(self)

    monkeypatch.setattr(subprocess, "Popen", Remembered)
    identity = control.create(workbench, small())
    control.start(chosen, identity)
    begun[0].kill()
    begun[0].wait()
    now = control.status(chosen, identity)
    assert now is not None and now.state == "interrupted"
    control.start(chosen, identity)
    assert to_the_end(chosen, identity).state == "done"


def test_a_job_that_ends_while_one_looks_is_not_taken_for_a_killed_one(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = workbench.settings
    identity = control.create(workbench, small())
    control.start(chosen, identity)
    look = lock.held

    def ends_meanwhile(path: Path) -> bool:
        while look(path):
            pass
        return False

    monkeypatch.setattr(lock, "held", ends_meanwhile)
    now = control.status(chosen, identity)
    assert now is not None and now.state == "done"


def test_the_end_of_its_parent_leaves_a_job_running_and_others_can_watch_it(workbench: Workbench) -> None:
    chosen = workbench.settings
    identity = control.create(workbench, small(questions=1))
    starts = (
        "import sys; from pathlib import Path; from workbench import settings; "
        "from workbench.experiments.jobs import control; "
        "control.start(settings.load(Path(sys.argv[1])), sys.argv[2])"
    )
    subprocess.run([sys.executable, "-c", starts, str(chosen.home), identity], check=True, start_new_session=True)
    assert to_the_end(chosen, identity).state == "done"
    assert len(found(chosen, identity)) == 8


def test_two_jobs_at_once_do_not_disturb_each_other(workbench: Workbench) -> None:
    chosen = workbench.settings
    first = control.create(workbench, small(name="One"))
    second = control.create(workbench, small(name="Two", modes=["multirag", "drag"]))
    control.start(chosen, first)
    control.start(chosen, second)
    assert to_the_end(chosen, first).state == to_the_end(chosen, second).state == "done"
    engine = opened_store(chosen.database_url)
    assert count(engine, Filter(experiments=(first,))) == count(engine, Filter(experiments=(second,))) == 16
    shared = []
    for one in (first, second):
        cells = instances(engine, Filter(experiments=(one,), modes=("multirag",)))
        shared.append({(cell.run.title, cell.language, cell.question): cell.output for cell in cells})
    assert shared[0] == shared[1] and len(shared[0]) == 8


def test_a_job_that_is_asked_to_stop_stops_and_can_go_on(workbench: Workbench) -> None:
    chosen = workbench.settings
    identity = control.create(workbench, small(questions=17))
    control.start(chosen, identity)
    assert control.stop(chosen, identity)
    assert to_the_end(chosen, identity).state in ("stopped", "done")
    if to_the_end(chosen, identity).state == "stopped":
        control.start(chosen, identity)
    assert to_the_end(chosen, identity).state == "done"
    assert len(found(chosen, identity)) == 17 * 2 * 4


def test_an_experiment_that_is_worked_on_is_not_started_twice(workbench: Workbench) -> None:
    chosen = workbench.settings
    identity = control.create(workbench, small())
    control.start(chosen, identity)
    with pytest.raises(UsageError, match="is being worked on"):
        control.start(chosen, identity)
    assert to_the_end(chosen, identity).state == "done"


def test_questions_that_changed_since_it_began_are_not_mixed_with_the_old_ones(workbench: Workbench) -> None:
    from workbench.datasets.dataset_library import DatasetLibrary
    from workbench.records import Question

    library = DatasetLibrary(workbench.settings.datasets)
    library.add("mine", "sample", [Question("a", "Who invented radio?", "en")], aligned=False)
    identity = control.create(workbench, small(datasets=["mine"], languages=["en"]))
    library.add("mine", "sample", [Question("a", "Who invented the bicycle?", "en")], aligned=False)
    control.start(workbench.settings, identity)
    last = to_the_end(workbench.settings, identity)
    assert last.state == "failed" and "changed since this experiment began" in last.error


def test_an_experiment_that_does_not_exist_is_named(workbench: Workbench) -> None:
    for ask in (control.status, control.start, control.stop, control.retry_failed):
        with pytest.raises(UsageError, match="Unknown experiment “nothing”"):
            ask(workbench.settings, "nothing")
    assert control.status(workbench.settings, control.create(workbench, small())) is None
