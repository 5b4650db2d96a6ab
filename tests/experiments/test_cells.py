"""Steps of many cells at once: each distinct one is run once, and what fails fails alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event

import pytest

from tests.pipeline.fakes import FakeGenerator, FakeParts, MemoryCache
from workbench.errors import GenerationFailed, WorkbenchError
from workbench.experiments.cells import Cell, Sharing, StoppedError, bind
from workbench.pipeline.chain import build_chain
from workbench.pipeline.state import State
from workbench.recipes.recipe import make_recipe
from workbench.records import Generation, Prompt

SCOPE = ("en", "fi", "th")
LAST = "detect language"


@dataclass
class Picky:
    """Answers all but the questions it is told to refuse."""

    refuses: tuple[str, ...] = ("Who?",)
    identity: str = "picky"
    error: type[Exception] = GenerationFailed
    batches: list[int] = field(default_factory=list)

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        self.batches.append(len(prompts))
        if any(prompt.task.question in self.refuses for prompt in prompts):
            raise self.error("It refuses.")
        return [Generation(f"answer to {prompt.task.question}") for prompt in prompts]


class Trying(Picky):
    """Tells each failure apart by itself, and stops when told to."""

    def attempt(self, prompts: Sequence[Prompt], stop: Event) -> list[Generation | WorkbenchError]:
        self.batches.append(len(prompts))
        made: list[Generation | WorkbenchError] = []
        for prompt in prompts:
            refused = prompt.task.question in self.refuses
            made.append(GenerationFailed("It refuses.") if refused else Generation(f"answer to {prompt.task.question}"))
        return made


def threads(fakes: FakeParts, modes: Sequence[str], questions: Sequence[str]) -> list[Cell]:
    begun = [State(question, "fi", SCOPE) for question in questions]
    lines = [bind(build_chain(make_recipe({"mode": mode}), fakes.parts).stages) for mode in modes]
    return [Cell(run, number, links, state) for number, state in enumerate(begun) for run, links in enumerate(lines)]


def test_two_modes_share_the_search_and_a_step_is_run_once() -> None:
    fakes = FakeParts()
    cells = threads(fakes, ["multirag", "crossrag", "drag"], ["Who?", "When?"])
    sharing = Sharing(MemoryCache())
    sharing.walk(cells, LAST)
    assert len(fakes.retriever.asked) == 2
    assert sharing.tally.run["retrieve"] == 2 and sharing.tally.run["compose"] == 6
    assert all(not cell.error and cell.waits_for == "" for cell in cells)


def test_modes_that_come_to_the_same_prompt_share_its_answer() -> None:
    fakes = FakeParts()
    begun = State("Who?", "en", ("en",))
    lines = [bind(build_chain(make_recipe({"mode": mode}), fakes.parts).stages) for mode in ("multirag", "crossrag")]
    cells = [Cell(run, 0, links, begun) for run, links in enumerate(lines)]
    Sharing(MemoryCache()).walk(cells, LAST)
    assert len(fakes.generator.asked) == 1  # all evidence is English, so there was nothing to translate
    assert cells[0].state.answer == cells[1].state.answer == "answer to Who?"


def test_each_distinct_step_is_seen_once() -> None:
    seen: list[tuple[str, str]] = []
    sharing = Sharing(MemoryCache(), on_key=lambda stage, key: seen.append((stage, key)))
    sharing.walk(threads(FakeParts(), ["multirag", "monorag"], ["Who?", "Who?"]), LAST)
    assert len(seen) == len(set(seen)) == sum(sharing.tally.run.values())


def test_a_batch_that_fails_is_run_again_one_by_one() -> None:
    picky = Picky()
    cells = threads(FakeParts(generator=picky), ["multirag"], ["Who?", "When?", "Where?"])  # type: ignore[arg-type]
    Sharing(MemoryCache()).walk(cells, LAST)
    assert [cell.error for cell in cells] == ["It refuses.", "", ""]
    assert [cell.state.answer for cell in cells[1:]] == ["answer to When?", "answer to Where?"]
    assert picky.batches == [3, 1, 1, 1]


def test_a_generator_that_tells_failures_apart_is_asked_once() -> None:
    trying = Trying()
    cells = threads(FakeParts(generator=trying), ["multirag"], ["Who?", "When?"])  # type: ignore[arg-type]
    Sharing(MemoryCache()).walk(cells, LAST)
    assert [cell.error for cell in cells] == ["It refuses.", ""]
    assert trying.batches == [2]


def test_what_a_library_raises_fails_its_cell_alone() -> None:
    picky = Picky(error=RuntimeError)
    cells = threads(FakeParts(generator=picky), ["multirag"], ["Who?", "When?"])  # type: ignore[arg-type]
    Sharing(MemoryCache()).walk(cells, LAST)
    assert [cell.error for cell in cells] == ["RuntimeError: It refuses.", ""]


def test_what_failed_in_one_phase_is_not_tried_again_in_the_next() -> None:
    picky = Picky()
    fakes = FakeParts(generator=picky)  # type: ignore[arg-type]
    sharing = Sharing(MemoryCache())
    sharing.walk(threads(fakes, ["multirag"], ["Who?"]), LAST)
    again = threads(fakes, ["multirag"], ["Who?"])
    sharing.walk(again, LAST)
    assert again[0].error == "It refuses."
    assert picky.batches == [1]


def test_a_failure_is_never_cached() -> None:
    cache = MemoryCache()
    Sharing(cache).walk(threads(FakeParts(generator=FakeGenerator(failures=1)), ["multirag"], ["Who?"]), LAST)
    cells = threads(FakeParts(), ["multirag"], ["Who?"])
    Sharing(cache).walk(cells, LAST)
    assert cells[0].state.answer == "answer to Who?"


def test_another_walk_takes_from_the_cache_what_the_first_one_stored() -> None:
    cache = MemoryCache()
    first = threads(FakeParts(), ["crossrag"], ["Who?", "When?"])
    Sharing(cache).walk(first, LAST)
    fakes = FakeParts()
    again = threads(fakes, ["crossrag"], ["Who?", "When?"])
    sharing = Sharing(cache)
    sharing.walk(again, LAST)
    assert fakes.retriever.asked == [] and fakes.generator.asked == []
    assert [cell.state for cell in again] == [cell.state for cell in first]


def test_seconds_are_those_of_when_a_step_was_made_shared_or_not() -> None:
    cache = MemoryCache()
    (first,) = threads(FakeParts(), ["multirag"], ["Who?"])
    Sharing(cache).walk([first], "generate")
    (again,) = threads(FakeParts(), ["multirag"], ["Who?"])
    Sharing(cache).walk([again], "rerank")
    assert 0 < again.seconds <= first.seconds


def test_once_asked_to_stop_no_step_is_begun() -> None:
    stop = Event()
    stop.set()
    fakes = FakeParts()
    with pytest.raises(StoppedError):
        Sharing(MemoryCache(), stop).walk(threads(fakes, ["multirag"], ["Who?"]), LAST)
    assert fakes.retriever.asked == []


def test_a_thread_with_an_error_takes_no_step() -> None:
    fakes = FakeParts()
    (cell,) = threads(fakes, ["multirag"], ["Who?"])
    cell.error = "The scope holds nothing."
    Sharing(MemoryCache()).walk([cell], LAST)
    assert fakes.retriever.asked == [] and cell.at == 0
