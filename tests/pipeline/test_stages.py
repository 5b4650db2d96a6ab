"""Stages: each adds the fields that it names and no others, in the order of its mode."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from tests.pipeline.fakes import PASSAGES, FakeGenerator, FakeParts, FakeTranslator
from workbench.components.adapters.builtin import KeepOrder
from workbench.core.records import Evidence, Prompt, Task, Translation
from workbench.pipeline.chain import build_chain, search_stages
from workbench.pipeline.choices import MODES
from workbench.pipeline.executor import Executor, StepKeys, TracedState
from workbench.pipeline.recipe import make_recipe
from workbench.pipeline.searching import Rerank, Retrieve
from workbench.pipeline.stage import State, bind

SCOPE = ("en", "fi", "th")
QUESTION = State("Mikä?", "fi", SCOPE)
FOUR_PARTS = FakeGenerator(text="#Extraction: a\n#Explanation: b\n#Dialectic Argumentation: c\n#Answer: d")
SEARCH = ["retrieve", "rerank"]
ORDER = {
    "baseline": ["compose", "generate", "read answer"],
    "monorag": [*SEARCH, "compose", "generate", "read answer"],
    "trag": ["translate question", *SEARCH, "compose", "generate", "read answer"],
    "multirag": [*SEARCH, "compose", "generate", "read answer"],
    "crossrag": [*SEARCH, "translate passages", "compose", "generate", "read answer"],
    "drag": [*SEARCH, "compose", "generate", "parse sections"],
    "pivot": ["translate question", *SEARCH, "compose", "generate", "read answer", "translate answer"],
}


def traced(mode: str, fakes: FakeParts | None = None, state: State = QUESTION, **choices: Any) -> TracedState:
    chain = build_chain(make_recipe({"mode": mode, **choices}), (fakes or FakeParts()).parts)
    return Executor().run(chain, [state])[0]


@pytest.mark.parametrize("mode", [item.name for item in MODES])
def test_each_modes_stages_stand_in_the_papers_order(mode: str) -> None:
    chain = build_chain(make_recipe({"mode": mode}), FakeParts().parts)
    assert [stage.name for stage in chain.stages] == [*ORDER[mode], "detect language"]
    assert chain.name == mode


@pytest.mark.parametrize("mode", ["monorag", "multirag", "crossrag", "drag"])
def test_any_mode_that_searches_translates_the_question_first_where_the_recipe_does(mode: str) -> None:
    chain = build_chain(make_recipe({"mode": mode, "translate_question": True}), FakeParts().parts)
    assert [stage.name for stage in chain.stages] == ["translate question", *ORDER[mode], "detect language"]


@pytest.mark.parametrize("mode", [item.name for item in MODES])
@pytest.mark.parametrize("prompts", ["one", "four"])
def test_a_stage_changes_only_what_it_says_it_adds(mode: str, prompts: str) -> None:
    chain = build_chain(make_recipe({"mode": mode, "dialectic": {"prompts": prompts}}), FakeParts().parts)
    state = QUESTION
    for stage in chain.stages:
        (after,) = stage.run([state])
        changed = {item.name for item in fields(State) if getattr(after, item.name) != getattr(state, item.name)}
        assert changed <= set(stage.adds), stage.name
        state = after


@pytest.mark.parametrize("mode", [item.name for item in MODES])
@pytest.mark.parametrize("prompts", ["one", "four"])
def test_a_stage_depends_only_on_what_it_says_it_reads(mode: str, prompts: str) -> None:
    chain = build_chain(make_recipe({"mode": mode, "dialectic": {"prompts": prompts}}), FakeParts().parts)
    state = QUESTION
    for stage in chain.stages:
        (after,) = stage.run([state])
        (seen,) = stage.run([State(**{name: getattr(state, name) for name in {"question", "language", *stage.reads}})])
        for name in stage.adds:
            if name not in stage.reads or getattr(after, name) != getattr(state, name):
                assert getattr(seen, name) == getattr(after, name), (stage.name, name)
        state = after


@pytest.mark.parametrize("mode", [item.name for item in MODES if item.name != "baseline"])
def test_a_stage_reads_only_what_is_there_from_the_start_or_was_added_before_it(mode: str) -> None:
    available = {"question", "language", "scope"}
    optional = {"question_translation"}  # None where the question is not translated
    for stage in build_chain(make_recipe({"mode": mode}), FakeParts().parts).stages:
        assert set(stage.reads) - optional <= available, stage.name
        available.update(stage.adds)
    assert {"query", "ranking", "evidence", "prompt", "generation", "answer", "answer_language"} <= available


def test_the_search_is_the_part_of_a_chain_that_ends_with_the_evidence() -> None:
    components = FakeParts().parts
    for mode, names in ORDER.items():
        search = search_stages(make_recipe({"mode": mode}), components)
        assert [stage.name for stage in search] == names[: names.index("rerank") + 1 if "rerank" in names else 0]
    retrieve, rerank = search_stages(make_recipe({"mode": "monorag"}), components, candidates=2)
    assert isinstance(retrieve, Retrieve) and isinstance(rerank, Rerank)
    assert (retrieve.candidates, rerank.k) == (2, 2)


@pytest.mark.parametrize("mode", ["monorag", "multirag", "crossrag", "drag"])
def test_the_question_as_typed_searches(mode: str) -> None:
    fakes = FakeParts()
    traced(mode, fakes)
    (query,) = fakes.retriever.queries
    assert (query.text, query.language, query.languages) == ("Mikä?", "fi", SCOPE)


@pytest.mark.parametrize("mode", ["trag", "pivot"])
def test_the_translated_question_searches_in_english(mode: str) -> None:
    fakes = FakeParts()
    traced(mode, fakes)
    (query,) = fakes.retriever.queries
    assert (query.text, query.language) == ("[fi>en] Mikä?", "en")


def test_trag_answers_the_question_as_typed() -> None:
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


def test_crossrag_hands_over_titles_in_english() -> None:
    state = traced("crossrag").state
    assert [item.title for item in state.evidence] == ["[th>en] วิทยุ", "[fi>en] Radio", "Radio"]
    assert state.prompt is not None and "[1] [th>en] วิทยุ\n[th>en] มาร์โคนี" in state.prompt.user


def test_crossrag_keeps_a_title_that_cannot_be_translated_and_says_so() -> None:
    done = traced("crossrag", FakeParts(translator=FakeTranslator(fails_on="วิทยุ")))
    assert done.state.evidence[0].title == "วิทยุ" and done.state.evidence[0].language == "en"
    step = next(step for step in done.steps if step.name == "translate passages")
    assert step.facts == {"translated": "2 of 2", "titles as they were": "1"}


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
    assert fakes.retriever.queries == [] and state.evidence == () and state.answer == "answer to Mikä?"


def test_reranking_keeps_the_retrieved_ranking_and_orders_all_candidates() -> None:
    state = traced("multirag", k=1).state
    assert [hit.id for hit in state.ranking or ()] == ["a.en", "b.fi", "c.th"]
    assert [hit.id for hit in state.reranked or ()] == ["c.th", "b.fi", "a.en"]
    assert state.final_ranking == state.reranked
    assert [item.passage.id for item in state.evidence] == ["c.th"]


def test_without_a_reranker_there_is_one_ranking_and_its_key_is_as_it_was() -> None:
    parts = replace(FakeParts().parts, reranker=KeepOrder())
    chain = build_chain(make_recipe({"k": 2}), parts)
    (done,) = Executor().run(chain, [QUESTION])
    assert done.state.reranked is None and done.state.final_ranking == done.state.ranking
    assert [item.passage.id for item in done.state.evidence] == ["a.en", "b.fi"]
    assert chain.stages[1].identity == "rerank corpus=fake corpus k=2 reranker=pass"


def test_a_translated_title_changes_the_key_of_what_reads_it() -> None:
    (compose,) = bind([build_chain(make_recipe({"mode": "baseline"}), FakeParts().parts).stages[1]])
    prompt = Prompt("a", "b", Task("Mikä?", "fi", (Evidence(PASSAGES[0], 1),)))
    titled = replace(prompt.task.evidence[0], title_translation=Translation("t", "fi", "en", "model"))
    other = replace(prompt, task=replace(prompt.task, evidence=(titled,)))
    keys = {StepKeys().key(compose, replace(QUESTION, prompt=item)) for item in (prompt, other)}
    assert len(keys) == 2


def test_drags_answer_is_the_part_so_labelled() -> None:
    state = traced("drag", FakeParts(generator=FOUR_PARTS)).state
    assert state.answer == "d"
    assert state.sections is not None and state.sections.present == (
        "extraction",
        "explanation",
        "argumentation",
        "answer",
    )


def test_drag_may_take_four_prompts_each_with_the_earlier_parts() -> None:
    fakes = FakeParts(generator=FakeGenerator(text="marzipan"))
    state = traced("drag", fakes, dialectic={"prompts": "four"}).state
    assert len(fakes.generator.prompts) == 4
    assert "marzipan" in fakes.generator.prompts[1].user and "marzipan" not in fakes.generator.prompts[0].user
    assert state.answer == "marzipan"
    assert state.sections is not None and state.sections.extraction == "marzipan"


def test_drag_without_two_parts_asks_for_the_other_two() -> None:
    state = traced("drag", dialectic={"explanation": False, "argumentation": False}).state
    assert state.prompt is not None and state.prompt.task.dialectic == ("extraction", "answer")
