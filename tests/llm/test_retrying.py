"""Time-outs, retries, stop and bounded concurrency, apart from any model."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Event

import pytest

from workbench.errors import GenerationFailed
from workbench.llm.failures import Place, explain, retry_after
from workbench.llm.retrying import (
    CallError,
    Deadline,
    NotBegun,
    Patience,
    StreamStopped,
    TimedOutError,
    in_parallel,
    persistently,
    relay,
)

LONG = 30.0
PLACE = Place("m", "http://host/v1", "KEY_NAME", ("planted",))


def failing(times: int, **how: object) -> Callable[[], str]:
    left = [times]

    def call() -> str:
        if left[0]:
            left[0] -= 1
            raise CallError("It failed.", **how)  # type: ignore[arg-type]
        return "well"

    return call


def waiting(released: Event) -> None:
    released.wait(LONG)


def test_relayed_items_come_in_order() -> None:
    def work(give: Callable[[int], None]) -> None:
        for item in (1, 2, 3):
            give(item)

    assert list(relay(work, silence=LONG, deadline=Deadline(LONG))) == [1, 2, 3]


def test_what_the_work_raises_comes_after_what_it_gave() -> None:
    def work(give: Callable[[int], None]) -> None:
        give(1)
        raise KeyError("lost")

    items = relay(work, silence=LONG, deadline=Deadline(LONG))
    assert next(items) == 1
    with pytest.raises(KeyError):
        next(items)


def test_silence_ends_the_wait_and_hangs_up() -> None:
    released, hung_up = Event(), Event()
    items = relay(lambda give: waiting(released), silence=0.0, deadline=Deadline(LONG), hang_up=hung_up.set)
    with pytest.raises(TimedOutError) as caught:
        next(items)
    released.set()
    assert not caught.value.whole
    assert hung_up.is_set()


def test_the_deadline_ends_the_wait() -> None:
    released = Event()
    items = relay(lambda give: waiting(released), silence=LONG, deadline=Deadline(0.0))
    with pytest.raises(TimedOutError) as caught:
        next(items)
    released.set()
    assert caught.value.whole


def test_stop_ends_the_wait() -> None:
    stop, released = Event(), Event()
    stop.set()
    items = relay(lambda give: waiting(released), silence=LONG, deadline=Deadline(LONG), stop=stop)
    with pytest.raises(StreamStopped):
        next(items)
    released.set()


def test_work_that_nobody_waits_for_ends_at_its_next_item() -> None:
    go_on, ended = Event(), Event()

    def work(give: Callable[[int], None]) -> None:
        try:
            give(1)
            go_on.wait(LONG)
            give(2)
        finally:
            ended.set()

    items = relay(work, silence=LONG, deadline=Deadline(LONG))
    next(items)
    del items
    go_on.set()
    assert ended.wait(LONG)


def test_a_call_is_repeated_as_often_as_allowed() -> None:
    waits: list[float] = []
    assert persistently(failing(3, again=True), Patience(), Deadline(LONG), sleep=waits.append) == "well"
    assert len(waits) == 3


def test_the_last_failure_tells_how_often_it_was_tried() -> None:
    with pytest.raises(GenerationFailed, match=r"^It failed\. Tried 4 times\.$"):
        persistently(failing(9, again=True), Patience(), Deadline(LONG), sleep=lambda _: None)


def test_a_final_failure_is_not_repeated() -> None:
    with pytest.raises(GenerationFailed, match=r"^It failed\.$"):
        persistently(failing(1), Patience(), Deadline(LONG), sleep=lambda _: None)


def test_the_servers_own_waiting_time_is_kept() -> None:
    waits: list[float] = []
    persistently(failing(1, again=True, wait=3.0), Patience(), Deadline(LONG), sleep=waits.append)
    assert waits == [3.0]


def test_no_wait_goes_beyond_the_deadline() -> None:
    waits: list[float] = []
    with pytest.raises(GenerationFailed, match="asks to wait 60 s, longer than the time allowed"):
        persistently(failing(1, again=True, wait=60.0), Patience(), Deadline(LONG), sleep=waits.append)
    assert waits == []


def test_stop_ends_a_wait_between_attempts() -> None:
    stop = Event()
    stop.set()
    with pytest.raises(StreamStopped):
        persistently(failing(1, again=True, wait=LONG / 2), Patience(), Deadline(LONG), stop)


def test_items_run_at_once_up_to_the_limit_and_keep_their_order() -> None:
    meet = Barrier(3)  # passes only when three are under way together

    def work(item: int) -> int:
        meet.wait(LONG)
        return item * 10

    assert in_parallel(work, [1, 2, 3, 4, 5, 6], 3) == [10, 20, 30, 40, 50, 60]


def test_after_an_error_that_halts_no_item_is_begun() -> None:
    def work(item: int) -> int:
        raise GenerationFailed(f"item {item}")

    made = in_parallel(work, [1, 2, 3], 1, halt_on_error=True)
    assert str(made[0]) == "item 1"
    assert [type(one) for one in made[1:]] == [NotBegun, NotBegun]


def test_a_programming_error_is_not_swallowed() -> None:
    def work(item: int) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        in_parallel(work, [1, 2], 1)


def test_no_items_are_no_work() -> None:
    assert in_parallel(str, [], 4) == []


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


@pytest.mark.parametrize(
    "text", ["planted", "key sk-abcdef0123456789 here", "Authorization: Bearer abc.def", "A" * 45, "hf_abcdefghij"]
)
def test_what_looks_like_a_key_is_not_repeated(text: str) -> None:
    assert "…" in PLACE.clean(text)
    assert not any(secret in PLACE.clean(text) for secret in ("planted", "abcdef", "abc.def", "AAAA"))


def test_an_error_that_nobody_knows_is_told_in_its_own_words() -> None:
    said = str(explain(RuntimeError("the moon is full, planted"), PLACE))
    assert said == "“m” at http://host/v1 failed: the moon is full, …; test the model on the Settings screen."
