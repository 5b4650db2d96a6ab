"""How long work will take: the pace that is measured while it goes on, and durations in words."""

from __future__ import annotations

from collections import deque
from math import ceil

MINUTE, HOUR, DAY = 60, 3_600, 86_400
WINDOW = 120.0
"""Seconds of work that a pace is taken from: the latest, since texts differ."""
ENOUGH = 3.0
"""Seconds of work after which a measured pace replaces the one that was known before."""
INSTANT = 0.2
"""Seconds under which a piece was not computed but read again from an earlier attempt."""


class PieceRate:
    """The pace of work that is done in pieces, in items per second of work.

    Pieces that an earlier attempt has done pass in no time and do not count.
    """

    def __init__(self, known: float = 0.0) -> None:
        """`known` is the pace of earlier work, 0 where there was none."""
        self._known = known
        self._latest: tuple[float, float] | None = None
        self._pieces: deque[tuple[float, float]] = deque()

    def add(self, done: float, now: float) -> None:
        """Records that `done` items are done at `now`, in seconds of any clock."""
        if self._latest is not None:
            items, seconds = done - self._latest[0], now - self._latest[1]
            if items > 0 and seconds >= INSTANT:
                self._pieces.append((items, seconds))
            while len(self._pieces) > 1 and self.seconds - self._pieces[0][1] >= WINDOW:
                self._pieces.popleft()
        self._latest = done, now

    @property
    def seconds(self) -> float:
        """The seconds of work that the pace is measured over."""
        return sum(seconds for _, seconds in self._pieces)

    @property
    def is_measured(self) -> bool:
        """Whether the pace is that of this work."""
        return self.seconds >= ENOUGH

    @property
    def rate(self) -> float:
        """Items per second, 0 where that is not known."""
        if self._pieces and (self.is_measured or not self._known):
            return sum(items for items, _ in self._pieces) / self.seconds
        return self._known


def duration_words(seconds: float) -> str:
    """A duration in words, rounded up to what a person would say.

    >>> [duration_words(seconds) for seconds in (0.2, 1.5, 17, 61, 5_300, 9_000, 200_000)]
    ['1 second', '2 seconds', '20 seconds', '2 minutes', '89 minutes', '2.5 hours', '2.5 days']
    """
    if seconds <= MINUTE - 5:
        step = 1 if seconds <= 10 else 5
        return _counted(max(1, ceil(seconds / step) * step), "second")
    if seconds <= 1.5 * HOUR:
        return _counted(ceil(seconds / MINUTE), "minute")
    unit, name = (HOUR, "hour") if seconds <= 1.5 * DAY else (DAY, "day")
    return _counted(ceil(2 * seconds / unit) / 2, name)


def _counted(number: float, unit: str) -> str:
    return f"{number:,g} {unit}{'' if number == 1 else 's'}"
