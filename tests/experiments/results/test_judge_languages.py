"""One judge asked in English and in the answer's language, compared by language."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.annotation.labelled import add_scored, noisy, truth
from tests.annotation.material import url
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.summaries.pooling import JudgeLanguages, judge_languages

ENGLISH, ANSWER = "correctness@openai-like:m", "correctness@openai-like:m+ul"


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    return ResultStore.at(url(tmp_path))


def by_language(store: ResultStore, runs: list[int]) -> dict[str, JudgeLanguages]:
    run = next(run for run in store.of().runs() if run.id == runs[0])
    return {row.language: row for row in judge_languages(store.of(run.experiment_id))}


def test_both_means_their_difference_and_their_agreement_are_given_by_language(store: ResultStore) -> None:
    runs = add_scored(store, ["th", "fi"], 50, {ENGLISH: noisy(1, 0.7), ANSWER: lambda number: float(truth(number))})
    rows = by_language(store, runs)
    assert list(rows) == ["", "fi", "th"]
    assert (rows[""].n, rows["th"].n) == (100, 50)
    thai = rows["th"]
    assert thai.answer.value == pytest.approx(sum(map(truth, range(50))) / 50)
    assert thai.difference.value == pytest.approx((thai.answer.value or 0) - (thai.english.value or 0))
    assert thai.same is not None and 0.5 < thai.same < 0.9
    for figure in (thai.english, thai.answer, thai.difference, thai.kappa, thai.tau_b):
        assert figure.low is not None and figure.high is not None and figure.low < (figure.value or 0) < figure.high


def test_answers_that_one_of_the_two_did_not_score_are_counted_and_left_out(store: ResultStore) -> None:
    runs = add_scored(
        store,
        ["th"],
        20,
        {ENGLISH: noisy(1, 0.7), ANSWER: lambda number: None if number < 5 else noisy(2, 0.7)(number)},
    )
    row = by_language(store, runs)["th"]
    assert (row.n, row.english_only, row.answer_only) == (15, 5, 0)


def test_marks_have_no_kappa(store: ResultStore) -> None:
    names = [name.replace("correctness", "g_eval") for name in (ENGLISH, ANSWER)]
    runs = add_scored(store, ["th"], 20, {names[0]: lambda n: 1.0 + n % 5, names[1]: lambda n: 1.0 + (n + n % 2) % 5})
    row = by_language(store, runs)["th"]
    assert row.kappa.value is None and row.tau_b.value is not None and row.english.high is not None
    assert (row.english.low or 0) >= 1 and row.english.high <= 5


def test_a_judge_asked_in_one_language_is_not_compared(store: ResultStore) -> None:
    assert by_language(store, add_scored(store, ["th"], 20, {ANSWER: noisy(1, 0.7)})) == {}
