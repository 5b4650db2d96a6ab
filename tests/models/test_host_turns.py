"""Whose turn it is among hosts that serve one model."""

from __future__ import annotations

import pytest

from workbench.models.llm.endpoint import HostTurns, addresses

A, B, C = "http://a:1/v1", "http://b:1/v1", "http://c:1/v1"


class Clock:
    """Seconds that pass when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def turns(clock: Clock) -> HostTurns:
    return HostTurns(clock)


def one_by_one(turns: HostTurns, urls: list[str], count: int) -> list[str]:
    taken = []
    for _ in range(count):
        with turns.turn(urls) as url:
            taken.append(url)
    return taken


def test_addresses_are_separated_by_blanks_or_bars_and_each_counts_once() -> None:
    assert addresses(f" {A} {B}|{C} |\n{A}") == (A, B, C)
    assert addresses("") == ("",)


def test_hosts_that_are_equally_busy_take_turns(turns: HostTurns) -> None:
    assert one_by_one(turns, [A, B, C], 7) == [A, B, C, A, B, C, A]


def test_the_host_with_the_fewest_calls_is_next(turns: HostTurns) -> None:
    with turns.turn([A, B]) as first, turns.turn([A, B]) as second, turns.turn([B]):
        assert (first, second) == (A, B)
        # A is at one call, B at two.
        assert one_by_one(turns, [A, B], 3) == [A, A, A]


def test_a_host_takes_no_more_calls_than_its_limit_from_any_endpoint(turns: HostTurns) -> None:
    class WaitedError(Exception):
        pass

    def waits() -> None:
        raise WaitedError

    with turns.turn([A], 2), turns.turn([A], 2):
        with pytest.raises(WaitedError), turns.turn(["http://A:1/other/v1"], 2, waits):
            pass
        with turns.turn([A, B], 2) as url:
            assert url == B
    with turns.turn([A], 2, waits) as url:
        assert url == A


def test_a_host_that_failed_rests_for_a_while(turns: HostTurns, clock: Clock) -> None:
    assert turns.rest(A, [A, B], 30)
    assert one_by_one(turns, [A, B], 3) == [B, B, B]
    clock.now = 31
    assert one_by_one(turns, [A, B], 1) == [A]


def test_where_all_hosts_rest_the_one_that_is_back_first_is_called(turns: HostTurns) -> None:
    turns.rest(A, [A, B], 30)
    assert not turns.rest(B, [A, B], 20)
    assert one_by_one(turns, [A, B], 1) == [B]
