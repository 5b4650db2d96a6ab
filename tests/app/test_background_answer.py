"""A question that is answered in the background."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from tests.fakes import answer
from workbench.app.background_answer import GRACE, UNWATCHED, BackgroundAnswer, StreamObserver
from workbench.core.errors import GenerationFailed
from workbench.core.records import Answer, Generation
from workbench.pipeline.executor import OnStep

PATIENCE = 20.0


class Clock:
    """A clock that advances only when a test sets it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def begin(
    work: Callable[[OnStep, StreamObserver], Answer], clock: Callable[[], float] | None = None
) -> BackgroundAnswer[str]:
    return BackgroundAnswer("Who?", work, lambda error: f"explained: {error}", clock or Clock()).start()


def test_pieces_and_step_can_be_seen_while_it_is_answered() -> None:
    written, go_on = Event(), Event()

    def work(on_step: OnStep, observer: StreamObserver) -> Answer:
        on_step("generate", 4, 5)
        observer.on_piece("Mar")
        observer.on_piece("co")
        written.set()
        go_on.wait(PATIENCE)
        return answer()

    background = begin(work)
    written.wait(PATIENCE)
    progress = background.progress()
    assert (progress.state, progress.step, progress.text, progress.answer) == (
        "running",
        "Step 4 of 5: generate",
        "Marco",
        None,
    )
    go_on.set()
    background.wait(PATIENCE)
    assert background.progress().state == "answered"
    assert background.progress().answer == answer()


def test_stop_reaches_the_generator_and_its_part_answer_is_kept() -> None:
    def work(on_step: OnStep, observer: StreamObserver) -> Answer:
        observer.on_piece("Mar")
        observer.stop.wait(PATIENCE)
        return answer(text="Mar", generation=Generation("Mar", finish="stopped"))

    background = begin(work)
    background.stop()
    background.wait(PATIENCE)
    progress = background.progress()
    assert progress.answer is not None
    assert (progress.state, progress.answer.generation.finish, progress.text) == ("answered", "stopped", "Mar")


def test_what_does_not_heed_stop_is_left_after_the_grace_and_the_text_kept() -> None:
    clock, written, never = Clock(), Event(), Event()

    def work(on_step: OnStep, observer: StreamObserver) -> Answer:
        observer.on_piece("Mar")
        written.set()
        never.wait(PATIENCE)
        return answer()

    background = begin(work, clock)
    written.wait(PATIENCE)
    background.stop()
    assert background.progress().state == "running"
    clock.now += GRACE
    assert (background.progress().state, background.progress().text) == ("stopped", "Mar")
    never.set()
    background.wait(PATIENCE)


def test_stopped_before_a_word_came_no_later_step_begins() -> None:
    steps: list[str] = []
    searching, go_on = Event(), Event()

    def work(on_step: OnStep, observer: StreamObserver) -> Answer:
        for number, name in enumerate(("retrieve", "translate"), start=1):
            on_step(name, number, 2)
            steps.append(name)
            searching.set()
            go_on.wait(PATIENCE)
        return answer()

    background = begin(work)
    searching.wait(PATIENCE)
    background.stop()
    go_on.set()
    background.wait(PATIENCE)
    assert steps == ["retrieve"]
    assert background.progress().state == "stopped"


def test_a_failure_is_its_sentence_and_what_came_is_kept() -> None:
    def work(on_step: OnStep, observer: StreamObserver) -> Answer:
        observer.on_piece("Mar")
        raise GenerationFailed("It broke off.")

    background = begin(work)
    background.wait(PATIENCE)
    progress = background.progress()
    assert (progress.state, progress.text, progress.error) == ("failed", "Mar", "explained: It broke off.")


def test_a_call_that_fails_because_it_was_stopped_is_no_failure() -> None:
    def work(on_step: OnStep, observer: StreamObserver) -> Answer:
        observer.stop.wait(PATIENCE)
        raise GenerationFailed("It was stopped before it answered.")

    background = begin(work)
    background.stop()
    background.wait(PATIENCE)
    assert (background.progress().state, background.progress().error) == ("stopped", "")


def test_an_answer_that_nobody_looks_at_any_more_is_stopped() -> None:
    clock, time_is_up = Clock(), Event()

    def work(on_step: OnStep, observer: StreamObserver) -> Answer:
        observer.on_piece("Mar")
        assert not observer.stop.is_set()
        time_is_up.wait(PATIENCE)
        observer.on_piece("co")
        return answer(text="Marco", generation=Generation("Marco", finish="stopped" if observer.stop.is_set() else ""))

    background = begin(work, clock)
    clock.now += UNWATCHED + 1
    time_is_up.set()
    background.wait(PATIENCE)
    result = background.progress().answer
    assert result is not None
    assert result.generation.finish == "stopped"
