"""Questions written by a process of their own: complete, stopped, killed, and gone on with without paying twice."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from tests.jobs.question_generation.writers import ScriptedWriter, WritingDesk, pair, writing_desk
from tests.jobs.waiting import ended, kill, until
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.jobs.question_generation.question_writing import WritingJobs

pytestmark = pytest.mark.slow

COUNT = 18
"""More than are stored together."""


def _write(turn: str) -> str:
    time.sleep(0.02)
    return pair("What is told here in particular?", "nothing of the kind")


@pytest.fixture
def desk(workbench: Workbench) -> Iterator[WritingDesk]:
    """A generator behind a real server, which takes its time."""
    with writing_desk(workbench, ScriptedWriter(_write)) as desk:
        yield desk


def test_a_process_of_its_own_writes_drafts_for_review(desk: WritingDesk) -> None:
    jobs = WritingJobs(desk.workbench.settings)
    job = jobs.start("mine", desk.request(per_language=3))
    status = ended(jobs, job)
    assert (status.state, status.error) == ("done", "")
    assert status.result["to_review"] + status.result["filtered"] == 3
    assert desk.store.progress("mine").count("unwritten") == 0


def test_killed_at_a_random_moment_it_goes_on_and_pays_for_nothing_twice(desk: WritingDesk) -> None:
    jobs, choose = WritingJobs(desk.workbench.settings), random.Random(3)
    job = jobs.start("mine", desk.request(per_language=COUNT))
    until(jobs, job, "running")
    deadline = time.monotonic() + 60
    while not desk.writer.calls and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(choose.random())
    kill(jobs, job)
    status = jobs.job(job)
    assert status is not None and status.state == "interrupted"
    stored = COUNT - desk.store.progress("mine").count("unwritten")
    before = desk.writer.calls.count("write")
    jobs.resume(job)
    assert ended(jobs, job).state == "done"
    assert desk.store.progress("mine").count("unwritten") == 0
    assert desk.writer.calls.count("write") - before <= COUNT - stored


def test_stopped_it_keeps_what_is_written_and_can_go_on(desk: WritingDesk) -> None:
    jobs = WritingJobs(desk.workbench.settings)
    job = jobs.start("mine", desk.request(per_language=COUNT))
    until(jobs, job, "running")
    deadline = time.monotonic() + 60
    while not desk.writer.calls and time.monotonic() < deadline:
        time.sleep(0.01)
    assert jobs.stop(job)
    assert ended(jobs, job).state == "stopped"
    jobs.resume(job)
    assert ended(jobs, job).state == "done"


def test_calls_that_fail_are_counted_with_the_reason(workbench: Workbench) -> None:
    with writing_desk(workbench, ScriptedWriter(lambda turn: None)) as desk:
        jobs = WritingJobs(workbench.settings)
        status = ended(jobs, jobs.start("mine", desk.request(per_language=1)))
    assert (status.state, status.result["unwritten"]) == ("done", 1)
    assert status.result["reason"]


def test_the_built_in_reader_cannot_write(workbench: Workbench) -> None:
    from workbench.jobs.question_generation.draft_store import WritingRequest

    with pytest.raises(UsageError, match="is not a language model"):
        WritingJobs(workbench.settings).start("mine", WritingRequest("sample", "extractive", "extractive"))
