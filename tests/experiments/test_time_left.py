"""How long a job will take yet: measured, never guessed."""

from __future__ import annotations

import pytest

from workbench.experiments.jobs.job_status import Pace, left_words


def test_there_is_no_end_before_a_second_batch() -> None:
    assert Pace().end("answering", 1, 4, 100.0) is None


def test_the_end_is_as_far_as_the_pace_of_the_batches_after_the_first() -> None:
    pace = Pace()
    pace.end("answering", 1, 11, 100.0)
    # Two batches in 20 seconds: eight more take 80.
    assert pace.end("answering", 3, 11, 120.0) == pytest.approx(200.0)


def test_batches_of_an_earlier_job_do_not_count_for_the_pace() -> None:
    pace = Pace()
    assert pace.end("answering", 51, 100, 100.0) is None
    assert pace.end("answering", 52, 100, 110.0) == pytest.approx(110.0 + 48 * 10)


def test_each_stage_has_a_pace_of_its_own() -> None:
    pace = Pace()
    pace.end("retrieving", 1, 2, 100.0)
    pace.end("retrieving", 2, 2, 101.0)
    assert pace.end("answering", 1, 2, 150.0) is None


def test_only_the_last_stage_ends_with_the_job() -> None:
    assert left_words("answering", 300.0, 0.0) == "about 5 minutes left"
    assert left_words("retrieving", 300.0, 0.0) == "about 5 minutes left in this stage"


def test_an_end_that_is_past_is_not_shown() -> None:
    assert left_words("answering", 10.0, 11.0) == ""
