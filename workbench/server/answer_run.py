"""One answer by the recipe that is served: a worker's thread writes it, the event loop passes it on, both can stop it.

The calls are those that the screens and the command line make. A client that hangs up, and a request that takes too
long, set the stop event: a call of a language model ends within a second, and no further step begins.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from workbench.app import StreamObserver, Workbench, checked_question, detect_question, is_unsure, warm_up
from workbench.core import (
    Answer,
    Evidence,
    Generation,
    JobStopped,
    Message,
    MissingError,
    Prompt,
    Task,
    Usage,
    UsageError,
    WorkbenchError,
    shorten,
    stopping_with,
)
from workbench.languages import ENGLISH, language
from workbench.models import StreamingGenerator
from workbench.pipeline import EXTRACTIVE, Recipe, recent_messages, recipe_from_file, shipped_recipes
from workbench.server.api_errors import UNEXPECTED, ApiError, api_error
from workbench.server.worker_pool import WorkerPool, in_loop
from workbench.workspace import carried

LIVE_MODES = frozenset({"baseline", "monorag", "trag", "multirag", "crossrag"})
"""Modes whose answer is what the generator writes; in the others it is a part of that, or its translation."""
FIRST_QUESTION = "Where is the Nile?"
"""What is searched for before the first client asks, so that indexes and encoders are open."""


@dataclass(frozen=True)
class ServedQuestion:
    """A question that can be asked, in the language of the code; `detected`: the client gave no language.

    `conversation` is what the question is rewritten from, () where it is asked by itself.
    """

    text: str
    language: str
    detected: bool
    conversation: tuple[Message, ...] = ()


@dataclass(frozen=True)
class ServedRecipe:
    """A recipe under the name that clients call it by. Safe to share between threads.

    `cached` False neither reads nor writes the workspace's cache of steps. `rewrites` False refuses questions that end
    a conversation.
    """

    bench: Workbench
    recipe: Recipe
    name: str
    cached: bool = True
    rewrites: bool = True

    @property
    def is_live(self) -> bool:
        """Whether the pieces that the generator writes make up the answer."""
        return self.recipe.mode in LIVE_MODES

    def prepare(self) -> tuple[str, ...]:
        """Checks that the recipe can be answered and opens what it searches; returns the hosts that texts are sent to.

        Raises UsageError, and MissingError for what is not on this machine.
        """
        hosts = self.bench.registry.check(self.recipe)
        for item in self.bench.registry.unready(self.recipe):
            remedy = f" Type: {item.remedy.splitlines()[0]}" if item.remedy else ""
            raise MissingError(f"The recipe's {item.role} {item.name} cannot be used: {item.state}.{remedy}")
        self.bench.corpus(self.recipe.corpus)
        # Opened by one thread, before there are several.
        _ = self.bench.cache
        self.bench.registry.identifier().detect(FIRST_QUESTION, [ENGLISH])
        return hosts

    def warm_up(self) -> None:
        """Loads what first answers would wait for; no model on another machine is called.

        What fails is left to the answers.
        """
        registry = self.bench.registry
        with suppress(WorkbenchError):
            if not self.recipe.language_models and not registry.hosts(self.recipe):
                warm_up(self.bench, self.recipe, self.bench.corpus(self.recipe.corpus).languages)
            elif not self.recipe.expanding_model:
                self.bench.search(FIRST_QUESTION, ENGLISH, self.recipe, cached=False)
            for name in self.recipe.language_models:
                generator = registry.generator(name)
                if not registry.host(name) and isinstance(generator, StreamingGenerator):
                    _write_a_word(generator)

    def conversation(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Of the messages before a question, those that it is rewritten from.

        Raises ApiError where the user asked before and this service does not rewrite questions.
        """
        users = sum(item.role == "user" for item in messages)
        if self.rewrites and self.recipe.generator != EXTRACTIVE:
            return recent_messages(messages)
        if not users:
            return ()
        reason = "the built-in reader answers single questions" if self.rewrites else "it was started for single ones"
        raise ApiError(
            400,
            f"The question has {users:,} earlier {'one' if users == 1 else 'ones'} before it, which this service does "
            f"not read, since {reason}: send the question alone, and name in it what it is about.",
            "conversation_not_supported",
        )

    def question(self, text: str, code: str | None, conversation: tuple[Message, ...] = ()) -> ServedQuestion:
        """The question, in its language where that is given, else in the one that it is identified as.

        The user's earlier questions help to identify that of a short one. Raises UsageError for a question or a
        language that cannot be asked, ApiError where none is identified.
        """
        question = checked_question(text)
        if code is not None:
            return ServedQuestion(question, language(code).code, detected=False, conversation=conversation)
        likely, identifier = self.bench.corpus(self.recipe.corpus).languages, self.bench.registry.identifier()
        earlier = [item.text for item in conversation if item.role == "user"]
        try:
            try:
                detection = detect_question(question, identifier, likely)
            except UsageError:
                if not earlier:
                    raise
                detection = detect_question(earlier[-1], identifier, likely)
            if earlier and is_unsure(detection):
                detection = detect_question("\n".join((*earlier, question)), identifier, likely)
        except UsageError:
            raise ApiError(
                400,
                "The question's language could not be identified: give it as an ISO 639 code, for example fi.",
                "language_unknown",
            ) from None
        return ServedQuestion(question, detection.language, detected=True, conversation=conversation)

    def ask(
        self,
        question: ServedQuestion,
        stop: Event,
        on_evidence: Callable[[Sequence[Evidence]], None],
        on_piece: Callable[[str], None],
        on_generation: Callable[[Generation], None],
    ) -> Answer:
        """The answer as `ask` gives it. Raises JobStopped once `stop` is set, and what `ask` raises."""
        observer = StreamObserver(on_piece, stop, on_evidence, on_generation)
        answer = self.bench.ask(
            question.text,
            question.language,
            self.recipe,
            observer=observer,
            stop=stop,
            cached=self.cached,
            conversation=question.conversation,
        )
        if stop.is_set():
            raise JobStopped
        return answer

    def search(self, question: ServedQuestion, stop: Event) -> tuple[Evidence, ...]:
        """The evidence of a question. Raises JobStopped once `stop` is set, and what `search` raises."""
        return self.bench.search(question.text, question.language, self.recipe, stop=stop, cached=self.cached)


def _write_a_word(generator: StreamingGenerator) -> None:
    """Loads a language model of this machine; what it writes is stopped."""
    stop = Event()
    with stopping_with(stop):
        stream = generator.stream(Prompt("", FIRST_QUESTION, Task("", "")))
        next(stream, "")
        stop.set()
        for _ in stream:
            continue


def recipe_named(name: str) -> tuple[str, Recipe]:
    """The recipe in a file, or a shipped one, with the name that clients call it by. Raises UsageError."""
    shipped = {item.name: item.recipe for item in shipped_recipes()}
    if name in shipped:
        return name, shipped[name]
    path = Path(name)
    if not path.exists():
        raise UsageError(
            f"“{shorten(name)}” is neither a published recipe (list them: recipes list) nor a file. For example: "
            "--recipe recipe.yaml"
        )
    return path.stem, recipe_from_file(path)


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
    conversation: tuple[Message, ...] = ()
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
        question = self.served.question(self.text, self.language, self.conversation)
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
