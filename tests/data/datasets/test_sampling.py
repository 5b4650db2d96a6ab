"""A sample by seed: stable, nested, and the same ids across languages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, strategies as st

from workbench.core.errors import UsageError
from workbench.core.records import Question
from workbench.data.datasets.importing import sample_questions

FIXED = ["8", "9", "15"]
"""The first three of 0 … 19 by SHA-256 over “0”, a new line and the number, computed with sha256sum."""


def numbered(language: str, ids: Iterable[int]) -> list[Question]:
    return [Question(str(number), "?", language) for number in ids]


def ids(questions: Sequence[Question], language: str) -> list[str]:
    return [question.id for question in questions if question.language == language]


def test_no_limit_takes_all() -> None:
    assert sample_questions(numbered("fi", range(3)), None, 0, parallel=False) == tuple(numbered("fi", range(3)))


def test_the_sample_of_a_seed_is_fixed_for_good() -> None:
    assert ids(sample_questions(numbered("fi", range(20)), 3, 0, parallel=False), "fi") == FIXED
    assert ids(sample_questions(numbered("fi", range(20)), 3, 1, parallel=False), "fi") != FIXED


def test_languages_that_are_parallel_get_the_same_ids() -> None:
    subset = sample_questions([*numbered("fi", range(50)), *numbered("sw", reversed(range(50)))], 7, 3, parallel=True)
    assert len(ids(subset, "fi")) == 7 and set(ids(subset, "fi")) == set(ids(subset, "sw"))


def test_ids_that_all_languages_have_come_first() -> None:
    subset = sample_questions([*numbered("fi", range(30)), *numbered("sw", range(25, 40))], 5, 0, parallel=True)
    assert set(ids(subset, "fi")) == set(ids(subset, "sw")) == {"25", "26", "27", "28", "29"}


def test_a_language_added_later_gets_the_ids_of_the_first() -> None:
    first, later = (sample_questions(numbered(code, range(90)), 9, 5, parallel=True) for code in ("fi", "sw"))
    assert ids(first, "fi") == ids(later, "sw")


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 5))
def test_a_smaller_sample_lies_within_a_larger_one(one: int, other: int, seed: int) -> None:
    small, large = sorted((one, other))
    questions = numbered("fi", range(15))
    inner = sample_questions(questions, small, seed, parallel=False)
    assert set(inner) <= set(sample_questions(questions, large, seed, parallel=False)) and len(inner) == min(small, 15)


def test_a_sample_of_none_is_refused() -> None:
    with pytest.raises(UsageError, match="For example: 100"):
        sample_questions(numbered("fi", range(3)), 0, 0, parallel=False)
