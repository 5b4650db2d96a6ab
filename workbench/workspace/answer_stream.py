"""Watching one answer as it is written: pieces as they come, and a stop that keeps the part answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event

from workbench.llm.streaming import StreamingGenerator
from workbench.protocols import Generator
from workbench.records import Generation, Prompt


@dataclass(frozen=True)
class StreamObserver:
    """`on_piece` is called with each piece of the answer, in the thread that asks; setting `stop` ends the answer
    within a second and keeps the part that came.
    """

    on_piece: Callable[[str], None]
    stop: Event = field(default_factory=Event)


class ObservedGenerator:
    """A generator whose output is watched. Its identity is the inner one's: what it gives is the same, unless stopped.

    A generator that does not stream gives its whole answer as one piece.
    """

    def __init__(self, generator: Generator, watched: StreamObserver) -> None:
        self._generator = generator
        self._watched = watched

    @property
    def identity(self) -> str:
        return self._generator.identity

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        return [self._one(prompt) for prompt in prompts]

    def _one(self, prompt: Prompt) -> Generation:
        if not isinstance(self._generator, StreamingGenerator):
            made = self._generator.generate([prompt])[0]
            self._watched.on_piece(made.text)
            return made
        stream = self._generator.stream(prompt, self._watched.stop)
        for piece in stream:
            self._watched.on_piece(piece)
        return stream.generation
