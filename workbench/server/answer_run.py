"""One answer by the recipe that is served: a worker writes it, the event loop passes it on, both can stop it.

A worker is a thread of this process or of another. The calls are those that the screens and the command line make. A
client that hangs up, and a request that takes too long, set the stop event: a call of a language model ends within a
second, and no further step begins.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

from workbench.app import StreamObserver, Workbench, detect_question, is_unsure, warm_up
from workbench.core import (
    Evidence,
    Generation,
    JobStopped,
    Message,
    MissingError,
    Prompt,
    Query,
    Task,
    Usage,
    UsageError,
    WorkbenchError,
    stopping_with,
)
from workbench.languages import ENGLISH, language
from workbench.models import StreamingGenerator
from workbench.pipeline import EXTRACTIVE, Recipe, recent_messages
from workbench.retrieval import MilvusAddress
from workbench.server.api_errors import UNEXPECTED, ApiError, HungUp, api_error
from workbench.server.replies import Reply, ask_reply, evidence_passages, retrieve_reply
from workbench.server.worker_pool import WorkerPool, in_loop
from workbench.workspace import Actor, acting_as, actor

LIVE_MODES = frozenset({"baseline", "monorag", "trag", "multirag", "crossrag"})
"""Modes whose answer is what the generator writes; in the others it is a part of that, or its translation."""
FIRST_QUESTION = "Where is the Nile?"
"""What is searched for before the first client asks, so that indexes and encoders are open."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a worker is given of a request; its language is the client's word, None where it is to be identified.

    `conversation` is what the question is rewritten from, () where it is asked by itself. `streams`: evidence and
    pieces are reported as they come. `person` is who asks.
    """

    text: str
    language: str | None
    conversation: tuple[Message, ...] = ()
    searches_only: bool = False
    streams: bool = False
    person: Actor = field(default_factory=lambda: Actor(actor().name, actor().role))  # asking is not recorded


LogFailure = Callable[[BaseException], object]


def _ignore(*_: object) -> None:
    """Does nothing with what nobody waits for."""


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

    @property
    def why_alone(self) -> str:
        """Why one process had better answer, as a clause; "" where several may."""
        recipe, registry = self.recipe, self.bench.registry
        names = (recipe.encoder if recipe.retriever != "lexical" else "", recipe.reranker, recipe.translator)
        if models := [name for name in (*names, *recipe.language_models) if registry.loads_a_model(name)]:
            return f"each would load {' and '.join(models)}"
        store = self.bench.stores().get(recipe.corpus)
        return "its Milvus Lite file serves one" if store and MilvusAddress.of(store.address).file else ""

    def load(self) -> None:
        """Loads the built-in models, for processes to share that are forked now.

        Nothing is searched: an open index or database has threads or locks, which do not survive a fork.
        """
        recipe, registry = self.recipe, self.bench.registry
        with suppress(WorkbenchError):
            if recipe.generator == EXTRACTIVE:
                (passage,) = self.bench.corpus(recipe.corpus).table.passages([0])
                task = Task(FIRST_QUESTION, ENGLISH, (Evidence(passage, 1),))
                registry.generator(recipe.generator).generate([Prompt("", FIRST_QUESTION, task)])
            is_builtin = not registry.host(recipe.encoder) and not registry.loads_a_model(recipe.encoder)
            if is_builtin and recipe.retriever != "lexical":
                registry.dense_encoder(recipe.encoder).encode_queries([Query(FIRST_QUESTION, ENGLISH, (ENGLISH,))])

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

    def language(self, order: Order) -> str:
        """The code of the language that a question is in, where none is given as identified.

        The user's earlier questions help to identify that of a short one. Raises UsageError for a language that does
        not exist, ApiError where none is identified.
        """
        if order.language is not None:
            return language(order.language).code
        likely, identifier = self.bench.corpus(self.recipe.corpus).languages, self.bench.registry.identifier()
        earlier = [item.text for item in order.conversation if item.role == "user"]
        try:
            try:
                detection = detect_question(order.text, identifier, likely)
            except UsageError:
                if not earlier:
                    raise
                detection = detect_question(earlier[-1], identifier, likely)
            if earlier and is_unsure(detection):
                detection = detect_question("\n".join((*earlier, order.text)), identifier, likely)
        except UsageError:
            raise ApiError(
                400,
                "The question's language could not be identified: give it as an ISO 639 code, for example fi.",
                "language_unknown",
            ) from None
        return detection.language

    def carry_out(
        self,
        order: Order,
        stop: Event,
        report: Report,
        log_failure: LogFailure,
    ) -> None:
        """Answers, in a worker: every event is reported, the last one being `Finished` or an error.

        Once `stop` is set no more is reported than the tokens of the generator's calls. `log_failure` is given what
        nobody expected.
        """

        def news(event: RunEvent | ApiError) -> None:
            if not stop.is_set():  # what a call that was stopped reports is no news
                report(event)

        if stop.is_set():
            return
        try:
            with acting_as(order.person):
                news(Finished(self._reply(order, stop, news, report)))
        except JobStopped:
            return
        except ApiError as error:
            news(error)
        except WorkbenchError as error:
            news(api_error(error))
        except BaseException as error:  # what compiled packages raise need not be an Exception
            log_failure(error)
            news(UNEXPECTED)

    def _reply(
        self, order: Order, stop: Event, news: Callable[[RunEvent], None], count: Callable[[Usage], object]
    ) -> Reply:
        """The reply to an order. Raises JobStopped once `stop` is set, and what `ask` and `search` raise."""
        code = self.language(order)
        facts: Reply = {
            "question": order.text,
            "language": code,
            "language_detected": order.language is None,
            "recipe": self.name,
            "fingerprint": self.recipe.fingerprint,
        }
        if order.searches_only:
            evidence = self.bench.search(order.text, code, self.recipe, stop=stop, cached=self.cached)
            return retrieve_reply(evidence, facts)

        def on_generation(generation: Generation) -> None:
            if generation.usage is not None:
                count(generation.usage)

        observer = StreamObserver(_ignore, stop, _ignore, on_generation)
        if order.streams:
            observer = replace(
                observer,
                on_piece=lambda piece: news(PieceWritten(piece)),
                on_evidence=lambda evidence: news(EvidenceReady(evidence_passages(evidence))),
            )
        answer = self.bench.ask(
            order.text,
            code,
            self.recipe,
            observer=observer,
            stop=stop,
            cached=self.cached,
            conversation=order.conversation,
        )
        if stop.is_set():
            raise JobStopped
        return ask_reply(answer, facts)


def _write_a_word(generator: StreamingGenerator) -> None:
    """Loads a language model of this machine; what it writes is stopped."""
    stop = Event()
    with stopping_with(stop):
        stream = generator.stream(Prompt("", FIRST_QUESTION, Task("", "")))
        next(stream, "")
        stop.set()
        for _ in stream:
            continue


Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
QUIET_SECONDS = 10.0
"""After this long without news a stream is sent a comment, so that nobody in between takes it for dead."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """Nothing new came for a while."""


@dataclass(frozen=True, slots=True)
class EvidenceReady:
    """The evidence, before the answer."""

    evidence: list[Reply]


@dataclass(frozen=True, slots=True)
class PieceWritten:
    """A piece of what the generator writes."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """All of it, as clients get it."""

    reply: Reply


RunEvent = Quiet | EvidenceReady | PieceWritten | Finished
Report = Callable[[RunEvent | ApiError | Usage], object]


@dataclass(eq=False)
class AnswerRun:
    """One request in the pool.

    `log_failure` is given what nobody expected, in the worker; `count_tokens` what each call of the generator used, in
    the event loop, whether or not the client is still there. `on_stop` is called when the work is to end early.
    """

    served: ServedRecipe
    order: Order
    log_failure: LogFailure
    count_tokens: Callable[[Usage], object]
    stop: Event = field(default_factory=Event)
    on_stop: Callable[[], object] = _ignore
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    _began: float = field(default_factory=time.perf_counter)
    _news: asyncio.Queue[RunEvent | ApiError] = field(default_factory=asyncio.Queue)

    async def events(self, pool: WorkerPool[AnswerRun], receive: Receive, seconds: float) -> AsyncGenerator[RunEvent]:
        """What happens, the last event being `Finished`; leaving the loop stops the work.

        Raises ApiError where there is no answer (429 and 504 among them), HungUp once the client is gone.
        """
        loop = self._loop
        deadline = loop.time() + seconds
        withdraw = pool.submit(self)
        # The loop's own alarm: a client that reads slowly keeps this generator from looking at the clock.
        alarm = loop.call_at(deadline, self._end)
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
            self._end()
            withdraw()

    def report(self, event: RunEvent | ApiError | Usage) -> None:
        """Passes on what a worker reports; called in the event loop."""
        if isinstance(event, Usage):
            self.count_tokens(event)
        elif not self.stop.is_set():
            if isinstance(event, Finished):
                event.reply["seconds"] = round(time.perf_counter() - self._began, 6)
                self.on_stop = _ignore
            self._news.put_nowait(event)

    def __call__(self) -> None:
        """Does the work, in a thread of this process."""
        self.served.carry_out(
            self.order, self.stop, lambda event: in_loop(self._loop, lambda: self.report(event)), self.log_failure
        )

    def _end(self) -> None:
        if not self.stop.is_set():
            self.stop.set()
            self.on_stop()

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


async def _hung_up(receive: Receive) -> None:
    """Returns once the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        continue
