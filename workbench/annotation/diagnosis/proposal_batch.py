"""Proposals for many answers, one after another in the background: each is stored as soon as it is there.

A kill loses the answer at work and no other: the next batch over the same answers goes on with those that have none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Lock, Thread

from workbench.annotation.diagnosis.diagnosing import Diagnosing
from workbench.annotation.diagnosis.proposal_store import ProposalStore
from workbench.app import Workbench
from workbench.core import WorkbenchError
from workbench.experiments import Instance, ResultStore
from workbench.workspace import carried, verb

Explain = Callable[[Exception], str]


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a batch is: `done` of `total` answers have a proposal; `error` is why it ended early, "" otherwise."""

    done: int
    total: int
    running: bool
    stopping: bool = False
    error: str = ""


class ProposalBatch:
    """A batch of proposals for some answers; those that have one by the present rules count as done."""

    def __init__(self, workbench: Workbench, items: Sequence[Instance], *, sends: bool, explain: Explain = str) -> None:
        """`sends`: whether texts may be sent to the recipes' hosts. `explain` gives the sentence for an exception."""
        self._store = ProposalStore(ResultStore.at(workbench.settings.database_url))
        self._diagnosing = Diagnosing(workbench, sends=sends)
        self._left = self._store.missing(items)
        self._total = len(items)
        self._done = self._total - len(self._left)
        self._explain = explain
        self._lock, self._stop, self._error = Lock(), Event(), ""
        self._thread: Thread | None = None

    @verb("proposals.run")
    def start(self) -> ProposalBatch:
        """Starts it in the background, once. Returns itself."""
        if self._thread is None:
            self._thread = Thread(target=carried(self._run_in_background), name="proposing", daemon=True)
            self._thread.start()
        return self

    def stop(self) -> None:
        """Ends it after the answer at work."""
        self._stop.set()

    def wait(self, seconds: float) -> None:
        """Waits until it has ended, at most `seconds`."""
        if self._thread is not None:
            self._thread.join(seconds)

    def progress(self) -> BatchProgress:
        """The present state."""
        running = self._thread is not None and self._thread.is_alive()
        with self._lock:
            return BatchProgress(self._done, self._total, running, running and self._stop.is_set(), self._error)

    @verb("proposals.run")
    def run(self, on_progress: Callable[[BatchProgress], None] = lambda _progress: None) -> BatchProgress:
        """Runs it in this thread; `on_progress` is called after each answer. Returns the last state."""
        self._store.drop_orphans()
        for item in self._left:
            if self._stop.is_set():
                break
            self._store.save(item, self._diagnosing.propose(item))
            with self._lock:
                self._done += 1
                state = BatchProgress(self._done, self._total, running=True)
            on_progress(state)
        return BatchProgress(self._done, self._total, running=False)

    def _run_in_background(self) -> None:
        try:
            self.run()
        except Exception as error:  # shown on the screen: a thread has nobody else to tell
            with self._lock:
                self._error = str(error) if isinstance(error, WorkbenchError) else self._explain(error)
