"""Intervals of what SQL summed up agree with those of the values themselves."""

from __future__ import annotations

import numpy as np
import pytest

from tests.screens.results import add_results
from workbench.errors import UsageError
from workbench.metrics.statistics import bootstrap_interval, permutation_p
from workbench.pipeline.workbench import Workbench
from workbench.storage.store import opened_store
from workbench.studies.correlation import agreement
from workbench.studies.deltas import NORMAL_FROM, _normal_p, against
from workbench.studies.filters import Filter
from workbench.studies.freshness import state_of_results
from workbench.studies.intervals import best, bounded, expanded
from workbench.studies.listing import answered_languages, named_experiments


def test_the_expansion_agrees_with_drawn_resamples_of_skewed_scores() -> None:
    values = np.random.default_rng(3).beta(0.4, 2.0, size=150)
    drawn = bootstrap_interval(values.tolist())
    assert drawn is not None
    assert expanded(values) == pytest.approx((drawn.low, drawn.high), abs=0.02 * (drawn.high - drawn.low))


def test_means_come_with_interval_n_and_unscored(workbench: Workbench) -> None:
    add_results(workbench)
    engine = opened_store(workbench.settings.database_url)
    first, second = bounded(engine, Filter(), "char3_recall")
    assert (first.mean, first.low, first.high, first.n, first.unscored) == (0.5, 0.5, 0.5, 2, 0)
    assert (second.mean, second.low, second.n) == (1.0, None, 1)
    assert [item.unscored for item in bounded(engine, Filter(), "clr")] == [2, 1]


def test_the_best_runs_come_first_and_the_others_are_counted(workbench: Workbench) -> None:
    add_results(workbench)
    found, count = best(opened_store(workbench.settings.database_url), Filter(), "char3_recall", 1)
    assert ([item.mean for item in found], count) == ([1.0], 2)


def test_an_unknown_metric_is_told(workbench: Workbench) -> None:
    add_results(workbench)
    with pytest.raises(UsageError, match="char3_recall"):
        bounded(opened_store(workbench.settings.database_url), Filter(), "rouge_7")


def test_runs_are_compared_on_the_questions_that_both_were_scored_on(workbench: Workbench) -> None:
    add_results(workbench)
    (found,) = against(opened_store(workbench.settings.database_url), "char3_recall", 1, [2])
    assert (found.run, found.mean, found.n, found.left_out, found.p) == (2, 0.5, 1, 1, 1.0)


def test_the_normal_limit_of_the_permutation_test_is_two_sided() -> None:
    differences = np.concatenate([np.ones(5_100), -np.ones(4_900)])
    # Σd = 200 and √Σd² = 100: z = 2.
    assert _normal_p(differences) == pytest.approx(0.0455, abs=1e-4)
    assert _normal_p(np.zeros(1_000)) == 1.0


def test_the_normal_limit_agrees_with_tossed_signs_where_it_takes_over() -> None:
    differences = np.random.default_rng(5).normal(0.05, 1.0, size=NORMAL_FROM)
    assert _normal_p(differences) == pytest.approx(permutation_p(differences.tolist()), abs=0.01)


def test_two_metrics_agree_over_the_answers_that_both_scored(workbench: Workbench) -> None:
    add_results(workbench)
    (found,) = agreement(opened_store(workbench.settings.database_url), Filter(), ["char3_recall", "clr"])
    assert (found.first, found.second, found.r, found.n) == ("char3_recall", "clr", None, 0)


def test_lists_name_experiments_and_languages_without_counting_answers(workbench: Workbench) -> None:
    identity = add_results(workbench)
    engine = opened_store(workbench.settings.database_url)
    assert [(item.id, item.name) for item in named_experiments(engine)] == [(identity, "Made up")]
    assert answered_languages(engine, Filter()) == ["en", "fi"]


def test_every_write_of_results_changes_their_state(workbench: Workbench) -> None:
    engine = opened_store(workbench.settings.database_url)
    before = state_of_results(engine)
    add_results(workbench)
    assert state_of_results(engine) != before
