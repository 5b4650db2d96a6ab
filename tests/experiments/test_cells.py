"""Many cells at once: each distinct step is run once, and each cell fails by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event

import pytest

from tests.pipeline.fakes import FakeGenerator, FakeParts, MemoryCache
from workbench.core.errors import GenerationFailed, WorkbenchError
from workbench.core.records import Generation, Prompt
from workbench.core.stopping import JobStopped
from workbench.experiments.phases import derive_phases
from workbench.experiments.runner import Cell, advance
from workbench.pipeline.chain import build_chain
from workbench.pipeline.executor import Cache, Executor
from workbench.pipeline.recipe import make_recipe
from workbench.pipeline.stage import State, bind

SCOPE = ("en", "fi", "th")


@dataclass
class Picky(FakeGenerator):
    """Answers all but the questions that it refuses."""

    refuses: tuple[str, ...] = ("Who?",)
    identity: str = "picky"
    error: type[Exception] = GenerationFailed
    batches: list[int] = field(default_factory=list)

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        self.batches.append(len(prompts))
        if any(prompt.task.question in self.refuses for prompt in prompts):
            raise self.error("It refuses.")
        return [Generation(f"answer to {prompt.task.question}") for prompt in prompts]


class Isolating(Picky):
    """Reports the failure of each prompt by itself."""

    def attempt(self, prompts: Sequence[Prompt]) -> list[Generation | WorkbenchError]:
        self.batches.append(len(prompts))
        results: list[Generation | WorkbenchError] = []
        for prompt in prompts:
            refused = prompt.task.question in self.refuses
            results.append(
                GenerationFailed("It refuses.") if refused else Generation(f"answer to {prompt.task.question}")
            )
        return results


def cells_of(fakes: FakeParts, modes: Sequence[str], questions: Sequence[str]) -> list[Cell]:
    begun = [State(question, "fi", SCOPE) for question in questions]
    chains = [bind(build_chain(make_recipe({"mode": mode}), fakes.parts).stages) for mode in modes]
    return [Cell(run, number, stages, state) for number, state in enumerate(begun) for run, stages in enumerate(chains)]


def isolating(cache: Cache) -> Executor:
    return Executor(cache, "isolate")


def walk(executor: Executor, cells: Sequence[Cell], last: str = "detect language") -> None:
    """Takes cells up to and through the stage `last`."""
    (*_, phase) = derive_phases(cell.stages for cell in cells)
    advance(executor, cells, phase.stages[: phase.stages.index(last) + 1])


def test_two_modes_share_the_search_and_a_step_is_run_once() -> None:
    fakes = FakeParts()
    cells = cells_of(fakes, ["multirag", "crossrag", "drag"], ["Who?", "When?"])
    executor = isolating(MemoryCache())
    walk(executor, cells)
    assert len(fakes.retriever.queries) == 2
    assert executor.counts.ran["retrieve"] == 2 and executor.counts.ran["compose"] == 6
    assert all(not cell.error and cell.waits_for == "" for cell in cells)


def test_modes_that_come_to_the_same_prompt_share_its_answer() -> None:
    fakes = FakeParts()
    begun = State("Who?", "en", ("en",))
    chains = [bind(build_chain(make_recipe({"mode": mode}), fakes.parts).stages) for mode in ("multirag", "crossrag")]
    cells = [Cell(run, 0, stages, begun) for run, stages in enumerate(chains)]
    walk(isolating(MemoryCache()), cells)
    assert len(fakes.generator.prompts) == 1  # all evidence is English, so there was nothing to translate
    assert cells[0].state.answer == cells[1].state.answer == "answer to Who?"


def test_each_distinct_step_is_seen_once() -> None:
    seen: list[tuple[str, str]] = []
    executor = Executor(MemoryCache(), "isolate", on_key=lambda stage, key: seen.append((stage, key)))
    walk(executor, cells_of(FakeParts(), ["multirag", "monorag"], ["Who?", "Who?"]))
    assert len(seen) == len(set(seen)) == sum(executor.counts.ran.values())


def test_a_batch_that_fails_is_run_again_one_by_one() -> None:
    picky = Picky()
    cells = cells_of(FakeParts(generator=picky), ["multirag"], ["Who?", "When?", "Where?"])
    walk(isolating(MemoryCache()), cells)
    assert [cell.error for cell in cells] == ["It refuses.", "", ""]
    assert [cell.state.answer for cell in cells[1:]] == ["answer to When?", "answer to Where?"]
    assert picky.batches == [3, 1, 1, 1]


def test_a_generator_that_isolates_failures_is_called_once() -> None:
    generator = Isolating()
    cells = cells_of(FakeParts(generator=generator), ["multirag"], ["Who?", "When?"])
    walk(isolating(MemoryCache()), cells)
    assert [cell.error for cell in cells] == ["It refuses.", ""]
    assert generator.batches == [2]


def test_what_a_library_raises_fails_its_cell_alone() -> None:
    picky = Picky(error=RuntimeError)
    cells = cells_of(FakeParts(generator=picky), ["multirag"], ["Who?", "When?"])
    walk(isolating(MemoryCache()), cells)
    assert [cell.error for cell in cells] == ["RuntimeError: It refuses.", ""]


def test_what_failed_in_one_phase_is_not_tried_again_in_the_next() -> None:
    picky = Picky()
    fakes = FakeParts(generator=picky)
    executor = isolating(MemoryCache())
    walk(executor, cells_of(fakes, ["multirag"], ["Who?"]))
    again = cells_of(fakes, ["multirag"], ["Who?"])
    walk(executor, again)
    assert again[0].error == "It refuses."
    assert picky.batches == [1]


def test_a_failure_is_never_cached() -> None:
    cache = MemoryCache()
    walk(isolating(cache), cells_of(FakeParts(generator=FakeGenerator(failures=1)), ["multirag"], ["Who?"]))
    cells = cells_of(FakeParts(), ["multirag"], ["Who?"])
    walk(isolating(cache), cells)
    assert cells[0].state.answer == "answer to Who?"


def test_another_walk_takes_from_the_cache_what_the_first_one_stored() -> None:
    cache = MemoryCache()
    first = cells_of(FakeParts(), ["crossrag"], ["Who?", "When?"])
    walk(isolating(cache), first)
    fakes = FakeParts()
    again = cells_of(fakes, ["crossrag"], ["Who?", "When?"])
    executor = isolating(cache)
    walk(executor, again)
    assert fakes.retriever.queries == [] and fakes.generator.prompts == []
    assert [cell.state for cell in again] == [cell.state for cell in first]


def test_seconds_are_those_of_the_first_run_of_a_step_shared_or_not() -> None:
    cache = MemoryCache()
    (first,) = cells_of(FakeParts(), ["multirag"], ["Who?"])
    walk(isolating(cache), [first], "generate")
    (again,) = cells_of(FakeParts(), ["multirag"], ["Who?"])
    walk(isolating(cache), [again], "rerank")
    assert 0 < again.seconds <= first.seconds


def test_once_stopped_no_step_begins() -> None:
    stop = Event()
    stop.set()
    fakes = FakeParts()
    with pytest.raises(JobStopped):
        walk(Executor(MemoryCache(), "isolate", stop), cells_of(fakes, ["multirag"], ["Who?"]))
    assert fakes.retriever.queries == []


def test_a_cell_with_an_error_takes_no_step() -> None:
    fakes = FakeParts()
    (cell,) = cells_of(fakes, ["multirag"], ["Who?"])
    cell.error = "The scope holds nothing."
    walk(isolating(MemoryCache()), [cell])
    assert fakes.retriever.queries == [] and cell.at == 0
