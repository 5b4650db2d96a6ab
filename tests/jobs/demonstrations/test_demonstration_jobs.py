"""Demonstrations written by a process of their own, killed twice, and gone on with to the same file."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.jobs.demonstrations.demonstrators import Desk, demonstration_desk
from tests.jobs.waiting import ended, kill, until
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.jobs.demonstrations.demonstration_writing import DemonstrationJobs

pytestmark = pytest.mark.slow


@pytest.fixture
def desk(workbench: Workbench) -> Iterator[Desk]:
    with demonstration_desk(workbench) as desk:
        yield desk


def test_killed_twice_and_resumed_it_makes_the_same_file(desk: Desk) -> None:
    request = desk.request(per_language=60, judge="")
    jobs, reply = DemonstrationJobs(desk.workbench.settings), desk.model.reply

    def slow(question: str, gold: str, quotation: str) -> str | None:
        time.sleep(0.05)
        return reply(question, gold, quotation)

    desk.model.reply = slow
    job = jobs.start("mine", request)
    for calls in (5, 25):
        until(jobs, job, "running")
        with pytest.raises(UsageError, match="already being written"):
            jobs.start("mine", request)
        deadline = time.monotonic() + 60
        while len(desk.model.calls) < calls and time.monotonic() < deadline:
            time.sleep(0.01)
        kill(jobs, job)
        status = jobs.job(job)
        assert status is not None
        assert status.state == "interrupted"
        jobs.resume(job)
    status = ended(jobs, job)
    assert (status.state, status.result["unwritten"]) == ("done", 0)
    written = desk.file()
    assert written.count("\n") == 60 == status.result["to_review"]
    desk.store.remove("mine")
    desk.run(per_language=60, judge="")
    assert desk.file() == written
