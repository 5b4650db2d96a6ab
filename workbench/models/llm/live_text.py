"""What of an answer can be shown while it is written, so that the pieces together are the answer that is read from it.

The answer is the generator's text without what it wrote while thinking (`records.thinking`). While it is written,
thoughts are left out, and whatever may still become part of one, or may be trimmed, is held back.
"""

from __future__ import annotations

from workbench.core import THINKING

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
