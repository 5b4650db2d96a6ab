"""Stages: each adds what it says and nothing else, in the order that its mode says."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from tests.pipeline.fakes import PASSAGES, FakeGenerator, FakeParts, FakeTranslator
from workbench.pipeline.chain import build_chain
from workbench.pipeline.executor import NoCache, TracedState, run
from workbench.pipeline.state import State
from workbench.recipes.mode import MODES
from workbench.recipes.recipe import make_recipe

SCOPE = ("en", "fi", "th")
ASKED = State("Mikä?", "fi", SCOPE)
FOUR_PARTS = FakeGenerator(text="#Extraction: a\n#Explanation: b\n#Dialectic Argumentation: c\n#Answer: d")
SEARCH = ["retrieve", "rerank"]
ORDER = {
    "baseline": ["compose", "generate"],
    "monorag": [*SEARCH, "compose", "generate"],
    "trag": ["translate question", *SEARCH, "compose", "generate"],
    "multirag": [*SEARCH, "compose", "generate"],
    "crossrag": [*SEARCH, "translate passages", "compose", "generate"],
    "drag": [*SEARCH, "compose", "generate", "parse sections"],
    "pivot": ["translate question", *SEARCH, "compose", "generate", "translate answer"],
}


def traced(mode: str, fakes: FakeParts | None = None, state: State = ASKED, **choices: Any) -> TracedState:
    chain = build_chain(make_recipe({"mode": mode, **choices}), (fakes or FakeParts()).parts)
    return run(chain, [state], NoCache())[0]


@pytest.mark.parametrize("mode", [item.name for item in MODES])
def test_each_modes_stages_stand_in_the_papers_order(mode: str) -> None:
    chain = build_chain(make_recipe({"mode": mode}), FakeParts().parts)
    assert [stage.name for stage in chain.stages] == [*ORDER[mode], "detect language"]
    assert chain.name == mode


@pytest.mark.parametrize("mode", ["monorag", "multirag", "crossrag", "drag"])
def test_any_mode_that_searches_translates_the_question_first_when_asked(mode: str) -> None:
    chain = build_chain(make_recipe({"mode": mode, "translate_question": True}), FakeParts().parts)
    assert [stage.name for stage in chain.stages] == ["translate question", *ORDER[mode], "detect language"]


@pytest.mark.parametrize("mode", [item.name for item in MODES])
@pytest.mark.parametrize("prompts", ["one", "four"])
def test_a_stage_changes_only_what_it_says_it_adds(mode: str, prompts: str) -> None:
    chain = build_chain(make_recipe({"mode": mode, "dialectic": {"prompts": prompts}}), FakeParts().parts)
    state = ASKED
    for stage in chain.stages:
        (after,) = stage.run([state])
        changed = {item.name for item in fields(State) if getattr(after, item.name) != getattr(state, item.name)}
        assert changed <= set(stage.adds), stage.name
        state = after


@pytest.mark.parametrize("mode", [item.name for item in MODES])
@pytest.mark.parametrize("prompts", ["one", "four"])
def test_a_stage_depends_only_on_what_it_says_it_reads(mode: str, prompts: str) -> None:
    chain = build_chain(make_recipe({"mode": mode, "dialectic": {"prompts": prompts}}), FakeParts().parts)
    state = ASKED
    for stage in chain.stages:
        (after,) = stage.run([state])
        (seen,) = stage.run([State(**{name: getattr(state, name) for name in {"question", "language", *stage.reads}})])
        for name in stage.adds:
            if name not in stage.reads or getattr(after, name) != getattr(state, name):
                assert getattr(seen, name) == getattr(after, name), (stage.name, name)
        state = after


def test_a_chain_is_a_stage_that_reads_what_its_stages_do_not_make() -> None:
    chain = build_chain(make_recipe({"mode": "trag"}), FakeParts().parts)
    assert set(chain.reads) == {"question", "language", "scope"}
    assert {"question_translation", "ranking", "evidence", "prompt", "answer", "answer_language"} <= set(chain.adds)
    (done,) = chain.run([ASKED])
    assert done == traced("trag").state


@pytest.mark.parametrize("mode", ["monorag", "multirag", "crossrag", "drag"])
def test_the_question_as_asked_searches(mode: str) -> None:
    fakes = FakeParts()
    traced(mode, fakes)
    (query,) = fakes.retriever.asked
    assert (query.text, query.language, query.languages) == ("Mikä?", "fi", SCOPE)


@pytest.mark.parametrize("mode", ["trag", "pivot"])
def test_the_translated_question_searches_in_english(mode: str) -> None:
    fakes = FakeParts()
    traced(mode, fakes)
    (query,) = fakes.retriever.asked
    assert (query.text, query.language) == ("[fi>en] Mikä?", "en")


def test_trag_answers_the_question_as_asked() -> None:
    prompt = traced("trag").state.prompt
    assert prompt is not None and prompt.task.question == "Mikä?" and prompt.task.language == "fi"


def test_pivot_asks_in_english_and_answers_in_the_users_language() -> None:
    state = traced("pivot").state
    assert state.prompt is not None
    assert (state.prompt.task.question, state.prompt.task.language) == ("[fi>en] Mikä?", "en")
    assert state.answer == "[en>fi] answer to [fi>en] Mikä?"
    assert state.answer_translation is not None and state.answer_translation.target == "fi"


def test_pivot_keeps_an_answer_that_cannot_be_translated_and_says_so() -> None:
    done = traced("pivot", FakeParts(translator=FakeTranslator(fails_on="answer")))
    assert done.state.answer == "answer to [fi>en] Mikä?"
    step = next(step for step in done.steps if step.name == "translate answer")
    assert step.facts == {"failed": "the answer could not be translated to Finnish"}


def test_crossrag_hands_over_english_and_keeps_the_originals() -> None:
    evidence = traced("crossrag").state.evidence
    assert [item.passage for item in evidence] == list(reversed(PASSAGES))
    assert [item.language for item in evidence] == ["en"] * 3
    assert evidence[-1].translation is None


def test_crossrag_keeps_a_passage_that_cannot_be_translated_and_says_so() -> None:
    done = traced("crossrag", FakeParts(translator=FakeTranslator(fails_on="Popov")))
    assert [item.language for item in done.state.evidence] == ["en", "fi", "en"]
    step = next(step for step in done.steps if step.name == "translate passages")
    assert step.facts == {"translated": "1 of 2", "failed": "1"}


def test_the_reranker_orders_and_k_cuts() -> None:
    evidence = traced("multirag", k=2).state.evidence
    assert [(item.rank, item.passage.id) for item in evidence] == [(1, "c.th"), (2, "b.fi")]
    assert set(evidence[0].scores) == {"fake", "backwards"}


def test_the_baseline_searches_and_shows_nothing() -> None:
    fakes = FakeParts()
    state = traced("baseline", fakes, State("Mikä?", "fi")).state
    assert fakes.retriever.asked == [] and state.evidence == () and state.answer == "answer to Mikä?"


def test_nothing_found_is_no_evidence_and_still_an_answer() -> None:
    state = traced("multirag", state=State("Mikä?", "fi", ("xx",))).state
    assert state.evidence == () and state.ranking == () and state.answer


def test_drags_answer_is_the_part_so_labelled() -> None:
    state = traced("drag", FakeParts(generator=FOUR_PARTS)).state
    assert state.answer == "d"
    assert state.sections is not None and state.sections.found == (
        "extraction",
        "explanation",
        "argumentation",
        "answer",
    )


def test_drag_may_be_asked_for_in_four_prompts_each_seeing_the_earlier_parts() -> None:
    fakes = FakeParts(generator=FakeGenerator(text="said"))
    state = traced("drag", fakes, dialectic={"prompts": "four"}).state
    assert len(fakes.generator.asked) == 4
    assert "said" in fakes.generator.asked[1].user and "said" not in fakes.generator.asked[0].user
    assert state.answer == "said"
    assert state.sections is not None and state.sections.extraction == "said"


def test_drag_without_two_parts_asks_for_the_other_two() -> None:
    state = traced("drag", dialectic={"explanation": False, "argumentation": False}).state
    assert state.prompt is not None and state.prompt.task.dialectic == ("extraction", "answer")
