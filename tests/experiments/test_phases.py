"""The phases of an experiment, derived from the chains of its runs."""

from __future__ import annotations

import pytest

from tests.pipeline.fakes import FakeParts
from workbench.experiments.perturbation import perturbed
from workbench.experiments.phases import NO_STAGE, Phase, derive_phases, stage_order
from workbench.pipeline.chain import build_chain
from workbench.pipeline.choices import MODES
from workbench.pipeline.recipe import make_recipe
from workbench.pipeline.stage import BoundStage, bind


def chain(mode: str, perturbation: str = "none") -> tuple[BoundStage, ...]:
    components = FakeParts().parts
    stages = build_chain(make_recipe({"mode": mode}), components).stages
    return bind(stages if perturbation == "none" else perturbed(stages, "shuffle", components, 10, 0, {}))


def test_every_mode_together_has_a_phase_per_cached_stage_before_the_prompt() -> None:
    phases = derive_phases([*(chain(mode.name) for mode in MODES), chain("crossrag", "shuffle")])
    names = ["translate question", "retrieve", "rerank", "perturb", "translate passages", "detect language"]
    assert [phase.name for phase in phases] == names
    assert [phase.is_last for phase in phases] == [False] * 5 + [True]
    assert phases[2].stages == ("translate question", "retrieve", "rerank")
    assert phases[-1].stages[5:7] == ("compose", "generate")


def test_the_order_does_not_depend_on_that_of_the_runs() -> None:
    chains = [chain(mode.name) for mode in MODES]
    assert derive_phases(chains) == derive_phases(chains[::-1])


def test_without_retrieval_there_is_one_phase() -> None:
    (phase,) = derive_phases([chain("baseline")])
    assert phase == Phase(
        "detect language", "answering", ("compose", "generate", "read answer", "detect language"), is_last=True
    )


def test_where_no_run_has_a_chain_one_phase_stores_why() -> None:
    assert derive_phases([()]) == (Phase(NO_STAGE, "answering", (), is_last=True),)


def test_the_title_of_an_unknown_stage_is_its_name() -> None:
    assert [phase.title for phase in derive_phases([chain("trag")])][:2] == ["translating questions", "retrieving"]
    renamed = [BoundStage(item.stage, f"new {item.name}", item.identity) for item in chain("trag")]
    assert derive_phases([renamed])[0].title == "new translate question"


def test_chains_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match=r"different orders: .*(rerank → translate|translate → rerank)"):
        stage_order([["retrieve", "rerank", "translate"], ["retrieve", "translate", "rerank"]])
    with pytest.raises(ValueError, match="different orders"):
        stage_order([["retrieve", "retrieve"]])
