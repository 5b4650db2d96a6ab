"""The scale of a metric by its name is the one that the metric itself has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from workbench.metrics.catalogue import MEASURES, Scale, scale_of
from workbench.metrics.judged.judge import Judge, JudgePrompt, Reply, judged_by, judged_name
from workbench.metrics.measure import Measure
from workbench.metrics.ranking import RANKING_MEASURES as RANKINGS


class Silent(Judge):
    """A judge that is never called."""

    def replies(self, prompts: Sequence[JudgePrompt]) -> list[Reply]:
        raise NotImplementedError


@pytest.mark.parametrize("name", MEASURES)
def test_a_metric_of_answers_has_the_scale_of_its_measure(name: str) -> None:
    item = MEASURES[name]
    assert scale_of(name) == Scale(item.low, item.high, item.higher_is_better)


@pytest.mark.parametrize("item", judged_by(Silent()), ids=lambda item: str(item.name))
def test_a_judged_metric_has_the_scale_of_its_measure_whoever_judges(item: Measure) -> None:
    for name in (item.name, judged_name(item.name, "openai-like:llama3:8b@ollama")):
        assert scale_of(name) == Scale(item.low, item.high, item.higher_is_better)


@pytest.mark.parametrize("name", RANKINGS)
def test_a_measure_of_rankings_is_a_share(name: str) -> None:
    assert scale_of(name).is_share and scale_of(name).higher_is_better


def test_semscore_is_a_cosine_whichever_encoder_gives_it() -> None:
    assert scale_of("semscore@bge-m3") == scale_of("semscore") == Scale(-1, 1)


def test_where_lower_is_better_the_lowest_value_is_the_best() -> None:
    assert scale_of("code_switch").goodness(np.array([0.0, 0.25, 1.0])).tolist() == [1.0, 0.75, 0.0]
