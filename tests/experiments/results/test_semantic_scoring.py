"""SemScore in experiments: by an encoder that is loaded once and named in the metric."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.experiments.experiments import small, stored
from workbench.app.workbench import Workbench
from workbench.components.registry import Registry
from workbench.core.errors import MissingError, UsageError
from workbench.core.protocols import Encoder, FloatArray
from workbench.core.records import Passage, Query
from workbench.experiments.experiment import Experiment, experiment_from_yaml, experiment_to_yaml
from workbench.experiments.planning import hosts_of
from workbench.experiments.results.result_store import ResultStore

NAME = "semscore@bge-m3"


class EqualVectors(Encoder):
    """Gives every text the same vector."""

    identity = "equal"
    dimensions = 1

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        return np.ones((len(passages), 1), dtype=np.float32)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        raise NotImplementedError


def by_meaning(**choices: object) -> Experiment:
    return small(**{"modes": ["multirag"], "metrics": ["semscore"], "semscore_encoder": "bge-m3", **choices})


def test_the_encoder_is_made_once_for_all_answers(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def encoder(_registry: Registry, name: str) -> Encoder:
        names.append(name)
        return EqualVectors()

    monkeypatch.setattr(Registry, "dense_encoder", encoder)
    experiment_id, runner = stored(workbench, by_meaning())
    runner.run()
    (mean,) = ResultStore.at(workbench.settings.database_url).of(experiment_id).means([NAME], ["dataset"])
    assert (mean.mean, mean.n) == (1.0, 8)
    assert names == ["bge-m3"]


def test_without_its_encoder_answers_are_unscored_with_the_reason(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def encoder(_registry: Registry, name: str) -> Encoder:
        raise MissingError(f"{name} is not on this machine.")

    monkeypatch.setattr(Registry, "dense_encoder", encoder)
    experiment_id, runner = stored(workbench, by_meaning())
    runner.run()
    results = ResultStore.at(workbench.settings.database_url).of(experiment_id)
    assert [tuple(item) for item in results.unscored(NAME)] == [("bge-m3 is not on this machine.", 8)]


def test_the_yaml_names_metric_and_encoder_apart_and_reads_back() -> None:
    experiment = by_meaning()
    text = experiment_to_yaml(experiment)
    assert "semscore_encoder: bge-m3" in text and "@" not in text
    assert experiment_from_yaml(text) == experiment and experiment.metrics == (NAME,)


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({"semscore_encoder": ""}, "needs an encoder"),
        ({"semscore_encoder": "builtin"}, "cannot compare answers"),
        ({"semscore_encoder": "nothing"}, "Unknown encoder"),
        ({"metrics": ["flexible_em"]}, "not that metric"),
    ],
)
def test_metric_and_encoder_need_each_other(choices: dict[str, object], expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        by_meaning(**choices)


def test_where_the_encoder_is_a_service_its_host_is_named(tmp_path: Path) -> None:
    assert "api.openai.com" in hosts_of(by_meaning(semscore_encoder="openai-text-embedding-3-large"), tmp_path)
