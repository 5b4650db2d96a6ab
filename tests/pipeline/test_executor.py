"""The executor: times, traces and caches stages, and passes on or isolates what they raise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from threading import Event
from typing import Any

import pytest

from tests.pipeline.fakes import FakeGenerator, FakeParts, FakeRetriever, FakeTranslator, MemoryCache
from workbench.core.errors import GenerationFailed
from workbench.core.records import Translation
from workbench.core.stopping import JobStopped
from workbench.pipeline.chain import build_chain
from workbench.pipeline.choices import MODES
from workbench.pipeline.executor import (
    Cache,
    Executor,
    NoCache,
    OnError,
    OnStep,
    StepKeys,
    TracedState,
    ignore_progress,
)
from workbench.pipeline.recipe import Recipe, make_recipe
from workbench.pipeline.stage import BatchStage, Chain, Facts, State, bind

SCOPE = ("en", "fi", "th")
WHO = State("Who?", "en", SCOPE)
WHEN = State("When?", "en", SCOPE)


def recipe(**choices: Any) -> Recipe:
    return make_recipe({"mode": "multirag", **choices})


def run(chain: Chain, states: Sequence[State], cache: Cache, on_step: OnStep = ignore_progress) -> list[TracedState]:
    return Executor(cache).run(chain, states, on_step)


def test_equal_steps_of_a_batch_run_once() -> None:
    fakes = FakeParts()
    done = run(build_chain(recipe(), fakes.parts), [WHO, WHO, WHEN, WHO], NoCache())
    assert [query.text for query in fakes.retriever.queries] == ["Who?", "When?"]
    assert fakes.retriever.batches == 1
    assert len(fakes.generator.prompts) == 2
    assert [item.state.answer for item in done] == [f"answer to {word}?" for word in ("Who", "Who", "When", "Who")]


def test_a_second_time_everything_comes_from_the_cache_and_is_the_same() -> None:
    cache = MemoryCache()
    first = run(build_chain(recipe(), FakeParts().parts), [WHO, WHEN], cache)
    again = FakeParts()
    second = run(build_chain(recipe(), again.parts), [WHO, WHEN], cache)
    assert [item.state for item in second] == [item.state for item in first]
    assert again.retriever.queries == [] and again.generator.prompts == []
    assert all(not step.cached for step in first[0].steps)
    assert all(step.cached == (step.name not in ("compose", "read answer")) for item in second for step in item.steps)


@pytest.mark.parametrize("mode", [item.name for item in MODES])
def test_in_every_mode_what_is_read_from_the_cache_equals_the_first_output(mode: str) -> None:
    cache = MemoryCache()
    state = State("Mikä?", "fi", () if mode == "baseline" else SCOPE)
    fakes = FakeParts(generator=FakeGenerator(text="#Extraction a #Explanation b #Dialectic Argumentation c #Answer d"))
    chain = build_chain(recipe(mode=mode), fakes.parts)
    (first,), (second,) = run(chain, [state], cache), run(chain, [state], cache)
    for item in fields(State):
        assert getattr(first.state, item.name) == getattr(second.state, item.name), item.name
    assert [step.facts for step in first.steps] == [step.facts for step in second.steps]


@pytest.mark.parametrize("mode", [item.name for item in MODES])
def test_keys_are_the_same_with_stored_digests_and_with_values_digested_anew(mode: str) -> None:
    cache, state = MemoryCache(), replace(WHO, scope=() if mode == "baseline" else SCOPE)
    chain = build_chain(recipe(mode=mode), FakeParts().parts)
    (run_first,), (stored,) = run(chain, [state], cache), run(chain, [state], cache)
    cache.outputs = {key: _without_digests(output) for key, output in cache.outputs.items()}
    (digested,) = run(chain, [state], cache)
    (not_kept,) = run(chain, [state], NoCache())
    keys = [step.key for step in run_first.steps]
    assert all([step.key for step in item.steps] == keys for item in (stored, digested, not_kept))
    assert [step.cached for step in digested.steps] == [step.cached for step in stored.steps]


def _without_digests(output: bytes) -> bytes:
    return json.dumps({name: value for name, value in json.loads(output).items() if name != "digests"}).encode()


def test_only_what_is_missing_is_run() -> None:
    cache, fakes = MemoryCache(), FakeParts()
    chain = build_chain(recipe(), fakes.parts)
    run(chain, [WHO], cache)
    done = run(chain, [WHEN, WHO], cache)
    assert [query.text for query in fakes.retriever.queries] == ["Who?", "When?"]
    assert [item.steps[0].cached for item in done] == [False, True]


def test_an_error_is_raised_and_never_cached_while_earlier_steps_are() -> None:
    cache = MemoryCache()
    fakes = FakeParts(generator=FakeGenerator(failures=1))
    chain = build_chain(recipe(), fakes.parts)
    with pytest.raises(GenerationFailed):
        run(chain, [WHO], cache)
    assert cache.stages == ["retrieve", "rerank"]
    (done,) = run(chain, [WHO], cache)
    assert done.state.answer == "answer to Who?"
    assert [step.cached for step in done.steps] == [True, True, False, False, False, False]


def test_another_prompt_uses_the_same_retrieval() -> None:
    cache, fakes = MemoryCache(), FakeParts()
    run(build_chain(recipe(prompt="reply-short-en"), fakes.parts), [WHO], cache)
    (done,) = run(build_chain(recipe(prompt="reply-short-in-ul-ul"), fakes.parts), [WHO], cache)
    cached = {step.name: step.cached for step in done.steps}
    assert cached["retrieve"] and cached["rerank"] and not cached["compose"] and not cached["generate"]
    assert len(fakes.retriever.queries) == 1


@pytest.mark.parametrize(
    ("changed", "first_fresh", "from_cache"),
    [
        (FakeParts(retriever=FakeRetriever(identity="another retriever")), "retrieve", []),
        (FakeParts(generator=FakeGenerator(identity="another generator")), "generate", ["retrieve", "rerank"]),
    ],
)
def test_another_component_does_not_get_the_old_ones_results(
    changed: FakeParts, first_fresh: str, from_cache: list[str]
) -> None:
    cache = MemoryCache()
    run(build_chain(recipe(), FakeParts().parts), [WHO], cache)
    (done,) = run(build_chain(recipe(), changed.parts), [WHO], cache)
    cached = {step.name: step.cached for step in done.steps}
    assert all(cached[name] for name in from_cache) and not cached[first_fresh]


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
    assert len(fakes.retriever.queries) == 3


def test_each_stage_is_announced_with_its_number() -> None:
    progress: list[tuple[str, int, int]] = []
    run(build_chain(recipe(), FakeParts().parts), [WHO], NoCache(), lambda *step: progress.append(step))
    assert progress == [(name, number, len(STEPS)) for number, name in enumerate(STEPS, start=1)]


STEPS = ["retrieve", "rerank", "compose", "generate", "read answer", "detect language"]


def test_steps_name_their_component_and_take_no_negative_time() -> None:
    (done,) = run(build_chain(recipe(), FakeParts().parts), [WHO], NoCache())
    assert [step.name for step in done.steps] == STEPS
    assert "fake retriever" in done.steps[0].component and done.steps[3].component == "fake generator"
    assert all(step.seconds >= 0 for step in done.steps)


def test_no_questions_give_no_answers() -> None:
    assert run(build_chain(recipe(), FakeParts().parts), [], NoCache()) == []


@dataclass
class Upper(BatchStage):
    """A stage that answers with the question in capitals; fails for the questions that it refuses."""

    refuses: tuple[str, ...] = ()
    cacheable: bool = True
    error: type[Exception] = GenerationFailed
    name: str = "upper"
    identity: str = "upper 1"
    reads: tuple[str, ...] = ("question",)
    adds: tuple[str, ...] = ("answer",)
    batches: list[int] = field(default_factory=list)

    def run(self, states: Sequence[State]) -> list[State]:
        self.batches.append(len(states))
        if any(state.question in self.refuses for state in states):
            raise self.error("It refuses.")
        return [replace(state, answer=state.question.upper()) for state in states]

    def facts(self, state: State) -> Facts:
        return ()


def test_what_a_stage_raises_is_passed_on() -> None:
    upper = Upper(refuses=("Who?",))
    with pytest.raises(GenerationFailed, match="It refuses"):
        Executor().run(Chain((upper,)), [WHO, WHEN])
    assert upper.batches == [2]


def test_isolated_states_fail_one_by_one_and_take_no_more_steps() -> None:
    upper, after = Upper(refuses=("Who?",)), Upper(name="after", identity="after 1")
    failed, done = Executor(on_error="isolate").run(Chain((upper, after)), [WHO, WHEN])
    assert (failed.failure, failed.state, failed.steps) == ("It refuses.", WHO, ())
    assert (done.failure, done.state.answer, len(done.steps)) == ("", "WHEN?", 2)
    assert upper.batches == [2, 1, 1] and after.batches == [1]


def test_equal_states_fail_together_once_and_are_not_tried_again() -> None:
    upper = Upper(refuses=("Who?",))
    executor = Executor(on_error="isolate")
    for _ in range(2):
        assert [item.failure for item in executor.run(Chain((upper,)), [WHO, WHO])] == ["It refuses."] * 2
    assert upper.batches == [1]
    assert executor.counts.failed["upper"] == 1


def test_what_a_library_raises_fails_its_state_with_its_name() -> None:
    upper = Upper(refuses=("Who?",), error=RuntimeError)
    (item,) = Executor(on_error="isolate").run(Chain((upper,)), [WHO])
    assert item.failure == "RuntimeError: It refuses."


@pytest.mark.parametrize("on_error", ["raise", "isolate"])
@pytest.mark.parametrize("cacheable", [True, False])
def test_only_cacheable_steps_are_cached_whatever_happens_to_errors(on_error: OnError, cacheable: bool) -> None:
    cache, upper = MemoryCache(), Upper(cacheable=cacheable)
    first, again = (Executor(cache, on_error) for _ in range(2))
    first.run(Chain((upper,)), [WHO])
    (done,) = again.run(Chain((upper,)), [WHO])
    assert len(cache.outputs) == int(cacheable)
    assert done.steps[0].cached == cacheable and done.state.answer == "WHO?"
    assert upper.batches == ([1] if cacheable else [1, 1])
    assert (again.counts.ran["upper"], again.counts.from_cache["upper"]) == ((0, 1) if cacheable else (1, 0))


@pytest.mark.parametrize("on_error", ["raise", "isolate"])
def test_a_step_is_stored_before_the_next_ones_are_run(on_error: OnError, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.pipeline.executor.STEPS_AT_ONCE", 1)
    cache, stop = MemoryCache(), Event()
    upper = Upper()

    def stop_at_once(_stage: str, _key: str) -> None:
        stop.set()

    executor = Executor(cache, on_error, stop)
    executor.run(Chain((upper,)), [WHO])
    executor.on_key = stop_at_once
    with pytest.raises(JobStopped):
        executor.run(Chain((upper,)), [WHEN])
    assert len(cache.outputs) == 1 and upper.batches == [1]


@dataclass
class StoppedWithin(Upper):
    """A stage within which somebody stops the work; `fails` for what comes of it, else a part is missing."""

    stop: Event = field(default_factory=Event)
    fails: bool = False

    def run(self, states: Sequence[State]) -> list[State]:
        self.stop.set()
        if self.fails:
            raise GenerationFailed("It was stopped.")
        return super().run(states)


@pytest.mark.parametrize("on_error", ["raise", "isolate"])
@pytest.mark.parametrize("fails", [True, False])
def test_what_was_stopped_within_a_stage_is_neither_its_failure_nor_its_result(fails: bool, on_error: OnError) -> None:
    cache, stop = MemoryCache(), Event()
    with pytest.raises(JobStopped):
        Executor(cache, on_error, stop).run(Chain((StoppedWithin(stop=stop, fails=fails), Upper())), [WHO])
    assert cache.outputs == {}


@dataclass
class LastTranslation(FakeTranslator):
    """Stops the work with its first text."""

    stop: Event = field(default_factory=Event)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        self.stop.set()
        return super().translate(texts, source, target)


@pytest.mark.parametrize("on_error", ["raise", "isolate"])
def test_a_translator_is_sent_no_further_passage_once_the_work_is_stopped(on_error: OnError) -> None:
    stop = Event()
    fakes = FakeParts(translator=LastTranslation(stop=stop))
    with pytest.raises(JobStopped):
        Executor(on_error=on_error, stop=stop).run(build_chain(recipe(mode="crossrag"), fakes.parts), [WHO])
    assert len(fakes.translator.texts) == 1 and fakes.generator.prompts == []


def test_a_state_that_cells_share_is_merged_once() -> None:
    (stage,) = bind([Upper()])
    first, second, other = Executor().step(stage, [WHO, WHO, WHEN])
    assert first.state is second.state and first.state is not other.state


@pytest.mark.parametrize("damaged", [b"", b"no JSON", b'{"answer": 3}', b"[]"])
def test_a_damaged_output_in_the_cache_is_computed_again(damaged: bytes) -> None:
    cache = MemoryCache()
    first = run(build_chain(recipe(), FakeParts().parts), [WHO], cache)
    sound = dict(cache.outputs)
    cache.outputs = dict.fromkeys(sound, damaged)
    again = run(build_chain(recipe(), FakeParts().parts), [WHO], cache)
    assert [item.state for item in again] == [item.state for item in first]
    assert cache.outputs.keys() == sound.keys() and damaged not in cache.outputs.values()


def test_a_stage_that_reads_what_has_no_fingerprint_is_refused_rather_than_cached_wrongly() -> None:
    (stage,) = bind(build_chain(recipe(mode="baseline"), FakeParts().parts).stages[:1])
    with pytest.raises(TypeError, match="A stage reads a set, which has no fingerprint"):
        StepKeys().key(stage, replace(WHO, question={"Who?"}))  # type: ignore[arg-type]
