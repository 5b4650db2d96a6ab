"""An answer that was read from the cache is given again without reading it, until anything about it changes."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

import pytest

from workbench.app.background_answer import StreamObserver
from workbench.app.recent_answers import RecentAnswers
from workbench.app.workbench import Workbench
from workbench.core import JobStopped
from workbench.core.records import Answer, Evidence, Passage
from workbench.pipeline.recipe import Recipe, make_recipe
from workbench.workspace.cache import StepCache

QUESTION = "Which lake is deep?"
RECIPE: Recipe = make_recipe({"corpus": "lakes", "retriever": "lexical", "k": 2})


def add_lakes(bench: Workbench, depth: int) -> None:
    texts = (f"The lake Alpha is deep: {depth} metres.", "The lake Beta is not deep.")
    passages = [Passage(f"lake{number}", f"lake{number}", "", "en", text) for number, text in enumerate(texts)]
    bench.library.add("lakes", passages, source="test", licence="none")


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    """Over a corpus of two passages, whose answer has been computed."""
    add_lakes(workbench, 300)
    ask(workbench)
    return workbench


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the outputs that are read from the cache."""
    keys: list[str] = []
    get = StepCache.get

    def counted(cache: StepCache, wanted: Sequence[str]) -> dict[str, bytes]:
        keys.extend(wanted)
        return get(cache, wanted)

    monkeypatch.setattr(StepCache, "get", counted)
    return keys


def ask(bench: Workbench, recipe: Recipe = RECIPE) -> Answer:
    return bench.ask(QUESTION, "en", recipe)


def depths(answer: Answer) -> str:
    return "".join(filter(str.isdecimal, "".join(item.passage.text for item in answer.evidence)))


def content(answer: Answer) -> tuple[object, ...]:
    return answer.text, answer.evidence, answer.prompt, answer.generation, [step.key for step in answer.steps]


def test_what_was_read_once_is_given_again_as_it_was(bench: Workbench, readings: list[str]) -> None:
    read = ask(bench)
    assert readings
    readings.clear()
    assert content(ask(bench)) == content(read) and [step.cached for step in ask(bench).steps].count(True) == 4
    assert readings == []


def test_a_search_is_given_again_too(bench: Workbench, readings: list[str]) -> None:
    evidence = bench.search(QUESTION, "en", RECIPE)
    readings.clear()
    assert bench.search(QUESTION, "en", RECIPE) == evidence == ask(bench).evidence
    assert not set(readings) - {step.key for step in ask(bench).steps}


def test_a_corpus_that_changed_has_another_answer(bench: Workbench) -> None:
    assert {depths(ask(bench)) for _ in range(3)} == {"300"}
    add_lakes(bench, 400)
    assert {depths(ask(bench)) for _ in range(3)} == {"400"}


def test_another_recipe_language_or_question_has_its_own_answer(bench: Workbench) -> None:
    for _ in range(3):
        assert len(ask(bench).evidence) == 2
        assert len(ask(bench, RECIPE.with_(k=1)).evidence) == 1
        assert ask(bench, RECIPE.with_(prompt="reply-short-ul")).prompt != ask(bench).prompt
        assert bench.ask(QUESTION, "fi", RECIPE).prompt.task.language == "fi"
        assert bench.ask("Which lake is not deep?", "en", RECIPE).question == "Which lake is not deep?"


def test_what_is_dropped_from_the_cache_is_not_given_again(bench: Workbench) -> None:
    for _ in range(3):
        ask(bench)
    bench.cache.forget(["generate"])
    assert [step.name for step in ask(bench).steps if not step.cached] == ["compose", "generate", "read answer"]


def test_an_output_that_another_process_stored_anew_takes_the_place_of_the_kept_one(bench: Workbench) -> None:
    for _ in range(3):
        answer = ask(bench)
    (step,) = (step for step in answer.steps if step.name == "generate")
    (output,) = bench.cache.get([step.key]).values()
    bench.cache.drop([step.key])
    StepCache(bench.cache._engine).put("generate", {step.key: output.replace(b"Alpha", b"Omega")})
    assert "Alpha" in answer.generation.text
    assert ["Omega" in ask(bench).generation.text for _ in range(3)] == [True] * 3


def test_a_step_that_was_stored_while_it_was_read_is_not_kept(bench: Workbench, readings: list[str]) -> None:
    bench.cache.forget()
    ask(bench)  # computed and stored: what another process stored at the same time may be what others read
    readings.clear()
    ask(bench)
    assert readings


def test_without_the_cache_everything_is_computed(bench: Workbench) -> None:
    for _ in range(3):
        ask(bench)
    assert not any(step.cached for step in bench.ask(QUESTION, "en", RECIPE, cached=False).steps)


def test_an_observer_sees_the_evidence_of_what_is_given_again(bench: Workbench) -> None:
    seen: list[Sequence[Evidence]] = []
    for _ in range(3):
        bench.ask(QUESTION, "en", RECIPE, observer=StreamObserver(lambda _: None, on_evidence=seen.append))
    assert seen == [ask(bench).evidence] * 3


def test_a_question_that_was_stopped_is_not_given_again(bench: Workbench) -> None:
    for _ in range(3):
        ask(bench)
    stop = Event()
    stop.set()
    with pytest.raises(JobStopped):
        bench.ask(QUESTION, "en", RECIPE, stop=stop)


def test_of_many_answers_those_asked_for_last_are_kept(bench: Workbench, readings: list[str]) -> None:
    bench._recent = RecentAnswers(limit=5_000)  # two answers of some 2,100 characters
    recipes = [RECIPE.with_(candidates=count) for count in (10, 11, 12)]
    for recipe in recipes:
        ask(bench, recipe), ask(bench, recipe)
    counts = []
    for recipe in reversed(recipes):
        readings.clear()
        ask(bench, recipe)
        counts.append(len(readings))
    assert counts[:2] == [0, 0] and counts[2] > 0
