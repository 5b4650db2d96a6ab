"""The pace of work: measured on what is done, not on what was done before."""

from __future__ import annotations

import pytest

from workbench.workspace.durations import PieceRate, duration_words


def test_pieces_of_an_earlier_attempt_do_not_count_for_the_pace() -> None:
    pieces = PieceRate()
    for done, now in ((0, 0.0), (500, 0.1), (1_000, 0.2), (1_020, 10.2), (1_040, 20.2)):
        pieces.add(done, now)
    assert pieces.rate == pytest.approx(2.0)


def test_an_earlier_pace_serves_until_there_is_a_measured_one() -> None:
    pieces = PieceRate(7.0)
    pieces.add(0, 0.0)
    assert pieces.rate == 7.0 and not pieces.is_measured
    pieces.add(2, 2.0)
    assert pieces.rate == 7.0
    pieces.add(4, 4.0)
    assert pieces.rate == pytest.approx(1.0) and pieces.is_measured


def test_without_an_earlier_pace_the_first_piece_gives_one() -> None:
    pieces = PieceRate()
    pieces.add(0, 0.0)
    assert pieces.rate == 0.0
    pieces.add(4, 1.0)
    assert pieces.rate == pytest.approx(4.0)


def test_the_pace_is_that_of_the_latest_minutes() -> None:
    pieces = PieceRate()
    for number in range(10):
        pieces.add(number * 100, number * 50.0)
    for number in range(1, 10):
        pieces.add(900 + number * 50, 450.0 + number * 50.0)
    assert pieces.rate == pytest.approx(1.0)


def test_durations_are_rounded_up() -> None:
    assert [duration_words(seconds) for seconds in (0.0, 0.9, 10.2, 56.0, 61.0)] == [
        "1 second", "1 second", "15 seconds", "1 minute", "2 minutes",
    ]  # fmt: skip
