"""Downloads in the background."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

from workbench.core.errors import MissingError
from workbench.models.background import UNEXPECTED, Downloads, DownloadStatus
from workbench.models.download import DownloadStopped

PATIENCE = 20.0
Report = Callable[[int, int], None]
Cancelled = Callable[[], bool]


class Hub:
    """Gives half of a model, then waits until it may give the rest or the download is cancelled."""

    def __init__(self) -> None:
        self.half, self.go_on = Event(), Event()
        self.calls = 0

    def __call__(self, name: str, progress: Report, cancelled: Cancelled) -> Path:
        self.calls += 1
        progress(5, 10)
        self.half.set()
        while not self.go_on.wait(0.01):
            if cancelled():
                raise DownloadStopped("Stopped; what came is kept.")
        progress(10, 10)
        return Path()


def test_a_download_is_reported_while_it_runs_and_when_it_is_done() -> None:
    hub = Hub()
    downloads = Downloads(hub)
    assert downloads.status("small") is None
    downloads.start("small")
    hub.half.wait(PATIENCE)
    assert downloads.status("small") == DownloadStatus("running", 5, 10)
    hub.go_on.set()
    downloads.wait("small", PATIENCE)
    assert downloads.status("small") == DownloadStatus("done", 10, 10, "It is on this machine now.")


def test_a_running_download_is_not_started_twice() -> None:
    hub = Hub()
    downloads = Downloads(hub)
    downloads.start("small")
    hub.half.wait(PATIENCE)
    downloads.start("small")
    hub.go_on.set()
    downloads.wait("small", PATIENCE)
    assert hub.calls == 1


def test_a_cancelled_download_is_stopped_and_can_be_started_again() -> None:
    hub = Hub()
    downloads = Downloads(hub)
    downloads.start("small")
    downloads.cancel("small")
    downloads.wait("small", PATIENCE)
    assert downloads.status("small") == DownloadStatus("stopped", 5, 10, "Stopped; what came is kept.")
    hub.go_on.set()
    downloads.start("small")
    downloads.wait("small", PATIENCE)
    status = downloads.status("small")
    assert status is not None
    assert status.state == "done"


def failing(error: Exception) -> DownloadStatus | None:
    def fetch(name: str, progress: Report, cancelled: Cancelled) -> Path:
        raise error

    downloads = Downloads(fetch)
    downloads.start("small")
    downloads.wait("small", PATIENCE)
    return downloads.status("small")


def test_a_failure_is_reported_by_its_message() -> None:
    assert failing(MissingError("No connection.")) == DownloadStatus("failed", 0, 0, "No connection.")


def test_an_unexpected_error_is_not_quoted() -> None:
    assert failing(RuntimeError("secret detail")) == DownloadStatus("failed", 0, 0, UNEXPECTED)
