"""Downloads in the background."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from tests.jobs.waiting import ended, in_a_thread, until
from workbench.core.errors import MissingError
from workbench.models import download
from workbench.models.download import UNEXPECTED, Downloads, DownloadStopped
from workbench.workspace.jobs.job import Job
from workbench.workspace.settings import load

PATIENCE = 60.0
Report = Callable[[str, int, int], None]
Cancelled = Callable[[], bool]


class Hub:
    """Gives half of a model, then waits until it may give the rest or the download is cancelled."""

    def __init__(self) -> None:
        self.half, self.go_on = Event(), Event()
        self.calls = 0

    def __call__(self, name: str, progress: Report, cancelled: Cancelled) -> Path:
        self.calls += 1
        progress("downloading", 5, 10)
        self.half.set()
        while not self.go_on.wait(0.01):
            if cancelled():
                raise DownloadStopped("Stopped; what came is kept.")
        progress("downloading", 10, 10)
        return Path()


@pytest.fixture
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Downloads:
    """The downloads of an empty workspace, whose work a thread does."""
    monkeypatch.setattr(Downloads, "spawn", in_a_thread)
    return Downloads(load(tmp_path / "home"))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Hub:
    """Where the downloads come from."""
    hub = Hub()
    monkeypatch.setattr(download, "download", hub)
    return hub


def last(downloads: Downloads) -> Job:
    """How the download ended."""
    job = downloads.of("small")
    assert job is not None
    return ended(downloads, job.id)


def facts(job: Job) -> tuple[str, int, int, str]:
    return job.state, job.done, job.total, job.error


def test_a_download_is_reported_while_it_runs_and_when_it_is_done(downloads: Downloads, hub: Hub) -> None:
    assert downloads.of("small") is None
    downloads.start("small")
    hub.half.wait(PATIENCE)
    job = downloads.of("small")
    assert job is not None
    until(downloads, job.id, "running", having=lambda job: job.total == 10)
    hub.go_on.set()
    assert facts(last(downloads)) == ("done", 10, 10, "")


def test_a_running_download_is_not_started_twice(downloads: Downloads, hub: Hub) -> None:
    downloads.start("small")
    hub.half.wait(PATIENCE)
    downloads.start("small")
    hub.go_on.set()
    assert last(downloads).state == "done"
    assert hub.calls == 1


def test_a_cancelled_download_is_stopped_and_can_be_started_again(downloads: Downloads, hub: Hub) -> None:
    downloads.start("small")
    hub.half.wait(PATIENCE)
    job = downloads.of("small")
    assert job is not None and downloads.stop(job.id)
    assert facts(last(downloads)) == ("stopped", 5, 10, "Stopped; what came is kept.")
    hub.go_on.set()
    downloads.start("small")
    assert last(downloads).state == "done"


def failing(downloads: Downloads, monkeypatch: pytest.MonkeyPatch, error: Exception) -> tuple[str, int, int, str]:
    def fetch(name: str, progress: Report, cancelled: Cancelled) -> Path:
        raise error

    monkeypatch.setattr(download, "download", fetch)
    downloads.start("small")
    return facts(last(downloads))


def test_a_failure_is_reported_by_its_message(downloads: Downloads, monkeypatch: pytest.MonkeyPatch) -> None:
    assert failing(downloads, monkeypatch, MissingError("No connection.")) == ("failed", 0, 0, "No connection.")


def test_an_unexpected_error_is_not_quoted(downloads: Downloads, monkeypatch: pytest.MonkeyPatch) -> None:
    assert failing(downloads, monkeypatch, RuntimeError("secret detail")) == ("failed", 0, 0, UNEXPECTED)
