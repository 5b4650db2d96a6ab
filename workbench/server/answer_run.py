"""One answer on its way: a worker's thread writes it, the event loop passes it on, and both ends can stop it.

A client that hangs up, and a request that takes too long, set the stop event: a call of a language model ends within a
second, and no further step begins.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from workbench.core import Answer, Evidence, Generation, JobStopped, Usage, WorkbenchError
from workbench.server.api_errors import UNEXPECTED, ApiError, api_error
from workbench.server.served_recipe import ServedQuestion, ServedRecipe
from workbench.server.worker_pool import WorkerPool, in_loop
from workbench.workspace import carried

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
QUIET_SECONDS = 10.0
"""After this long without news a stream is sent a comment, so that nobody in between takes it for dead."""


class HungUp(Exception):
    """The client is gone."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """Nothing new came for a while."""


@dataclass(frozen=True, slots=True)
class EvidenceReady:
    """The evidence, before the answer."""

    evidence: Sequence[Evidence]


@dataclass(frozen=True, slots=True)
class PieceWritten:
    """A piece of what the generator writes."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """All of it: an answer, or for a search the evidence alone."""

    question: ServedQuestion
    result: Answer | tuple[Evidence, ...]
    seconds: float


RunEvent = Quiet | EvidenceReady | PieceWritten | Finished


@dataclass
class AnswerRun:
    """One request in the pool.

    `log_failure` is given what nobody expected, in the worker's thread; `count_tokens` what each call of the generator
    used, in the event loop's, whether or not the client is still there.
    """

    served: ServedRecipe
    text: str
    language: str | None
    log_failure: Callable[[BaseException], object]
    count_tokens: Callable[[Usage], object]
    searches_only: bool = False
    stop: Event = field(default_factory=Event)
    _began: float = field(default_factory=time.perf_counter)
    _news: asyncio.Queue[RunEvent | ApiError] = field(default_factory=asyncio.Queue)

    async def events(self, pool: WorkerPool, receive: Receive, seconds: float) -> AsyncGenerator[RunEvent, None]:
        """What happens, the last event being `Finished`; leaving the loop stops the work.

        Raises ApiError where there is no answer (429 and 504 among them), HungUp once the client is gone.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        withdraw = pool.submit(carried(lambda: self._work(loop)))
        # The loop's own alarm: a client that reads slowly keeps this generator from looking at the clock.
        alarm = loop.call_at(deadline, self.stop.set)
        gone = asyncio.ensure_future(_hung_up(receive))
        try:
            while True:
                event = await self._next(gone, deadline - loop.time(), seconds)
                yield event
                if isinstance(event, Finished):
                    return
        finally:
            gone.cancel()
            alarm.cancel()
            self.stop.set()
            withdraw()

    async def _next(self, gone: asyncio.Future[None], left: float, seconds: float) -> RunEvent:
        too_late = ApiError(504, f"There was no answer within {seconds:g} seconds, so it was stopped.", "timeout")
        if left <= 0:
            raise too_late
        news = asyncio.ensure_future(self._news.get())
        try:
            waits: set[asyncio.Future[Any]] = {news, gone}
            await asyncio.wait(waits, timeout=min(left, QUIET_SECONDS), return_when=asyncio.FIRST_COMPLETED)
            if news.done():
                event = news.result()
                if isinstance(event, ApiError):
                    raise event
                return event
        finally:
            news.cancel()
        if gone.done():
            raise HungUp
        if left <= QUIET_SECONDS:
            raise too_late
        return Quiet()

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        """In the worker's thread: the answer, every event of which the loop is told."""

        def report(event: RunEvent | ApiError) -> None:
            if not self.stop.is_set():  # what a call that was stopped reports is no news
                in_loop(loop, lambda: self._news.put_nowait(event))

        def count(generation: Generation) -> None:
            if (usage := generation.usage) is not None:
                in_loop(loop, lambda: self.count_tokens(usage))

        if self.stop.is_set():
            return
        try:
            report(self._outcome(report, count))
        except JobStopped:
            return
        except ApiError as error:
            report(error)
        except WorkbenchError as error:
            report(api_error(error))
        except BaseException as error:  # what compiled packages raise need not be an Exception
            self.log_failure(error)
            report(UNEXPECTED)

    def _outcome(self, report: Callable[[RunEvent], None], count: Callable[[Generation], None]) -> Finished:
        question = self.served.question(self.text, self.language)
        result: Answer | tuple[Evidence, ...]
        if self.searches_only:
            result = self.served.search(question, self.stop)
        else:
            result = self.served.ask(
                question,
                self.stop,
                lambda evidence: report(EvidenceReady(evidence)),
                lambda piece: report(PieceWritten(piece)),
                count,
            )
        return Finished(question, result, time.perf_counter() - self._began)


async def _hung_up(receive: Receive) -> None:
    """Returns once the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        continue
