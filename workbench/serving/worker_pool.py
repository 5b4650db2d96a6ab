"""Back-pressure: a fixed number of answers at the same time, a bounded number that wait, and no more than that.

All methods are called in the thread of the event loop; only the work itself runs in the workers' threads.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from workbench.serving.api_errors import ApiError

LONGEST_ADVICE = 60
"""Seconds after which a client that was turned away is at most advised to come back."""
MEMORY = 0.1
"""Weight of the last piece of work in the mean time that one takes."""


class WorkerPool:
    """`workers` threads and a queue of at most `queue` pieces of work."""

    def __init__(self, workers: int, queue: int) -> None:
        self._workers = workers
        self._queue = queue
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="serve")
        self._accepted = 0
        self._mean_seconds = 0.0

    @property
    def running(self) -> int:
        """Pieces of work that workers are at."""
        return min(self._accepted, self._workers)

    @property
    def waiting(self) -> int:
        """Pieces of work in the queue."""
        return max(0, self._accepted - self._workers)

    def submit(self, work: Callable[[], None]) -> Future[float]:
        """Has `work` done as soon as a worker is free; the result is its seconds.

        Raises ApiError, 429, where the queue is full.
        """
        if self._accepted >= self._workers + self._queue:
            raise ApiError(
                429,
                f"All {self._workers:,} workers are busy and {self._queue:,} requests wait already. Try again in a "
                "moment.",
                "overloaded",
                {"Retry-After": str(self._advice())},
            )
        loop = asyncio.get_running_loop()
        self._accepted += 1

        def timed() -> float:
            began = time.perf_counter()
            work()
            return time.perf_counter() - began

        future = self._threads.submit(timed)
        future.add_done_callback(lambda done: _in_loop(loop, lambda: self._finish(done)))
        return future

    def close(self) -> None:
        """Takes no more work and drops what waits; what runs ends by itself."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _finish(self, done: Future[float]) -> None:
        self._accepted -= 1
        if not done.cancelled() and done.exception() is None:
            seconds = done.result()
            self._mean_seconds += MEMORY * (seconds - self._mean_seconds) if self._mean_seconds else seconds

    def _advice(self) -> int:
        """Seconds until about half of the queue is done, at least 1."""
        seconds = self._mean_seconds * (self._queue / 2 + 1) / self._workers
        return max(1, min(LONGEST_ADVICE, math.ceil(seconds)))


def _in_loop(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    """Calls `action` in the loop's thread; a loop that has ended needs it no more."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(action)
