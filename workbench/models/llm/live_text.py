"""An answer while it is written: the streaming contract, and what of the text can be shown already.

A screen shows the pieces and, when they end, reads `Stream.generation`.  A stop event ends the pieces within a second
and keeps what has arrived, marked `stopped`; such a partial answer must not be cached.

The answer is the generator's text without what it wrote while thinking (`core.without_thinking`). While it is written,
thoughts are left out, and whatever may still become part of one, or may be trimmed, is held back, so that the pieces
together are the answer that is read from the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from workbench.core import THINKING, Generation, Prompt

TAGS = ("<think>", "<thinking>")


class LiveText:
    """The pieces of one answer: `feed` gives what can be shown of them, `finish` the rest of the answer."""

    def __init__(self) -> None:
        self._raw = ""
        self.shown = ""

    def feed(self, piece: str) -> str:
        """What can be shown now that `piece` has come; "" where there is nothing new.

        >>> live = LiveText()
        >>> [live.feed(piece) for piece in ("<thi", "nk>Radio", "?</think> ", "Mar", "coni ", "did")]
        ['', '', '', 'Mar', 'coni', ' did']
        """
        self._raw += piece
        visible = THINKING.sub("", self._raw)
        if len(visible) < len(self._raw):
            visible = visible.lstrip()
        # White space at the end may be trimmed, white space at the beginning may precede a thought.
        visible = _without_tag_start(visible).rstrip()
        if not visible.startswith(self.shown):
            return ""
        new = visible[len(self.shown) :]
        self.shown += new
        return new

    def finish(self, answer: str) -> str:
        """What is missing of the complete `answer`.

        Where what was shown turns out not to be its beginning (a thought whose beginning no tag marked), that is the
        complete answer after an empty line.
        """
        if answer.startswith(self.shown):
            return answer[len(self.shown) :]
        return f"\n\n{answer}"


def _without_tag_start(text: str) -> str:
    """`text` without a beginning of a tag at its end.

    >>> _without_tag_start("1 < 2 <th"), _without_tag_start("1 < 2")
    ('1 < 2 ', '1 < 2')
    """
    start = text.rfind("<")
    if start >= 0 and any(tag.startswith(text[start:].casefold()) for tag in TAGS):
        return text[:start]
    return text


class Stream:
    """The pieces of one answer, to be read once.

    `text` is what has arrived so far, also after a failure.  Reading raises GenerationFailed where the answer breaks
    off.
    """

    def __init__(self, pieces: Iterator[str], conclude: Callable[[str], Generation]) -> None:
        """`conclude` makes the record from the complete text; it is called once, when the pieces have ended."""
        self._pieces = pieces
        self._conclude = conclude
        self._generation: Generation | None = None
        self.text = ""

    def __iter__(self) -> Iterator[str]:
        """The stream itself, so that a second loop continues where the first ended."""
        return self

    def __next__(self) -> str:
        """The next piece. Raises StopIteration at the end, GenerationFailed where the answer breaks off."""
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
        """The complete answer; pieces not yet read are read first. Raises GenerationFailed."""
        for _ in self:
            pass
        if self._generation is None:
            raise RuntimeError("A stream that failed has no generation; its partial answer is in `text`.")
        return self._generation


@runtime_checkable
class StreamingGenerator(Protocol):
    """A `protocols.Generator` that can also give one answer in pieces."""

    @property
    def identity(self) -> str:
        """Everything that affects its answers, as text."""
        ...

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One answer per prompt, in order. Raises GenerationFailed."""
        ...

    def stream(self, prompt: Prompt) -> Stream:
        """The answer to `prompt` in pieces; where the work shall stop (`stopping`) they end within a second."""
        ...
