"""Processes that answer: a death costs one error for each answer begun. A small recipe stands for a real one."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import pytest

from tests.coroutines import in_loop
from tests.server.running import LONGEST
from workbench.app.workbench import Workbench
from workbench.pipeline.recipe import make_recipe
from workbench.server.answer_run import (
    AnswerRun,
    Finished,
    LogFailure,
    Order,
    PieceWritten,
    Report,
    RunEvent,
    ServedRecipe,
)
from workbench.server.api_errors import ApiError
from workbench.server.worker_pool import WorkerPool
from workbench.server.worker_processes import ProcessCrew
from workbench.workspace import settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process answers")
Result = TypeVar("Result")


@dataclass(frozen=True)
class SmallRecipe(ServedRecipe):
    """Answers with the number of its process."""

    def load(self) -> None:
        return None

    def warm_up(self) -> None:
        return None

    def carry_out(self, order: Order, stop: Event, report: Report, log_failure: LogFailure) -> None:
        report(PieceWritten(str(os.getpid())))
        if order.text == "wait":
            assert stop.wait(LONGEST)
            return
        report(Finished({"answer": str(os.getpid())}))


class Service:
    """A crew in the running loop, with its pool."""

    def __init__(self, crew: ProcessCrew, queue: int) -> None:
        self.crew = crew
        self.pool = WorkerPool(queue, crew.capacity, crew.begin)
        crew.open(self.pool.fill)

    def events(self, text: str) -> AsyncGenerator[RunEvent]:
        async def receive() -> dict[str, object]:
            await asyncio.Event().wait()
            raise AssertionError

        run = AnswerRun(self.crew._served, Order(text, "en", streams=True), print, lambda _usage: None)
        return run.events(self.pool, receive, LONGEST)

    async def answer(self, text: str = "who") -> str:
        async with aclosing(self.events(text)) as events:
            async for event in events:
                if isinstance(event, Finished):
                    return str(event.reply["answer"])
        raise AssertionError

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(LONGEST):
            while not condition():
                await asyncio.sleep(0.01)


@contextmanager
def crew_at_work(home: Path, count: int, workers: int) -> Iterator[ProcessCrew]:
    served = SmallRecipe(Workbench(settings.load(home)), make_recipe({}), "small")
    crew = ProcessCrew(served, count, workers, print)
    with crew.at_work():
        yield crew


def with_service(crew: ProcessCrew, act: Callable[[Service], Coroutine[Any, Any, Result]], queue: int = 99) -> Result:
    async def run() -> Result:
        return await act(Service(crew, queue))

    return in_loop(run())


def test_a_process_that_is_killed_costs_what_had_begun_one_error_and_is_replaced(tmp_path: Path) -> None:
    async def kill_and_go_on(service: Service) -> None:
        assert len({await service.answer() for _ in range(9)}) == 1  # an idle service: always the first
        for _ in range(3):
            begun = [service.events("wait") for _ in range(2)]
            pieces = [await anext(events) for events in begun]
            victim, other = (int(piece.text) for piece in pieces if isinstance(piece, PieceWritten))
            assert victim != other
            waiting = [asyncio.ensure_future(service.answer()) for _ in range(20)]
            await service.until(lambda: service.pool.waiting == 20)
            os.kill(victim, signal.SIGKILL)
            with pytest.raises(ApiError) as failure:
                await anext(begun[0])
            assert (failure.value.status, failure.value.code) == (503, "worker_ended")
            replies = set(await asyncio.gather(*waiting))
            assert str(victim) not in replies and len(replies) == 1
            await begun[1].aclose()  # which stops it
            await service.until(lambda: (service.pool.running, service.pool.capacity()) == (0, 2))

    with crew_at_work(tmp_path, 2, 2) as crew:
        with_service(crew, kill_and_go_on)


def test_processes_end_with_the_service(tmp_path: Path) -> None:
    with crew_at_work(tmp_path, 2, 4) as crew:
        process = int(with_service(crew, lambda service: service.answer()))
    until = time.monotonic() + LONGEST
    while is_running(process) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_running(process)


def is_running(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False
