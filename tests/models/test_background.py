"""Downloads that go on while nobody watches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

from workbench.errors import MissingError
from workbench.models.background import UNEXPECTED, Downloads, Looked
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


def test_a_download_is_seen_under_way_and_done() -> None:
    hub = Hub()
    downloads = Downloads(hub)
    assert downloads.look("small") is None
    downloads.start("small")
    hub.half.wait(PATIENCE)
    assert downloads.look("small") == Looked("running", 5, 10)
    hub.go_on.set()
    downloads.wait("small", PATIENCE)
    assert downloads.look("small") == Looked("done", 10, 10, "It is on this machine now.")


def test_one_that_runs_is_not_begun_twice() -> None:
    hub = Hub()
    downloads = Downloads(hub)
    downloads.start("small")
    hub.half.wait(PATIENCE)
    downloads.start("small")
    hub.go_on.set()
    downloads.wait("small", PATIENCE)
    assert hub.calls == 1


def test_a_cancelled_one_says_so_and_can_be_begun_again() -> None:
    hub = Hub()
    downloads = Downloads(hub)
    downloads.start("small")
    downloads.cancel("small")
    downloads.wait("small", PATIENCE)
    assert downloads.look("small") == Looked("stopped", 5, 10, "Stopped; what came is kept.")
    hub.go_on.set()
    downloads.start("small")
    downloads.wait("small", PATIENCE)
    looked = downloads.look("small")
    assert looked is not None
    assert looked.state == "done"


def failing(error: Exception) -> Looked | None:
    def fetch(name: str, progress: Report, cancelled: Cancelled) -> Path:
        raise error

    downloads = Downloads(fetch)
    downloads.start("small")
    downloads.wait("small", PATIENCE)
    return downloads.look("small")


def test_a_failure_is_its_sentence() -> None:
    assert failing(MissingError("No connection.")) == Looked("failed", 0, 0, "No connection.")


def test_what_nobody_foresaw_is_not_told_in_its_own_words() -> None:
    assert failing(RuntimeError("secret detail")) == Looked("failed", 0, 0, UNEXPECTED)
