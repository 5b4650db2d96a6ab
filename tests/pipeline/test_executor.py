"""The engine: times, traces and caches stages that know nothing of it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from tests.pipeline.fakes import FakeGenerator, FakeParts, FakeRetriever, MemoryCache
from workbench.errors import GenerationFailed
from workbench.pipeline.chain import build_chain
from workbench.pipeline.executor import NoCache, run
from workbench.pipeline.state import State
from workbench.recipes.mode import MODES
from workbench.recipes.recipe import Recipe, make_recipe

SCOPE = ("en", "fi", "th")
WHO = State("Who?", "en", SCOPE)
WHEN = State("When?", "en", SCOPE)


def recipe(**choices: Any) -> Recipe:
    return make_recipe({"mode": "multirag", **choices})


def test_equal_steps_of_a_batch_run_once() -> None:
    fakes = FakeParts()
    done = run(build_chain(recipe(), fakes.parts), [WHO, WHO, WHEN, WHO], NoCache())
    assert [query.text for query in fakes.retriever.asked] == ["Who?", "When?"]
    assert fakes.retriever.batches == 1
    assert len(fakes.generator.asked) == 2
    assert [item.state.answer for item in done] == [f"answer to {word}?" for word in ("Who", "Who", "When", "Who")]


def test_a_second_time_everything_comes_from_the_cache_and_is_the_same() -> None:
    cache = MemoryCache()
    first = run(build_chain(recipe(), FakeParts().parts), [WHO, WHEN], cache)
    again = FakeParts()
    second = run(build_chain(recipe(), again.parts), [WHO, WHEN], cache)
    assert [item.state for item in second] == [item.state for item in first]
    assert again.retriever.asked == [] and again.generator.asked == []
    assert all(not step.cached for step in first[0].steps)
    assert all(step.cached for item in second for step in item.steps)


@pytest.mark.parametrize("mode", [item.name for item in MODES])
def test_in_every_mode_what_comes_from_the_cache_is_what_was_made(mode: str) -> None:
    cache = MemoryCache()
    state = State("Mikä?", "fi", () if mode == "baseline" else SCOPE)
    fakes = FakeParts(generator=FakeGenerator(text="#Extraction a #Explanation b #Dialectic Argumentation c #Answer d"))
    chain = build_chain(recipe(mode=mode), fakes.parts)
    (first,), (second,) = run(chain, [state], cache), run(chain, [state], cache)
    for item in fields(State):
        assert getattr(first.state, item.name) == getattr(second.state, item.name), item.name
    assert [step.facts for step in first.steps] == [step.facts for step in second.steps]


def test_only_what_is_missing_is_run() -> None:
    cache, fakes = MemoryCache(), FakeParts()
    chain = build_chain(recipe(), fakes.parts)
    run(chain, [WHO], cache)
    done = run(chain, [WHEN, WHO], cache)
    assert [query.text for query in fakes.retriever.asked] == ["Who?", "When?"]
    assert [item.steps[0].cached for item in done] == [False, True]


def test_an_error_is_raised_and_never_cached_while_earlier_steps_are() -> None:
    cache = MemoryCache()
    fakes = FakeParts(generator=FakeGenerator(failures=1))
    chain = build_chain(recipe(), fakes.parts)
    with pytest.raises(GenerationFailed):
        run(chain, [WHO], cache)
    assert cache.stages == ["retrieve", "rerank", "compose"]
    (done,) = run(chain, [WHO], cache)
    assert done.state.answer == "answer to Who?"
    assert [step.cached for step in done.steps] == [True, True, True, False, False]


def test_another_prompt_uses_the_same_retrieval() -> None:
    cache, fakes = MemoryCache(), FakeParts()
    run(build_chain(recipe(prompt="reply-short-en"), fakes.parts), [WHO], cache)
    (done,) = run(build_chain(recipe(prompt="reply-short-in-ul-ul"), fakes.parts), [WHO], cache)
    cached = {step.name: step.cached for step in done.steps}
    assert cached["retrieve"] and cached["rerank"] and not cached["compose"] and not cached["generate"]
    assert len(fakes.retriever.asked) == 1


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        (FakeParts(retriever=FakeRetriever(identity="another retriever")), []),
        (FakeParts(generator=FakeGenerator(identity="another generator")), ["retrieve", "rerank", "compose"]),
    ],
)
def test_another_component_does_not_get_the_old_ones_results(changed: FakeParts, kept: list[str]) -> None:
    cache = MemoryCache()
    run(build_chain(recipe(), FakeParts().parts), [WHO], cache)
    (done,) = run(build_chain(recipe(), changed.parts), [WHO], cache)
    assert [step.name for step in done.steps if step.cached][: len(kept)] == kept
    assert done.steps[len(kept)].cached is False


@pytest.mark.parametrize("choices", [{"k": 1}, {"candidates": 2}])
def test_another_number_of_passages_is_another_step(choices: dict[str, int]) -> None:
    cache = MemoryCache()
    run(build_chain(recipe(), FakeParts().parts), [WHO], cache)
    (done,) = run(build_chain(recipe(**choices), FakeParts().parts), [WHO], cache)
    assert len(done.state.evidence) == next(iter(choices.values()))


def test_another_scope_or_language_is_another_step() -> None:
    cache, fakes = MemoryCache(), FakeParts()
    chain = build_chain(recipe(), fakes.parts)
    for state in (WHO, State("Who?", "fi", SCOPE), State("Who?", "en", ("en",))):
        run(chain, [state], cache)
    assert len(fakes.retriever.asked) == 3


def test_each_stage_is_announced_with_its_number() -> None:
    said: list[tuple[str, int, int]] = []
    run(build_chain(recipe(), FakeParts().parts), [WHO], NoCache(), lambda *step: said.append(step))
    assert said == [(name, number, 5) for number, name in enumerate(STEPS, start=1)]


STEPS = ["retrieve", "rerank", "compose", "generate", "detect language"]


def test_steps_name_their_component_and_take_no_negative_time() -> None:
    (done,) = run(build_chain(recipe(), FakeParts().parts), [WHO], NoCache())
    assert [step.name for step in done.steps] == STEPS
    assert "fake retriever" in done.steps[0].component and done.steps[3].component == "fake generator"
    assert all(step.seconds >= 0 for step in done.steps)


def test_no_questions_give_no_answers() -> None:
    assert run(build_chain(recipe(), FakeParts().parts), [], NoCache()) == []
