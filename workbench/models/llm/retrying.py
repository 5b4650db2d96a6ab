"""Calls that may fail or hang: timeouts, retries that honour Retry-After, a stop event, bounded concurrency.

A call runs in its own thread, so a library that blocks never blocks the caller: at the timeout or the stop event the
connection is closed and the wait ends.  An abandoned call ends with its connection and its result is dropped.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from workbench.core import EmptyAnswer, GenerationFailed, WorkbenchError, current_stop, stopping_with

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")
R = TypeVar("R")

STOPPED = "It was stopped before it answered."
TICK = 0.05
"""Seconds between checks of the stop event: well under the second within which Stop must work."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to wait, how often to try and how many calls to make at once.

    `call_seconds`: the longest silence, that is the time to the complete answer, or to the next piece of a stream.
    `total_seconds`: the longest that one prompt may take, with every attempt and wait.
    `first_wait` seconds follow the first failure, doubling (with jitter) up to `longest_wait`, unless the server states
    how long.  `concurrency`: prompts of a batch that run at the same time.
    """

    call_seconds: float = 120.0
    total_seconds: float = 300.0
    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 20.0
    concurrency: int = 4


class Health(NamedTuple):
    """The result of one small real call: whether it worked, a sentence to show, and the seconds that it took."""

    ok: bool
    sentence: str
    seconds: float


class CallError(Exception):
    """One attempt failed; `str()` is the sentence to show.

    `retryable`: the same call may succeed later; `wait_seconds`: how long the server asks to wait, None where it does
    not state it; `empty`: the reply had no text; `host_failed`: the host takes no calls now, another one might.
    """

    def __init__(
        self,
        sentence: str,
        *,
        retryable: bool = False,
        wait_seconds: float | None = None,
        empty: bool = False,
        host_failed: bool = False,
    ) -> None:
        """`sentence` names the cause and the remedy."""
        super().__init__(sentence)
        self.retryable = retryable
        self.wait_seconds = wait_seconds
        self.empty = empty
        self.host_failed = host_failed


class StreamStopped(Exception):
    """The stop event was set."""


class TimedOutError(Exception):
    """Nothing arrived for `seconds`, or, where `in_total`, the result was not complete after them."""

    def __init__(self, seconds: float, *, in_total: bool) -> None:
        """`seconds` is the limit that passed."""
        super().__init__(seconds)
        self.seconds = seconds
        self.in_total = in_total


@dataclass(slots=True)
class Deadline:
    """The moment `seconds` after this object was created; what was `waited` for a turn does not count."""

    seconds: float
    started: float = field(default_factory=time.monotonic)
    waited: float = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started - self.waited

    @property
    def remaining(self) -> float:
        """Seconds until the deadline, negative after it."""
        return self.seconds - self.elapsed


class _AbandonedError(Exception):
    """Raised inside a call whose caller no longer waits."""


class _End(NamedTuple):
    error: Exception | None


def relay(
    work: Callable[[Callable[[T], None]], None],
    *,
    silence: float,
    deadline: Deadline,
    stop: Event | None = None,
    hang_up: Callable[[], None] = lambda: None,
) -> Iterator[T]:
    """The items that `work` passes to its argument, as they arrive; `work` runs in its own thread.

    Raises what `work` raises, StreamStopped, or TimedOutError: at the deadline, or after `silence` seconds without an
    item. `hang_up` is called however this ends.
    """
    items: queue.SimpleQueue[tuple[T] | _End] = queue.SimpleQueue()
    abandoned = Event()

    def emit(item: T) -> None:
        if abandoned.is_set():
            raise _AbandonedError
        items.put((item,))

    def run() -> None:
        try:
            work(emit)
        except Exception as error:
            items.put(_End(error))
        else:
            items.put(_End(None))

    Thread(target=run, name="model call", daemon=True).start()
    try:
        while True:
            item = _next(items, Deadline(silence), deadline, stop)
            if not isinstance(item, _End):
                yield item[0]
            elif item.error is not None:
                raise item.error
            else:
                return
    finally:
        abandoned.set()
        hang_up()


def _next(
    items: queue.SimpleQueue[tuple[T] | _End], silence: Deadline, deadline: Deadline, stop: Event | None
) -> tuple[T] | _End:
    while True:
        if stop is not None and stop.is_set():
            raise StreamStopped
        try:
            return items.get(timeout=max(0.0, min(TICK, silence.remaining, deadline.remaining)))
        except queue.Empty:
            if deadline.remaining <= 0:
                raise TimedOutError(deadline.seconds, in_total=True) from None
            if silence.remaining <= 0:
                raise TimedOutError(silence.seconds, in_total=False) from None


def with_retries(
    call: Callable[[], T],
    policy: RetryPolicy,
    deadline: Deadline,
    stop: Event | None = None,
    sleep: Callable[[float], None] | None = None,
) -> T:
    """The result of `call`, repeated after a retryable CallError as long as attempts and time remain.

    `sleep` waits between attempts (tests pass one that does not wait); by default the stop event ends the wait.
    Raises GenerationFailed (EmptyAnswer for a reply without text) with the last attempt's sentence, or StreamStopped.
    """
    from tenacity import Retrying, retry_if_exception, stop_after_attempt
    from tenacity.wait import wait_exponential_jitter

    backoff = wait_exponential_jitter(initial=policy.first_wait, max=policy.longest_wait, jitter=policy.first_wait)

    def wait(state: RetryCallState) -> float:
        seconds = _retry_after(state)
        return backoff(state) if seconds is None else seconds

    def too_late(state: RetryCallState) -> bool:
        return state.upcoming_sleep > deadline.remaining

    def may_repeat(error: BaseException) -> bool:
        return isinstance(error, CallError) and error.retryable

    retrying = Retrying(
        retry=retry_if_exception(may_repeat),
        stop=lambda state: stop_after_attempt(policy.attempts)(state) or too_late(state),
        wait=wait,
        sleep=sleep or (lambda seconds: _sleep(seconds, stop)),
        reraise=True,
    )
    try:
        return retrying(call)
    except CallError as error:
        failure = error
    kind = EmptyAnswer if failure.empty else GenerationFailed
    raise kind(_failure_sentence(failure, int(retrying.statistics["attempt_number"]), policy, deadline))


def _retry_after(state: RetryCallState) -> float | None:
    error = state.outcome.exception() if state.outcome is not None else None
    return error.wait_seconds if isinstance(error, CallError) else None


def _sleep(seconds: float, stop: Event | None) -> None:
    if stop is None:
        time.sleep(seconds)
    elif stop.wait(seconds):
        raise StreamStopped


def _failure_sentence(failure: CallError, attempts: int, policy: RetryPolicy, deadline: Deadline) -> str:
    wait = failure.wait_seconds
    if failure.retryable and wait and wait > deadline.remaining:
        allowed = f"{policy.total_seconds:.0f} s"
        return f"{failure} The server asks to wait {wait:.0f} s, longer than the time allowed ({allowed})."
    return f"{failure} Tried {attempts} times." if attempts > 1 else str(failure)


class NotStarted(GenerationFailed):
    """A prompt of a batch that was stopped before its turn."""


def in_parallel(
    work: Callable[[T], R],
    items: Sequence[T],
    concurrency: int,
    *,
    halt_on_error: bool = False,
) -> list[R | WorkbenchError]:
    """`work` of every item in order, at most `concurrency` at once; an item that failed has its error instead.

    No further item is started once this thread's work shall stop, after an interrupt, or after an error where
    `halt_on_error`. Calls within `work` are stopped too.
    """
    halted, stop = Event(), current_stop()

    def one(item: T) -> R | WorkbenchError:
        if halted.is_set() or (stop is not None and stop.is_set()):
            return NotStarted(STOPPED)
        try:
            with stopping_with(stop):
                return work(item)
        except WorkbenchError as error:
            if halt_on_error:
                halted.set()
            return error

    with ThreadPoolExecutor(max_workers=max(1, min(concurrency, len(items)))) as pool:
        try:
            return list(pool.map(one, items))
        except BaseException:
            halted.set()
            raise
