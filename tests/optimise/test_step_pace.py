"""The pace of a pilot: what is learnt once is not what a step takes."""

from __future__ import annotations

from typing import cast

import pytest

from workbench.core.protocols import Generator
from workbench.models.llm.cost import PriceTable
from workbench.optimise.forecast import LoggingGuard, StepBatch, besides, still_to_learn, usual_seconds
from workbench.optimise.spending import Cap
from workbench.pipeline.answering import Generate
from workbench.pipeline.reader.extractive import ExtractiveReader
from workbench.pipeline.stage import BoundStage, State

STEADY = [StepBatch("generate", 10, 1.0), StepBatch("generate", 20, 2.4), StepBatch("retrieve", 30, 3.0)]
LEARNING = StepBatch("generate", 10, 30.0)


def test_a_batch_that_learnt_something_does_not_count_as_the_pace() -> None:
    assert usual_seconds([*STEADY, LEARNING]) == pytest.approx({"generate": 3.4 / 30, "retrieve": 0.1})


def test_batches_that_differ_as_answers_do_are_all_counted() -> None:
    batches = [StepBatch("generate", 4, seconds) for seconds in (1.0, 1.5, 2.0, 2.9)]
    assert usual_seconds(batches) == pytest.approx({"generate": 7.4 / 16})


def test_what_a_batch_did_besides_is_its_time_beyond_the_pace() -> None:
    usual = usual_seconds([*STEADY, LEARNING])
    assert besides([*STEADY, LEARNING], usual) == pytest.approx(30.0 - 10 * 3.4 / 30)
    assert besides(STEADY, usual) == 0.0


def test_a_stage_without_a_pace_did_everything_besides() -> None:
    assert besides([StepBatch("rerank", 2, 4.0)], {}) == 4.0


def test_less_is_left_to_learn_the_more_was_seen() -> None:
    left = [still_to_learn(10.0, 1, after, 100) for after in (2, 5, 20, 100)]
    assert left == sorted(left, reverse=True) and left[-1] == 0.0


def test_nothing_is_left_to_learn_where_the_pilot_saw_every_question() -> None:
    assert still_to_learn(10.0, 1, 5, 5) == still_to_learn(10.0, 1, 1, 5) == 0.0


def test_what_the_built_in_reader_learns_stays_and_what_a_model_loads_does_not() -> None:
    guard = LoggingGuard(Cap(), PriceTable(models={}), lambda _: "")
    for reader in (object.__new__(ExtractiveReader), object()):
        stage = BoundStage(Generate(cast(Generator, reader)), "generate", "a generator")
        guard.ran(stage, [State("q", "en")] * 3, 1.5)
    assert [(item.steps, item.seconds, item.learns) for item in guard.blocks[0]] == [
        (3, 1.5, True),
        (3, 1.5, False),
    ]
