"""Calls that may fail or hang: time-outs, retries that honour Retry-After, a stop event, bounded concurrency.

A call runs in a thread of its own, so whoever waits is never held by a library that blocks: at the time-out or the
stop event the line is hung up and the wait ends.  A left call ends with its connection and its result is dropped.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from workbench.errors import GenerationFailed, WorkbenchError

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")
R = TypeVar("R")

STOPPED = "It was stopped before it answered."
TICK = 0.05
"""Seconds between looks at the stop event: well under the second within which Stop must stop."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait and how often to try.

    `call_seconds`: the longest silence, that is the time to the whole answer, or to the next piece of a stream.
    `total_seconds`: the longest that one prompt may take, every attempt and wait included.
    `first_wait` seconds follow the first failure, doubling (with jitter) up to `longest_wait`, unless the server says
    how long.  `concurrency`: prompts of a batch that are under way at once.
    """

    call_seconds: float = 120.0
    total_seconds: float = 300.0
    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 20.0
    concurrency: int = 4


class Health(NamedTuple):
    """The result of one real small call: whether it worked, what to say, and seconds on the clock."""

    ok: bool
    sentence: str
    seconds: float


class CallError(Exception):
    """One attempt failed; `str()` is the sentence to show.

    `again`: the same call may succeed later; `wait` seconds is when the server said to.
    """

    def __init__(self, sentence: str, *, again: bool = False, wait: float | None = None) -> None:
        super().__init__(sentence)
        self.again = again
        self.wait = wait


class StreamStopped(Exception):
    """The stop event was set."""


class TimedOutError(Exception):
    """Nothing came for `seconds`, or not all of it in that time (`whole`)."""

    def __init__(self, seconds: float, *, whole: bool) -> None:
        super().__init__(seconds)
        self.seconds = seconds
        self.whole = whole


@dataclass(frozen=True, slots=True)
class Deadline:
    """`seconds` from when it was made."""

    seconds: float
    began: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> float:
        return time.monotonic() - self.began

    @property
    def left(self) -> float:
        return self.seconds - self.spent


class _LeftError(Exception):
    """Raised inside a call that nobody waits for any more."""


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
    """What `work` gives to the function that it is handed, as it comes, from a thread of its own.

    Raises what `work` raises, StoppedError, or TimedOutError: at the deadline, or after `silence` seconds of nothing.
    `hang_up` is called however this ends.
    """
    items: queue.SimpleQueue[tuple[T] | _End] = queue.SimpleQueue()
    left = Event()

    def give(item: T) -> None:
        if left.is_set():
            raise _LeftError
        items.put((item,))

    def run() -> None:
        try:
            work(give)
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
        left.set()
        hang_up()


def _next(
    items: queue.SimpleQueue[tuple[T] | _End], silence: Deadline, deadline: Deadline, stop: Event | None
) -> tuple[T] | _End:
    while True:
        if stop is not None and stop.is_set():
            raise StreamStopped
        try:
            return items.get(timeout=max(0.0, min(TICK, silence.left, deadline.left)))
        except queue.Empty:
            if deadline.left <= 0:
                raise TimedOutError(deadline.seconds, whole=True) from None
            if silence.left <= 0:
                raise TimedOutError(silence.seconds, whole=False) from None


def persistently(
    call: Callable[[], T],
    patience: Patience,
    deadline: Deadline,
    stop: Event | None = None,
    sleep: Callable[[float], None] | None = None,
) -> T:
    """The result of `call`, tried again after a CallError that allows it, as long as attempts and time last.

    `sleep` waits between attempts (tests give one that does not); by default the stop event ends the wait.
    Raises GenerationFailed with the last attempt's sentence, or StoppedError.
    """
    from tenacity import Retrying, retry_if_exception, stop_after_attempt
    from tenacity.wait import wait_exponential_jitter

    backing_off = wait_exponential_jitter(
        initial=patience.first_wait, max=patience.longest_wait, jitter=patience.first_wait
    )

    def wait(state: RetryCallState) -> float:
        said = _wait_said(state)
        return backing_off(state) if said is None else said

    def too_late(state: RetryCallState) -> bool:
        return state.upcoming_sleep > deadline.left

    def may_repeat(error: BaseException) -> bool:
        return isinstance(error, CallError) and error.again

    retrying = Retrying(
        retry=retry_if_exception(may_repeat),
        stop=lambda state: stop_after_attempt(patience.attempts)(state) or too_late(state),
        wait=wait,
        sleep=sleep or (lambda seconds: _sleep(seconds, stop)),
        reraise=True,
    )
    try:
        return retrying(call)
    except CallError as error:
        failed = error
    raise GenerationFailed(_last_words(failed, int(retrying.statistics["attempt_number"]), patience, deadline))


def _wait_said(state: RetryCallState) -> float | None:
    error = state.outcome.exception() if state.outcome is not None else None
    return error.wait if isinstance(error, CallError) else None


def _sleep(seconds: float, stop: Event | None) -> None:
    if stop is None:
        time.sleep(seconds)
    elif stop.wait(seconds):
        raise StreamStopped


def _last_words(failed: CallError, attempts: int, patience: Patience, deadline: Deadline) -> str:
    if failed.again and failed.wait is not None and failed.wait > deadline.left:
        allowed = f"{patience.total_seconds:.0f} s"
        return f"{failed} The server asks to wait {failed.wait:.0f} s, longer than the time allowed ({allowed})."
    return f"{failed} Tried {attempts} times." if attempts > 1 else str(failed)


class NotBegun(GenerationFailed):
    """A prompt of a batch that was stopped first."""


def in_parallel(
    work: Callable[[T], R],
    items: Sequence[T],
    concurrency: int,
    stop: Event | None = None,
    *,
    halt_on_error: bool = False,
) -> list[R | WorkbenchError]:
    """`work` of every item in order, at most `concurrency` at once; an item that failed gives its error instead.

    Once the stop event is set, after an interrupt, or after an error where `halt_on_error`, none is begun any more.
    """
    halted = Event()

    def one(item: T) -> R | WorkbenchError:
        if halted.is_set() or (stop is not None and stop.is_set()):
            return NotBegun(STOPPED)
        try:
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
