"""A new kind of job: its module and its entry, and it has its row, its verbs on the command line and its card."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.cli.terminal import Terminal, terminal
from tests.jobs.counting import KIND
from tests.jobs.waiting import work_on, write
from tests.screens.conftest import html
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.ui.parts import access
from workbench.workspace import lock
from workbench.workspace.jobs.job import KINDS, JobKind
from workbench.workspace.jobs.jobs import LOG_LIMIT, Jobs
from workbench.workspace.settings import load


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Jobs:
    """The jobs of an empty workspace that knows the new kind; the test's process does the work."""
    monkeypatch.setitem(KINDS, KIND.name, KIND)
    monkeypatch.setattr(Jobs, "spawn", lambda jobs, job_id, _number: work_on(jobs.settings, job_id))
    return Jobs(load(tmp_path / "home"))


@pytest.fixture
def run(jobs: Jobs, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return terminal(jobs.settings.home, capsys, monkeypatch)


def test_it_is_started_and_listed_by_a_command(jobs: Jobs, run: Terminal) -> None:
    started = run("jobs", "start", "counting", '{"steps": 4}')
    (job,) = jobs.all()
    assert started.code == 0 and job.id in started.err
    assert (job.kind, job.state, job.done, job.total, dict(job.result)) == ("counting", "done", 4, 4, {"sum": 10})
    assert run("jobs", "list").out.split("\t")[:3] == [job.id, "Counting", "finished"]
    assert run("jobs", "list", "--json").json[0]["parameters"] == {"steps": 4, "stop_at": 0}
    assert "nothing is left to do" in run("jobs", "resume", job.id).err


def test_it_is_stopped_and_resumed(jobs: Jobs, run: Terminal) -> None:
    run("jobs", "start", "counting", '{"steps": 4, "stop_at": 2}')
    (job,) = jobs.all()
    assert (job.state, job.done, job.stop) == ("stopped", 2, True)
    assert "It is not running." in run("jobs", "stop", job.id).err
    write(jobs, job.id, title="resumed")
    assert run("jobs", "resume", job.id).code == 0
    (job,) = jobs.all()
    assert (job.state, job.done) == ("done", 4)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("counting", '{"steps": "many"}'), "Counting: steps: Input should be a valid integer"),
        (("counting", "{"), "The parameters are not JSON"),
        (("flying", "{}"), "Unknown kind of job “flying”. Allowed: counting, download, forecast."),
        (("experiment", "{}"), "Unknown kind of job “experiment”"),
    ],
)
def test_what_it_does_not_take_is_one_sentence(
    jobs: Jobs, run: Terminal, words: tuple[str, str], sentence: str
) -> None:
    result = run("jobs", "start", *words)
    assert result.code == 2 and sentence in result.err and jobs.all() == []


@pytest.mark.parametrize("verb", ["stop", "resume", "log"])
def test_a_job_that_does_not_exist_is_named(jobs: Jobs, run: Terminal, verb: str) -> None:
    result = run("jobs", verb, "nothing")
    assert result.code == 2 and "There is no job “nothing”. Type: mrag jobs list" in result.err


def test_the_end_of_what_its_process_printed_is_shown(jobs: Jobs, run: Terminal) -> None:
    run("jobs", "start", "counting", '{"steps": 1}')
    (job,) = jobs.all()
    assert jobs.log(job.id) == ""
    jobs.files(job.id).log.write_bytes(b"x" * LOG_LIMIT + b"\nOne sheep\xff\n")
    assert len(jobs.log(job.id)) == LOG_LIMIT
    assert run("jobs", "log", job.id).out.endswith("xxx\nOne sheep\N{REPLACEMENT CHARACTER}\n")


def test_a_job_that_another_process_claims_at_this_moment_is_not_begun_twice(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "WAIT", 0.0)
    with jobs.claimed("counting-1"):
        assert not jobs.launch("counting-1", {"steps": 1}, kind="counting")
    assert jobs.all() == []


def _cards() -> None:
    from workbench.ui.parts import access, job_card
    from workbench.workspace.jobs.jobs import Jobs

    jobs = Jobs(access.workbench().settings)
    for job in jobs.all():
        job_card.draw(jobs, job)


def test_its_card_shows_how_far_it_is_and_what_can_be_done(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    workbench = Workbench(jobs.settings)
    monkeypatch.setattr(access, "workbench", lambda: workbench)
    with jobs.claimed("counting-1") as claim:
        assert claim is not None
        claim.record("running", {"steps": 4}, kind="counting", title="to <b>four</b>", total=4)
        write(jobs, "counting-1", phase="counting", done=1)
        app = AppTest.from_function(_cards).run()
        assert not app.exception
        bar = str(app.get("progress")[0].proto.text).replace("\\", "")
        assert bar.startswith("Counting “to <b>four</b>”: counting · 1 of 4")
        next(button for button in app.button if button.label == "Stop").click().run()
        job = jobs.job("counting-1")
        assert job is not None and job.stop
    app = AppTest.from_function(_cards).run()
    assert "The process of Counting “to &lt;b&gt;four&lt;/b&gt;” stopped unexpectedly." in html(app)
    next(button for button in app.button if button.label == "Resume").click().run()
    assert "is finished." in html(app)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_a_kind_names_is_there(kind: JobKind) -> None:
    assert callable(kind.function())
    with pytest.raises(UsageError, match=kind.title):
        kind.checked("no parameters")
