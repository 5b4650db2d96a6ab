"""The streaming contract: an answer in pieces as they come, then the whole of it as one record.

A screen draws the pieces and, when they end, reads `Stream.generation`.  A stop event ends the pieces within a second
and keeps the part that came, marked `stopped`; such a part answer must not be cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event
from typing import Protocol, runtime_checkable

from workbench.records import Generation, Prompt


class Stream:
    """Pieces of one answer, to be read once.

    `text` is what came so far, also after a failure.  Reading raises GenerationFailed where the answer breaks off.
    """

    def __init__(self, pieces: Iterator[str], conclude: Callable[[str], Generation]) -> None:
        """`conclude` makes the record from the whole text; it is called once, when the pieces have ended."""
        self._pieces = pieces
        self._conclude = conclude
        self._generation: Generation | None = None
        self.text = ""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            piece = next(self._pieces)
        except StopIteration:
            if self._generation is None:
                self._generation = self._conclude(self.text)
            raise
        self.text += piece
        return piece

    @property
    def generation(self) -> Generation:
        """The whole answer. What was not yet read is read first. Raises GenerationFailed."""
        for _ in self:
            pass
        if self._generation is None:
            raise RuntimeError("A stream that failed has no generation; its part answer is in `text`.")
        return self._generation


@runtime_checkable
class StreamingGenerator(Protocol):
    """A `protocols.Generator` that can also give one answer in pieces."""

    @property
    def identity(self) -> str: ...

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]: ...

    def stream(self, prompt: Prompt, stop: Event | None = None) -> Stream: ...
