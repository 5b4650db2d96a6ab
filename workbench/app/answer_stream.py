"""Observing one answer as it is written: pieces as they come, and a stop that keeps the partial answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event

from workbench.core import Evidence, Generation, Generator, Prompt, stopping_with
from workbench.models import StreamingGenerator
from workbench.pipeline import State

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
