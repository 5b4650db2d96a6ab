"""A question asked in a thread of its own, to be looked at while it is answered: steps, text so far, stop.

Streamlit ends a script when a button is pressed; this goes on. No Streamlit in here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import Literal

from workbench.errors import WorkbenchError
from workbench.pipeline.executor import OnStep
from workbench.records import Answer
from workbench.ui.ask.ask_url import Choice
from workbench.workspace.answer_stream import StreamObserver

GRACE = 0.6
"""Seconds after Stop that the part answer has to become a whole record; then the screen goes on without it."""
UNWATCHED = 120.0
"""Seconds without a look after which nobody is taken to wait. A browser calls at least once a minute from a tab that
lies behind others."""

State = Literal["running", "answered", "failed", "stopped"]
Ask = Callable[[OnStep, StreamObserver], Answer]
Explain = Callable[[Exception], str]


class _LeftError(Exception):
    """Raised between steps of a question that nobody waits for any more."""


@dataclass(frozen=True, slots=True)
class AnswerProgress:
    """One moment of it: the step under way, the text so far, and what it came to. `sentence`: why it failed.
    `stopping`: Stop was pressed, and the part answer is being made whole.
    """

    state: State
    step: str
    text: str
    stopping: bool = False
    answer: Answer | None = None
    sentence: str = ""


class Asking:
    """One question under way, or answered. Safe to share between threads."""

    def __init__(self, choice: Choice, ask: Ask, explain: Explain, clock: Callable[[], float] = time.monotonic) -> None:
        """`explain` turns whatever is raised into the sentence to show."""
        self.choice = choice
        self._ask = ask
        self._explain = explain
        self._clock = clock
        self._lock = Lock()
        self._text = ""
        self._step = "Starting"
        self._state: State = "running"
        self._answer: Answer | None = None
        self._sentence = ""
        self._stopped_at: float | None = None
        self._seen = clock()
        self._stop = Event()
        self._thread = Thread(target=self._run, name="asking", daemon=True)

    def start(self) -> Asking:
        """Begins. Returns itself."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Ends the answer within a second; what came is kept."""
        with self._lock:
            if self._state == "running" and self._stopped_at is None:
                self._stopped_at = self._clock()
        self._stop.set()

    def look(self) -> AnswerProgress:
        """How it stands. Looking says that somebody waits."""
        with self._lock:
            self._seen = self._clock()
            late = self._stopped_at is not None and self._seen - self._stopped_at >= GRACE
            state: State = "stopped" if late and self._state == "running" else self._state
            stopping = state == "running" and self._stop.is_set()
            return AnswerProgress(state, self._step, self._text, stopping, self._answer, self._sentence)

    def wait(self, seconds: float) -> None:
        """Until it has ended, or for `seconds`."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            answer = self._ask(self._on_step, StreamObserver(self._on_piece, self._stop))
        except _LeftError:
            self._end("stopped")
        except Exception as error:
            # A call that was stopped before it answered fails by that, which is no failure to tell of.
            stopped = self._stop.is_set() and isinstance(error, WorkbenchError)
            self._end("stopped" if stopped else "failed", sentence="" if stopped else self._explain(error))
        else:
            self._end("answered", answer)

    def _end(self, state: State, answer: Answer | None = None, sentence: str = "") -> None:
        with self._lock:
            self._state, self._answer, self._sentence = state, answer, sentence

    def _on_step(self, name: str, number: int, count: int) -> None:
        if self._stop.is_set() and not self._text:
            # Nothing came that later steps could work on, and what they send would be sent for nobody.
            raise _LeftError
        with self._lock:
            self._step = f"Step {number} of {count}: {name}"

    def _on_piece(self, piece: str) -> None:
        with self._lock:
            self._text += piece
            unwatched = self._clock() - self._seen > UNWATCHED
        if unwatched:
            self._stop.set()
