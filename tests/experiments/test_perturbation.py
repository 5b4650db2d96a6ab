"""Perturbed evidence: what stands where, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.pipeline.fakes import PASSAGES, FakeParts
from workbench.core.records import Evidence, Query
from workbench.experiments.perturbation import (
    AddDistractors,
    Distractors,
    GoldEvidence,
    HardNegatives,
    RandomNoise,
    Reorder,
    perturbed,
)
from workbench.experiments.results.summaries.run_names import Perturbation
from workbench.pipeline.chain import build_chain
from workbench.pipeline.recipe import make_recipe
from workbench.pipeline.stage import Stage, State

FI, EN, TH = PASSAGES[1], PASSAGES[0], PASSAGES[2]
GIVEN = tuple(Evidence(passage, rank) for rank, passage in enumerate((FI, EN, TH), start=1))
STATE = State("Who?", "fi", ("en", "fi", "th"), query=Query("Who?", "fi", ("en", "fi", "th")), evidence=GIVEN)


def order(kind: Perturbation, state: State = STATE, seed: int = 0) -> list[str]:
    (done,) = Reorder(kind, seed).run([state])
    assert [item.rank for item in done.evidence] == [1, 2, 3]
    return [item.passage.language for item in done.evidence]


def test_english_first_keeps_the_order_of_the_rest() -> None:
    assert order("english-first") == ["en", "fi", "th"]


def test_english_last_keeps_the_order_of_the_rest() -> None:
    assert order("english-last") == ["fi", "th", "en"]


def test_a_shuffle_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    assert order("shuffle") == order("shuffle")
    assert len({tuple(order("shuffle", seed=seed)) for seed in range(12)}) > 1


SHORT = State("Who?", "fi", STATE.scope, query=STATE.query, evidence=(Evidence(FI, 1),))
SOURCES = (HardNegatives(FakeParts().parts, 10), RandomNoise(FakeParts().parts, len(PASSAGES)))


def added(source: Distractors, gold: GoldEvidence, state: State = SHORT) -> set[str]:
    (done,) = AddDistractors(source, 0, {("Who?", "fi"): gold}).run([state])
    assert [item.rank for item in done.evidence] == list(range(1, len(done.evidence) + 1))
    return {item.passage.id for item in done.evidence} - {"b.fi"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.kind)
def test_two_documents_are_added(source: Distractors) -> None:
    assert added(source, GoldEvidence()) == {"a.en", "c.th"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.kind)
@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        (GoldEvidence(answers=("MARCONI",)), {"c.th"}),  # a.en names Marconi
        (GoldEvidence(answers=("มาร์โคนี",)), {"a.en"}),  # a gold answer of another language
        (GoldEvidence(passages=frozenset({"a.en"})), {"c.th"}),
    ],
)
def test_no_gold_passage_and_no_gold_answer_is_added(
    source: Distractors, gold: GoldEvidence, expected: set[str]
) -> None:
    assert added(source, gold) == expected


def test_a_translation_of_a_gold_passage_counts_as_gold() -> None:
    gold = GoldEvidence(groups=frozenset({"radio.1"}))
    assert gold.holds(replace(TH, group="radio.1"))
    assert not gold.holds(replace(TH, group="")) and not GoldEvidence(groups=frozenset({""})).holds(TH)


def test_random_noise_is_from_articles_without_a_gold_passage_within_the_scope() -> None:
    noise = SOURCES[1]
    assert added(noise, GoldEvidence(documents=frozenset({"a"}))) == {"c.th"}
    assert added(noise, GoldEvidence(), replace(SHORT, scope=("fi", "th"))) == {"c.th"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.kind)
def test_documents_that_are_there_already_are_not_added(source: Distractors) -> None:
    (done,) = AddDistractors(source, 0, {}).run([STATE])
    assert done.evidence == GIVEN


def test_random_noise_is_the_same_for_the_same_seed() -> None:
    runs = [AddDistractors(SOURCES[1], seed, {}).run([SHORT])[0].evidence for seed in (0, 0, *range(1, 9))]
    assert runs[0] == runs[1]
    assert len({tuple(item.passage.id for item in run) for run in runs}) > 1


@pytest.mark.parametrize("kind", ["shuffle", "random-noise", "hard-negatives", "english-first", "english-last"])
def test_without_evidence_nothing_is_perturbed(kind: Perturbation) -> None:
    parts = FakeParts().parts
    stages = build_chain(make_recipe({"mode": "baseline"}), parts).stages
    assert perturbed(stages, kind, parts, 10, 0, {}) == stages


def test_what_is_added_is_translated_like_the_rest() -> None:
    parts = FakeParts().parts
    stages = build_chain(make_recipe({"mode": "crossrag"}), parts).stages
    names = [stage.name for stage in perturbed(stages, "hard-negatives", parts, 10, 0, {})]
    assert names[:4] == ["retrieve", "rerank", "perturb", "translate passages"]


def test_another_seed_kind_or_gold_is_another_step() -> None:
    parts = FakeParts().parts
    stages: tuple[Stage, ...] = (Reorder("shuffle", 0), Reorder("shuffle", 1), Reorder("english-first", 0))
    gold = {("Who?", "fi"): GoldEvidence(answers=("x",))}
    sources = (HardNegatives(parts, 10), HardNegatives(parts, 20), RandomNoise(parts, 3))
    adding = [AddDistractors(source, 0, golds) for source in sources for golds in ({}, gold)]
    assert len({stage.identity for stage in (*stages, *adding)}) == 9
