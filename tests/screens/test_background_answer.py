"""A question under way in the background."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from tests.fakes import answer
from workbench.errors import GenerationFailed
from workbench.pipeline.executor import OnStep
from workbench.records import Answer, Generation
from workbench.ui.ask.ask_url import Choice
from workbench.ui.ask.background_answer import GRACE, UNWATCHED, Asking
from workbench.workspace.answer_stream import StreamObserver

PATIENCE = 20.0


class Clock:
    """A clock that goes only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def asking(work: Callable[[OnStep, StreamObserver], Answer], clock: Callable[[], float] | None = None) -> Asking:
    return Asking(Choice("Who?"), work, lambda error: f"explained: {error}", clock or Clock()).start()


def test_pieces_and_step_can_be_seen_while_it_is_answered() -> None:
    written, go_on = Event(), Event()

    def work(on_step: OnStep, watched: StreamObserver) -> Answer:
        on_step("generate", 4, 5)
        watched.on_piece("Mar")
        watched.on_piece("co")
        written.set()
        go_on.wait(PATIENCE)
        return answer()

    held = asking(work)
    written.wait(PATIENCE)
    look = held.look()
    assert (look.state, look.step, look.text, look.answer) == ("running", "Step 4 of 5: generate", "Marco", None)
    go_on.set()
    held.wait(PATIENCE)
    assert held.look().state == "answered"
    assert held.look().answer == answer()


def test_stop_reaches_the_generator_and_its_part_answer_is_kept() -> None:
    def work(on_step: OnStep, watched: StreamObserver) -> Answer:
        watched.on_piece("Mar")
        watched.stop.wait(PATIENCE)
        return answer(text="Mar", generation=Generation("Mar", finish="stopped"))

    held = asking(work)
    held.stop()
    held.wait(PATIENCE)
    look = held.look()
    assert look.answer is not None
    assert (look.state, look.answer.generation.finish, look.text) == ("answered", "stopped", "Mar")


def test_what_does_not_heed_stop_is_left_after_the_grace_and_the_text_kept() -> None:
    clock, written, never = Clock(), Event(), Event()

    def work(on_step: OnStep, watched: StreamObserver) -> Answer:
        watched.on_piece("Mar")
        written.set()
        never.wait(PATIENCE)
        return answer()

    held = asking(work, clock)
    written.wait(PATIENCE)
    held.stop()
    assert held.look().state == "running"
    clock.now += GRACE
    assert (held.look().state, held.look().text) == ("stopped", "Mar")
    never.set()
    held.wait(PATIENCE)


def test_stopped_before_a_word_came_no_later_step_begins() -> None:
    begun: list[str] = []
    searching, go_on = Event(), Event()

    def work(on_step: OnStep, watched: StreamObserver) -> Answer:
        for number, name in enumerate(("retrieve", "translate"), start=1):
            on_step(name, number, 2)
            begun.append(name)
            searching.set()
            go_on.wait(PATIENCE)
        return answer()

    held = asking(work)
    searching.wait(PATIENCE)
    held.stop()
    go_on.set()
    held.wait(PATIENCE)
    assert begun == ["retrieve"]
    assert held.look().state == "stopped"


def test_a_failure_is_its_sentence_and_what_came_is_kept() -> None:
    def work(on_step: OnStep, watched: StreamObserver) -> Answer:
        watched.on_piece("Mar")
        raise GenerationFailed("It broke off.")

    held = asking(work)
    held.wait(PATIENCE)
    look = held.look()
    assert (look.state, look.text, look.sentence) == ("failed", "Mar", "explained: It broke off.")


def test_a_call_that_fails_because_it_was_stopped_is_no_failure() -> None:
    def work(on_step: OnStep, watched: StreamObserver) -> Answer:
        watched.stop.wait(PATIENCE)
        raise GenerationFailed("It was stopped before it answered.")

    held = asking(work)
    held.stop()
    held.wait(PATIENCE)
    assert (held.look().state, held.look().sentence) == ("stopped", "")


def test_an_answer_that_nobody_looks_at_any_more_is_stopped() -> None:
    clock, looked = Clock(), Event()

    def work(on_step: OnStep, watched: StreamObserver) -> Answer:
        watched.on_piece("Mar")
        assert not watched.stop.is_set()
        looked.wait(PATIENCE)
        watched.on_piece("co")
        return answer(text="Marco", generation=Generation("Marco", finish="stopped" if watched.stop.is_set() else ""))

    held = asking(work, clock)
    clock.now += UNWATCHED + 1
    looked.set()
    held.wait(PATIENCE)
    made = held.look().answer
    assert made is not None
    assert made.generation.finish == "stopped"
