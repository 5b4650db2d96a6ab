"""Perturbed evidence: what stands where, by hand."""

from __future__ import annotations

import pytest

from tests.pipeline.fakes import PASSAGES, FakeParts
from workbench.experiments.experiment import Perturbation
from workbench.experiments.perturbation import Mislead, Reorder, perturbed
from workbench.pipeline.chain import build_chain
from workbench.pipeline.state import State
from workbench.recipes.recipe import make_recipe
from workbench.records import Evidence, Query

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


def test_misleading_documents_are_added_and_hold_no_gold_answer() -> None:
    short = State("Who?", "fi", STATE.scope, query=STATE.query, evidence=(Evidence(FI, 1),))
    golds = {("Who?", "fi"): ("Marconi",)}
    (done,) = Mislead(FakeParts().parts, 10, 0, golds).run([short])
    assert {item.passage.id for item in done.evidence} == {"b.fi", "c.th"}  # a.en names Marconi
    assert [item.rank for item in done.evidence] == [1, 2]


def test_misleading_documents_come_from_documents_that_are_not_given() -> None:
    (done,) = Mislead(FakeParts().parts, 10, 0, {}).run([STATE])
    assert done.evidence == GIVEN


@pytest.mark.parametrize("kind", ["shuffle", "misleading", "english-first", "english-last"])
def test_without_evidence_nothing_is_perturbed(kind: Perturbation) -> None:
    parts = FakeParts().parts
    stages = build_chain(make_recipe({"mode": "baseline"}), parts).stages
    assert perturbed(stages, kind, parts, 10, 0, {}) == stages


def test_what_is_added_is_translated_like_the_rest() -> None:
    parts = FakeParts().parts
    stages = build_chain(make_recipe({"mode": "crossrag"}), parts).stages
    names = [stage.name for stage in perturbed(stages, "misleading", parts, 10, 0, {})]
    assert names[:4] == ["retrieve", "rerank", "perturb", "translate passages"]


def test_another_seed_kind_or_gold_is_another_step() -> None:
    parts = FakeParts().parts
    stages = (Reorder("shuffle", 0), Reorder("shuffle", 1), Reorder("english-first", 0))
    mislead = (Mislead(parts, 10, 0, {}), Mislead(parts, 10, 0, {("Who?", "fi"): ("x",)}))
    assert len({stage.identity for stage in (*stages, *mislead)}) == 5
