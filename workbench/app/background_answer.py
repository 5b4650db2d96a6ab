"""An answer as it is written: observed, stopped, and given in a separate thread, by one mode or by several in turn.

A screen ends its script when a button is pressed; the thread continues. A stop keeps the partial answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Generic, Literal, TypeVar

from workbench.core import Answer, Evidence, Generation, Generator, Prompt, WorkbenchError, stopping_with
from workbench.models import StreamingGenerator
from workbench.pipeline import OnStep, State
from workbench.workspace import carried

COMPOSE = "compose"
"""The stage by whose end the evidence is that of the answer; the generator comes next."""


def _ignore_evidence(_evidence: Sequence[Evidence]) -> None:
    """Does nothing with the evidence."""


def _ignore_generation(_generation: Generation) -> None:
    """Does nothing with the generation."""


@dataclass(frozen=True)
class StreamObserver:
    """What is done while an answer is written.

    `on_piece` is called with each piece of the answer, in the thread that asks; setting `stop` ends the answer within a
    second and keeps the part that came. `on_evidence` is called before the first piece with the answer's evidence, ()
    in a mode that searches nothing. `on_generation` is called with what each call of the generator wrote, also where
    it was stopped. An answer that is read from the cache comes without pieces and without generations.
    """

    on_piece: Callable[[str], None]
    stop: Event = field(default_factory=Event)
    on_evidence: Callable[[Sequence[Evidence]], None] = _ignore_evidence
    on_generation: Callable[[Generation], None] = _ignore_generation

    def see(self, stage: str, states: Sequence[State]) -> None:
        """Passes on the evidence of the states after a stage, once per state; fits `Executor.on_states`."""
        if stage == COMPOSE:
            for state in states:
                self.on_evidence(state.evidence)


class ObservedGenerator:
    """A generator whose output is observed. Its identity is the inner one's, as is its output unless stopped.

    The answer of a generator that does not stream comes as one piece.
    """

    def __init__(self, generator: Generator, observer: StreamObserver) -> None:
        self._generator = generator
        self._observer = observer

    @property
    def identity(self) -> str:
        """The inner generator's identity."""
        return self._generator.identity

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One answer per prompt, in order; every piece is passed on. Raises GenerationFailed."""
        return [self._one(prompt) for prompt in prompts]

    def _one(self, prompt: Prompt) -> Generation:
        if not isinstance(self._generator, StreamingGenerator):
            generation = self._generator.generate([prompt])[0]
            self._observer.on_piece(generation.text)
        elif self._observer.stop.is_set():
            return Generation("", finish="stopped")  # D-RAG's next part: a call would begin and be paid for
        else:
            with stopping_with(self._observer.stop):
                stream = self._generator.stream(prompt)
            for piece in stream:
                self._observer.on_piece(piece)
            generation = stream.generation
        self._observer.on_generation(generation)
        return generation


GRACE = 0.6
"""Seconds after Stop in which the partial answer can be completed as a record; then the screen does without it."""
UNWATCHED = 120.0
"""Seconds after which nobody is assumed to watch. Browsers call at least once a minute from a tab in the background."""

AnswerState = Literal["waiting", "running", "answered", "failed", "stopped"]
Ask = Callable[[OnStep, StreamObserver], Answer]
Explain = Callable[[Exception], str]
ChoiceT = TypeVar("ChoiceT")
"""What a screen knows an answer by: all that was chosen for it."""


class _AbandonedError(Exception):
    """Raised between the steps of a question that nobody waits for any more."""


@dataclass(frozen=True, slots=True)
class AnswerProgress:
    """A snapshot of an answer in the background: the current step, the text so far, and the outcome.

    `error` is the sentence for why it failed, else "". `stopping`: Stop was pressed, and the partial answer is being
    completed as a record.
    """

    state: AnswerState
    step: str
    text: str
    stopping: bool = False
    answer: Answer | None = None
    error: str = ""


class BackgroundAnswer(Generic[ChoiceT]):
    """One question that is being answered, or has been. Safe to share between threads."""

    def __init__(
        self, choice: ChoiceT, ask: Ask, explain: Explain, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`explain` turns an exception into the sentence to show; `clock` counts seconds."""
        self.choice = choice
        self._ask = ask
        self._explain = explain
        self._clock = clock
        self._lock = Lock()
        self._text = ""
        self._step = "Starting"
        self._state: AnswerState = "waiting"
        self._answer: Answer | None = None
        self._error = ""
        self._stopped_at: float | None = None
        self._watched_at = clock()
        self._stop = Event()
        self._thread = Thread(target=carried(self._run), name="asking", daemon=True)

    def start(self) -> BackgroundAnswer[ChoiceT]:
        """Starts the thread, once. Returns itself."""
        with self._lock:
            if self._state != "waiting":
                return self
            self._state, self._watched_at = "running", self._clock()
        self._thread.start()
        return self

    def stop(self) -> None:
        """Ends the answer within a second; the text so far is kept. One that waits is never started."""
        with self._lock:
            if self._state == "waiting":
                self._state = "stopped"
            if self._state == "running" and self._stopped_at is None:
                self._stopped_at = self._clock()
        self._stop.set()

    def progress(self) -> AnswerProgress:
        """The present state. A call also shows that somebody is still watching."""
        with self._lock:
            self._watched_at = self._clock()
            late = self._stopped_at is not None and self._watched_at - self._stopped_at >= GRACE
            state: AnswerState = "stopped" if late and self._state == "running" else self._state
            stopping = state == "running" and self._stop.is_set()
            return AnswerProgress(state, self._step, self._text, stopping, self._answer, self._error)

    def wait(self, seconds: float) -> None:
        """Waits until it has ended, at most `seconds`; one that was never started has."""
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        try:
            answer = self._ask(self._on_step, StreamObserver(self._on_piece, self._stop))
        except _AbandonedError:
            self._end("stopped")
        except Exception as error:
            # A call that was stopped before it answered fails because of that, which is not an error to show.
            stopped = self._stop.is_set() and isinstance(error, WorkbenchError)
            self._end("stopped" if stopped else "failed", error="" if stopped else self._explain(error))
        else:
            self._end("answered", answer)

    def _end(self, state: AnswerState, answer: Answer | None = None, error: str = "") -> None:
        with self._lock:
            self._state, self._answer, self._error = state, answer, error

    def _on_step(self, name: str, number: int, count: int) -> None:
        if self._stop.is_set() and not self._text:
            # There is no text for later steps to work on, and what they send would serve nobody.
            raise _AbandonedError
        with self._lock:
            self._step = f"Step {number} of {count}: {name}"

    def _on_piece(self, piece: str) -> None:
        with self._lock:
            self._text += piece
            unwatched = self._clock() - self._watched_at > UNWATCHED
        if unwatched:
            self._stop.set()


class AnswerGroup(Generic[ChoiceT]):
    """The answers of several modes to one question, one after another: a model is never called twice at once."""

    def __init__(self, choice: ChoiceT, answers: Sequence[BackgroundAnswer[ChoiceT]]) -> None:
        """`answers` are in the order of the recipes; none of them has been started."""
        self.choice = choice
        self._answers = tuple(answers)

    def progress(self) -> tuple[AnswerProgress, ...]:
        """The present state of each, in order. A call starts the next one when none is running."""
        states = [answer.progress() for answer in self._answers]
        if not any(item.state == "running" for item in states):
            for place, item in enumerate(states):
                if item.state == "waiting":
                    states[place] = self._answers[place].start().progress()
                    break
        return tuple(states)

    def stop(self) -> None:
        """Ends the answer that is being written, and starts no other."""
        for answer in self._answers:
            answer.stop()

    def wait(self, seconds: float) -> None:
        """Runs all to their end, each at most `seconds`."""
        for answer in self._answers:
            self.progress()
            answer.wait(seconds)
