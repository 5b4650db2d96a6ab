"""Search and held-out questions: nothing on both sides, strata in proportion, the same by seed."""

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from workbench.core.errors import UsageError
from workbench.optimise.measurement import QuestionSet
from workbench.optimise.question_split import split_questions


def parallel(groups: int, languages: tuple[str, ...] = ("en", "fi", "th"), dataset: str = "d") -> QuestionSet:
    rows = [(f"{dataset}{group}", language) for group in range(groups) for language in languages]
    ids = tuple(f"{group}.{language}" for group, language in rows)
    return QuestionSet(ids, tuple(row[1] for row in rows), tuple(row[0] for row in rows), (dataset,) * len(rows))


def together(one: QuestionSet, other: QuestionSet) -> QuestionSet:
    return QuestionSet(
        one.ids + other.ids, one.languages + other.languages, one.groups + other.groups, one.datasets + other.datasets
    )


@given(st.integers(2, 40), st.floats(0.01, 0.99), st.integers(0, 5))
def test_every_question_is_on_one_side_with_its_translations(groups: int, share: float, seed: int) -> None:
    questions = parallel(groups)
    parts = split_questions(questions, share, seed=seed)
    assert sorted(parts.search + parts.holdout) == list(range(len(questions)))
    sides = [{questions.groups[row] for row in part} for part in (parts.search, parts.holdout)]
    assert not sides[0] & sides[1]
    assert len(sides[1]) == min(groups - 1, max(1, round(share * groups)))


def test_datasets_are_divided_in_the_same_proportion() -> None:
    questions = together(parallel(60, dataset="large"), parallel(20, ("en",), dataset="small"))
    for seed in range(10):
        parts = split_questions(questions, 0.25, seed=seed)
        count = Counter(questions.datasets[row] for row in parts.holdout)
        assert abs(count["large"] / 3 - 15) <= 1
        assert abs(count["small"] - 5) <= 1


def test_the_seed_decides_and_the_order_of_rows_does_not() -> None:
    questions = parallel(30)
    parts = split_questions(questions, seed=3)
    assert parts == split_questions(questions, seed=3)
    assert parts != split_questions(questions, seed=4)
    back = QuestionSet(
        *(values[::-1] for values in (questions.ids, questions.languages, questions.groups, questions.datasets))
    )
    reverse = split_questions(back, seed=3)
    assert {back.ids[row] for row in reverse.holdout} == {questions.ids[row] for row in parts.holdout}


def test_no_share_holds_nothing_out() -> None:
    assert split_questions(parallel(1), 0).holdout == ()


def test_what_cannot_be_split_is_refused() -> None:
    with pytest.raises(UsageError, match="translations stay together"):
        split_questions(parallel(1))
    with pytest.raises(UsageError, match=r"0\.5 is usual"):
        split_questions(parallel(5), 1.0)
