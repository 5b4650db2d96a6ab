"""Timeouts, retries, stop and bounded concurrency, without any model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Barrier, Event

import pytest

from workbench.core.errors import GenerationFailed
from workbench.models.llm.failures import CallTarget, explain
from workbench.models.llm.retrying import (
    CallError,
    Deadline,
    NotStarted,
    RetryPolicy,
    StreamStopped,
    TimedOutError,
    in_parallel,
    relay,
    with_retries,
)

LONG = 30.0
TARGET = CallTarget("m", "http://host/v1", "KEY_NAME", ("planted",))


def failing(times: int, **how: object) -> Callable[[], str]:
    remaining = [times]

    def call() -> str:
        if remaining[0]:
            remaining[0] -= 1
            raise CallError("It failed.", **how)  # type: ignore[arg-type]
        return "well"

    return call


def waiting(released: Event) -> None:
    released.wait(LONG)


def test_relayed_items_come_in_order() -> None:
    def work(emit: Callable[[int], None]) -> None:
        for item in (1, 2, 3):
            emit(item)

    assert list(relay(work, silence=LONG, deadline=Deadline(LONG))) == [1, 2, 3]


def test_what_the_work_raises_comes_after_its_items() -> None:
    def work(emit: Callable[[int], None]) -> None:
        emit(1)
        raise KeyError("lost")

    items = relay(work, silence=LONG, deadline=Deadline(LONG))
    assert next(items) == 1
    with pytest.raises(KeyError):
        next(items)


def test_silence_ends_the_wait_and_hangs_up() -> None:
    released, hung_up = Event(), Event()
    items: Iterator[int] = relay(
        lambda emit: waiting(released), silence=0.0, deadline=Deadline(LONG), hang_up=hung_up.set
    )
    with pytest.raises(TimedOutError) as caught:
        next(items)
    released.set()
    assert not caught.value.in_total
    assert hung_up.is_set()


def test_the_deadline_ends_the_wait() -> None:
    released = Event()
    items: Iterator[int] = relay(lambda emit: waiting(released), silence=LONG, deadline=Deadline(0.0))
    with pytest.raises(TimedOutError) as caught:
        next(items)
    released.set()
    assert caught.value.in_total


def test_stop_ends_the_wait() -> None:
    stop, released = Event(), Event()
    stop.set()
    items: Iterator[int] = relay(lambda emit: waiting(released), silence=LONG, deadline=Deadline(LONG), stop=stop)
    with pytest.raises(StreamStopped):
        next(items)
    released.set()


def test_work_that_nobody_waits_for_ends_at_its_next_item() -> None:
    go_on, ended = Event(), Event()

    def work(emit: Callable[[int], None]) -> None:
        try:
            emit(1)
            go_on.wait(LONG)
            emit(2)
        finally:
            ended.set()

    items = relay(work, silence=LONG, deadline=Deadline(LONG))
    next(items)
    del items
    go_on.set()
    assert ended.wait(LONG)


def test_a_call_is_repeated_as_often_as_allowed() -> None:
    waits: list[float] = []
    assert with_retries(failing(3, retryable=True), RetryPolicy(), Deadline(LONG), sleep=waits.append) == "well"
    assert len(waits) == 3


def test_the_last_failure_states_how_often_the_call_was_tried() -> None:
    with pytest.raises(GenerationFailed, match=r"^It failed\. Tried 4 times\.$"):
        with_retries(failing(9, retryable=True), RetryPolicy(), Deadline(LONG), sleep=lambda _: None)


def test_a_final_failure_is_not_repeated() -> None:
    with pytest.raises(GenerationFailed, match=r"^It failed\.$"):
        with_retries(failing(1), RetryPolicy(), Deadline(LONG), sleep=lambda _: None)


def test_the_waiting_time_that_the_server_states_is_kept() -> None:
    waits: list[float] = []
    with_retries(failing(1, retryable=True, wait_seconds=3.0), RetryPolicy(), Deadline(LONG), sleep=waits.append)
    assert waits == [3.0]


def test_no_wait_goes_beyond_the_deadline() -> None:
    waits: list[float] = []
    with pytest.raises(GenerationFailed, match="asks to wait 60 s, longer than the time allowed"):
        with_retries(failing(1, retryable=True, wait_seconds=60.0), RetryPolicy(), Deadline(LONG), sleep=waits.append)
    assert waits == []


def test_a_failure_at_the_deadline_that_needs_no_wait_is_reported_without_one() -> None:
    with pytest.raises(GenerationFailed, match=r"^It failed\.$"):
        with_retries(failing(1, retryable=True, wait_seconds=0.0), RetryPolicy(), Deadline(0.0), sleep=lambda _: None)


def test_stop_ends_a_wait_between_attempts() -> None:
    stop = Event()
    stop.set()
    with pytest.raises(StreamStopped):
        with_retries(failing(1, retryable=True, wait_seconds=LONG / 2), RetryPolicy(), Deadline(LONG), stop)


def test_items_run_at_once_up_to_the_limit_and_keep_their_order() -> None:
    meet = Barrier(3)  # passes only when three run together

    def work(item: int) -> int:
        meet.wait(LONG)
        return item * 10

    assert in_parallel(work, [1, 2, 3, 4, 5, 6], 3) == [10, 20, 30, 40, 50, 60]


def test_after_an_error_that_halts_no_item_is_started() -> None:
    def work(item: int) -> int:
        raise GenerationFailed(f"item {item}")

    results = in_parallel(work, [1, 2, 3], 1, halt_on_error=True)
    assert str(results[0]) == "item 1"
    assert [type(one) for one in results[1:]] == [NotStarted, NotStarted]


def test_a_programming_error_is_not_swallowed() -> None:
    def work(item: int) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        in_parallel(work, [1, 2], 1)


def test_no_items_are_no_work() -> None:
    assert in_parallel(str, [], 4) == []


@pytest.mark.parametrize(
    "text", ["planted", "key sk-abcdef0123456789 here", "Authorization: Bearer abc.def", "A" * 45, "hf_abcdefghij"]
)
def test_what_looks_like_a_key_is_not_repeated(text: str) -> None:
    assert "…" in TARGET.clean(text)
    assert not any(secret in TARGET.clean(text) for secret in ("planted", "abcdef", "abc.def", "AAAA"))


def test_an_unknown_error_is_reported_by_its_message() -> None:
    message = str(explain(RuntimeError("the moon is full, planted"), TARGET))
    assert message == "“m” at http://host/v1 failed: the moon is full, …; test the model on the Settings screen."
