"""Back-pressure, and the figures of a running service for Prometheus.

A fixed number of answers is given at the same time, a bounded number waits, and no more than that. All methods of the
pool are called in the thread of the event loop; only the work itself runs in the threads or processes of a crew. The
queue is kept here and not in the threads' executor, which would hold on to what was cancelled until a thread is free.
The labels of figures are routes and statuses; no text of a client is part of one.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Generic, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from workbench.core import Usage
from workbench.server.api_errors import ApiError

LONGEST_ADVICE = 60
"""Seconds after which a client that was turned away is at most advised to come back."""
MEMORY = 0.1
"""Weight of the last piece of work in the mean time that one takes."""


WorkT = TypeVar("WorkT")
Finish = Callable[[bool], None]
"""Called in the event loop when work has ended: whether it is done, or waits again since nobody had begun it."""


class ThreadCrew:
    """Threads of this process, which call the work."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="serve")

    def capacity(self) -> int:
        """Pieces of work that can be done at the same time."""
        return self._workers

    def begin(self, work: Callable[[], None], finish: Finish) -> None:
        """Calls the work in a thread that is free."""
        loop = asyncio.get_running_loop()
        self._threads.submit(work).add_done_callback(lambda _: in_loop(loop, lambda: finish(True)))


class WorkerPool(Generic[WorkT]):
    """A queue of at most `queue` pieces of work, first come, first served, before those who do it.

    `begin` has a piece done by one who is free; `capacity` is how many can be done at the same time now.
    """

    def __init__(self, queue: int, capacity: Callable[[], int], begin: Callable[[WorkT, Finish], None]) -> None:
        self._places = queue
        self.capacity = capacity
        self._have_begun = begin
        self._queue: OrderedDict[int, WorkT] = OrderedDict()
        self._submitted = 0
        self._running = 0
        self._mean_seconds = 0.0

    @property
    def running(self) -> int:
        """Pieces of work that workers are at."""
        return self._running

    @property
    def waiting(self) -> int:
        """Pieces of work in the queue."""
        return len(self._queue)

    def submit(self, work: WorkT) -> Callable[[], None]:
        """Has `work` done as soon as a worker is free; returns what withdraws it, to no effect once a worker is at it.

        Raises ApiError, 429, where the queue is full.
        """
        if self._running >= self.capacity() and len(self._queue) >= self._places:
            raise ApiError(
                429,
                f"All {self.capacity():,} workers are busy and {self._places:,} requests wait already. Try again in a "
                "moment.",
                "overloaded",
                {"Retry-After": str(self._advice())},
            )
        self._submitted += 1
        number = self._submitted
        self._queue[number] = work
        self.fill()
        return lambda: self._withdraw(number)

    def fill(self) -> None:
        """Gives the workers that are free what waits."""
        while self._queue and self._running < self.capacity():
            self._begin(*self._queue.popitem(last=False))

    def close(self) -> None:
        """Drops what waits; what runs ends by itself."""
        self._queue.clear()

    def _withdraw(self, number: int) -> None:
        self._queue.pop(number, None)

    def _begin(self, number: int, work: WorkT) -> None:
        began = time.perf_counter()
        self._running += 1

        def finish(is_done: bool) -> None:
            self._running -= 1
            seconds = time.perf_counter() - began
            if is_done:
                self._mean_seconds += MEMORY * (seconds - self._mean_seconds) if self._mean_seconds else seconds
            else:
                self._queue[number] = work
                self._queue.move_to_end(number, last=False)
            self.fill()

        self._have_begun(work, finish)

    def _advice(self) -> int:
        """Seconds until about half of the queue is done, at least 1."""
        seconds = self._mean_seconds * (self._places / 2 + 1) / max(1, self.capacity())
        return max(1, min(LONGEST_ADVICE, math.ceil(seconds)))


def in_loop(loop: asyncio.AbstractEventLoop, action: Callable[[], object]) -> None:
    """Calls `action` in the loop's thread; a loop that has ended needs it no more."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(action)


CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper limits in seconds of the classes that requests are counted in."""
LABELS = ("route", "status")

# Otherwise every figure has a second one with the time at which it was first counted.
disable_created_metrics()  # type: ignore[no-untyped-call]


class ServeMetrics:
    """The figures of one service since its start, in a registry of its own: a process may have two services."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self._requests = Counter(
            "mrag_requests", "Requests that have ended, by route and HTTP status.", LABELS, registry=registry
        )
        meaning = "Seconds from a request's arrival to its end, by route and status."
        self._seconds = Histogram("mrag_request_seconds", meaning, LABELS, registry=registry, buckets=BUCKETS)
        self.hung_up = Counter("mrag_hung_up", "Requests whose client left before the end.", registry=registry)
        meaning = "Tokens that the generator read (prompt) and wrote (completion), those of stopped answers included."
        self._tokens = Counter("mrag_tokens", meaning, ("kind",), registry=registry)
        self.count_tokens(Usage(0, 0, estimated=False))

    def watch(self, pool: WorkerPool[Any]) -> None:
        """Adds what `pool` does at the moment at which the figures are read."""
        Gauge("mrag_running", "Answers that workers are at.", registry=self.registry).set_function(lambda: pool.running)
        Gauge("mrag_waiting", "Requests in the queue.", registry=self.registry).set_function(lambda: pool.waiting)
        meaning = "Answers that workers can be at: fewer while a process is replaced."
        Gauge("mrag_workers", meaning, registry=self.registry).set_function(pool.capacity)

    def count(self, route: str, status: int, seconds: float) -> None:
        """Counts a request that has ended; `route` is one of the service's, never a path that a client made up."""
        self._requests.labels(route, status).inc()
        self._seconds.labels(route, status).observe(seconds)

    def count_tokens(self, usage: Usage) -> None:
        """Counts the tokens of one call of the generator."""
        self._tokens.labels("prompt").inc(usage.prompt_tokens)
        self._tokens.labels("completion").inc(usage.completion_tokens)

    def text(self) -> str:
        """All figures in Prometheus' text format."""
        return generate_latest(self.registry).decode()
