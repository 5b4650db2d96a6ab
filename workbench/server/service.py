"""The service: an ASGI application that answers by one recipe."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from workbench.app import checked_question
from workbench.core import Answer
from workbench.models import LiveText
from workbench.server import openapi_page
from workbench.server.answer_run import AnswerRun, EvidenceReady, Finished, PieceWritten, Quiet, RunEvent
from workbench.server.api_errors import ApiError, json_response
from workbench.server.chat_replies import ChatCompletion, model_card
from workbench.server.event_stream import COMMENT, DONE, EventStream, sse
from workbench.server.gate import FAILURE_STATUS, read_body
from workbench.server.replies import AskReply, QuestionFacts, ask_reply, evidence_passages, facts_of, retrieve_reply
from workbench.server.request_bodies import ChatBody, QuestionBody, parse_body
from workbench.server.serve_metrics import CONTENT_TYPE, ServeMetrics
from workbench.server.serve_settings import ServeLimits
from workbench.server.served_recipe import ServedRecipe
from workbench.server.worker_pool import WorkerPool
from workbench.workspace import check

Endpoint = Callable[[Request], Awaitable[Response]]
Events = AsyncGenerator[RunEvent, None]
SentEvents = AsyncGenerator[RunEvent | ApiError, None]
OPEN = ""
"""In place of a verb, for paths that say nothing of questions or passages."""


@dataclass(frozen=True, slots=True)
class Route:
    """A path's HTTP method, the verb that its caller must be allowed, and what answers it."""

    method: str
    verb: str
    endpoint: Endpoint


@dataclass
class RecipeService:
    """Implements ASGI for HTTP. What it raises (ApiError, HungUp) is answered by the `Gate` around it.

    `log_failure` is given what nobody expected.
    """

    served: ServedRecipe
    limits: ServeLimits
    metrics: ServeMetrics
    log_failure: Callable[[BaseException], object]
    pool: WorkerPool = field(init=False)
    _created: int = field(default_factory=lambda: int(time.time()), init=False)

    def __post_init__(self) -> None:
        """Starts the workers."""
        self.pool = WorkerPool(self.limits.workers, self.limits.queue)
        self._description = openapi_page.openapi(self.served.name)

    @property
    def routes(self) -> Mapping[str, Route]:
        """Each path with its method, its verb and what answers it."""
        return {
            "/v1/ask": Route("POST", "questions.ask", self.ask),
            "/v1/retrieve": Route("POST", "questions.ask", self.retrieve),
            "/v1/stream": Route("POST", "questions.ask", self.stream),
            "/v1/chat/completions": Route("POST", "questions.ask", self.chat),
            "/v1/models": Route("GET", "screens.look", self.models),
            "/health": Route("GET", OPEN, self.health),
            "/metrics": Route("GET", "screens.look", self.figures),
            "/openapi.json": Route("GET", OPEN, self.description),
            "/docs": Route("GET", OPEN, self.docs),
        }

    @property
    def open_paths(self) -> frozenset[str]:
        """The paths that need no key."""
        return frozenset(path for path, route in self.routes.items() if route.verb == OPEN)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request. Raises ApiError, HungUp, NotAllowed."""
        path, method = scope["path"], scope["method"]
        if path not in self.routes:
            raise ApiError(404, "There is nothing at this address; GET /docs lists what there is.", "not_found")
        route = self.routes[path]
        if method != route.method and not (method == "HEAD" and route.method == "GET"):
            raise ApiError(405, f"Use {route.method} for {path}.", "method_not_allowed", {"Allow": route.method})
        if route.verb != OPEN:
            check(route.verb)
        response = await route.endpoint(Request(scope, receive))
        await response(scope, receive, send)

    async def ask(self, request: Request) -> Response:
        """`POST /v1/ask`."""
        body = parse_body(QuestionBody, await read_body(request, self.limits.body_bytes))
        finished = await self._finished(self._run(request, body.question, body.language), request)
        return json_response(self._reply(finished).model_dump(mode="json"))

    async def retrieve(self, request: Request) -> Response:
        """`POST /v1/retrieve`."""
        body = parse_body(QuestionBody, await read_body(request, self.limits.body_bytes))
        run = self._run(request, body.question, body.language, searches_only=True)
        finished = await self._finished(run, request)
        evidence = () if isinstance(finished.result, Answer) else finished.result
        return json_response(retrieve_reply(evidence, self._facts(finished), finished.seconds).model_dump(mode="json"))

    async def stream(self, request: Request) -> Response:
        """`POST /v1/stream`."""
        body = parse_body(QuestionBody, await read_body(request, self.limits.body_bytes))
        events = self._events(self._run(request, body.question, body.language), request)
        return EventStream(self._workbench_events(_as_sent(await anext(events), events, request)))

    async def chat(self, request: Request) -> Response:
        """`POST /v1/chat/completions`."""
        body = parse_body(ChatBody, await read_body(request, self.limits.body_bytes))
        if body.model != self.served.name:
            raise ApiError(
                404, f"There is no such model here; this service answers as “{self.served.name}”.", "model_not_found"
            )
        body.check_form()
        run = self._run(request, body.question, body.language)
        completion = ChatCompletion(self.served.name, len(body.messages) - 1)
        if not body.stream:
            return json_response(completion.complete(self._reply(await self._finished(run, request))))
        events = self._events(run, request)
        first = await anext(events)
        while isinstance(first, EvidenceReady):  # nothing is sent for it, so a failure can still have its status
            first = await anext(events)
        has_usage = body.stream_options is not None and body.stream_options.include_usage
        return EventStream(self._chat_events(_as_sent(first, events, request), completion, has_usage))

    async def models(self, request: Request) -> Response:
        """`GET /v1/models`."""
        return json_response({"object": "list", "data": [model_card(self.served.name, self._created)]})

    async def health(self, request: Request) -> Response:
        """`GET /health`."""
        return json_response({"status": "ok"})

    async def figures(self, request: Request) -> Response:
        """`GET /metrics`."""
        gauges = {
            "mrag_running": ("Answers that workers are at.", float(self.pool.running)),
            "mrag_waiting": ("Requests in the queue.", float(self.pool.waiting)),
        }
        return PlainTextResponse(self.metrics.text(gauges), headers={"Content-Type": CONTENT_TYPE})

    async def description(self, request: Request) -> Response:
        """`GET /openapi.json`."""
        return json_response(self._description)

    async def docs(self, request: Request) -> Response:
        """`GET /docs`."""
        return HTMLResponse(openapi_page.page(self._description), headers=openapi_page.PAGE_HEADERS)

    def _run(self, request: Request, text: str, language: str | None, *, searches_only: bool = False) -> AnswerRun:
        # Before it waits: a queue must not fill with what cannot be asked, however long that is.
        question = checked_question(text)
        request.scope["state"]["question"] = question
        return AnswerRun(self.served, question, language, self.log_failure, self.metrics.count_tokens, searches_only)

    def _events(self, run: AnswerRun, request: Request) -> Events:
        return run.events(self.pool, request.receive, self.limits.seconds)

    async def _finished(self, run: AnswerRun, request: Request) -> Finished:
        async with aclosing(self._events(run, request)) as events:
            async for event in events:
                if isinstance(event, Finished):
                    return event
        raise RuntimeError("A run ended without an end.")

    def _facts(self, finished: Finished) -> QuestionFacts:
        question, served = finished.question, self.served
        return facts_of(question.text, question.language, question.detected, served.name, served.recipe)

    def _reply(self, finished: Finished) -> AskReply:
        answer = finished.result
        if not isinstance(answer, Answer):
            raise RuntimeError("A search has no answer.")
        return ask_reply(answer, self._facts(finished), finished.seconds)

    async def _workbench_events(self, events: SentEvents) -> AsyncGenerator[bytes, None]:
        """The events of `/v1/stream`."""
        has_evidence, has_pieces = False, False
        async for event in events:
            if isinstance(event, EvidenceReady):
                has_evidence = True
                evidence = [item.model_dump(mode="json") for item in evidence_passages(event.evidence)]
                yield sse({"evidence": evidence}, "evidence")
            elif isinstance(event, PieceWritten) and event.text:
                has_pieces = True
                yield sse({"text": event.text}, "token")
            elif isinstance(event, Finished):
                reply = self._reply(event).model_dump(mode="json")
                if not has_evidence:
                    yield sse({"evidence": reply["evidence"]}, "evidence")
                if not has_pieces and reply["answer"]:
                    yield sse({"text": reply["answer"]}, "token")
                yield sse(reply, "done")
            elif isinstance(event, ApiError):
                yield sse(event.body, "error")
            else:
                yield COMMENT

    async def _chat_events(
        self, events: SentEvents, completion: ChatCompletion, has_usage: bool
    ) -> AsyncGenerator[bytes, None]:
        """The chunks of a chat completion; its pieces make up the answer."""
        live = LiveText()
        yield sse(completion.opening())
        async for event in events:
            if isinstance(event, PieceWritten):
                text = live.feed(event.text) if self.served.is_live else ""
                if text:
                    yield sse(completion.piece(text))
            elif isinstance(event, Finished):
                reply = self._reply(event)
                if rest := live.finish(reply.answer):
                    yield sse(completion.piece(rest))
                yield sse(completion.closing(reply))
                if has_usage:
                    yield sse(completion.usage_chunk(reply))
                yield DONE
            elif isinstance(event, ApiError):
                yield sse(event.body)
                yield DONE
            elif isinstance(event, Quiet):
                yield COMMENT


async def _as_sent(first: RunEvent, events: Events, request: Request) -> SentEvents:
    """The first event, which came before the response began, and the others; a failure is the last event.

    Its status, too late for the client, is left in the request's state.
    """
    yield first
    async with aclosing(events):
        try:
            async for event in events:
                yield event
        except ApiError as error:
            request.scope["state"][FAILURE_STATUS] = error.status
            yield error
