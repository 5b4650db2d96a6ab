"""The scale of a metric by its name is the one that the metric itself has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from workbench.metrics.catalogue import MEASURES
from workbench.metrics.judged.judge import JudgePrompt, Reply, judged_by
from workbench.metrics.judged.judge_names import judged_name
from workbench.metrics.measure import Measure
from workbench.metrics.ranking import MEASURES as RANKINGS
from workbench.metrics.scale import Scale, scale_of


class Silent:
    """A judge that is never asked here."""

    def replies(self, asked: Sequence[JudgePrompt]) -> list[Reply]:
        raise NotImplementedError


@pytest.mark.parametrize("name", MEASURES)
def test_a_metric_of_answers_has_its_own_scale(name: str) -> None:
    own = MEASURES[name]
    assert scale_of(name) == Scale(own.low, own.high, own.higher_is_better)


@pytest.mark.parametrize("own", judged_by(Silent()), ids=lambda own: str(own.name))
def test_a_judged_metric_has_its_own_scale_whoever_judges(own: Measure) -> None:
    for name in (own.name, judged_name(own.name, "openai-like:llama3:8b@ollama")):
        assert scale_of(name) == Scale(own.low, own.high, own.higher_is_better)


@pytest.mark.parametrize("name", RANKINGS)
def test_a_measure_of_rankings_is_a_share(name: str) -> None:
    assert scale_of(name).is_share and scale_of(name).higher_is_better


def test_where_lower_is_better_the_lowest_value_is_the_best() -> None:
    assert scale_of("code_switch").goodness(np.array([0.0, 0.25, 1.0])).tolist() == [1.0, 0.75, 0.0]
