"""The service: routes that answer by one recipe, and their description as a page that loads nothing from elsewhere."""

from __future__ import annotations

import html
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Security
from fastapi.security import HTTPBearer
from pydantic import BaseModel
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from workbench.app import checked_question
from workbench.models import LiveText
from workbench.server.access_gate import FAILURE_STATUS, OPEN, Callers, Gate, ServeLimits
from workbench.server.answer_run import (
    AnswerRun,
    EvidenceReady,
    Finished,
    LogFailure,
    Order,
    PieceWritten,
    Quiet,
    RunEvent,
    ServedRecipe,
)
from workbench.server.api_errors import ApiError, ErrorReply, json_response
from workbench.server.replies import (
    COMMENT,
    DONE,
    AskReply,
    ChatCompletion,
    EventStream,
    Reply,
    RetrieveReply,
    model_card,
    sse,
)
from workbench.server.request_bodies import BodyRoute, ChatBody, QuestionBody
from workbench.server.worker_pool import CONTENT_TYPE, ServeMetrics, ThreadCrew, WorkerPool
from workbench.server.worker_processes import ProcessCrew

PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
}
STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "pre{overflow:auto;padding:.75rem;border:1px solid #8888;border-radius:.4rem}h2{margin-top:2rem;font-size:1.1rem}"
)


def openapi_page(description: Mapping[str, Any]) -> str:
    """The OpenAPI description as a page of its own."""
    return "".join(_blocks(description))


def _blocks(description: Mapping[str, Any]) -> Iterator[str]:
    title = html.escape(description["info"]["title"])
    yield f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
    yield f"<style>{STYLE}</style></head><body><h1>{title}</h1>"
    yield '<p>This page as data: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>'
    errors: dict[str, str] = {}
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            yield f"<h2><code>{method.upper()} {html.escape(path)}</code> · {html.escape(operation['summary'])}</h2>"
            yield f"<p>{html.escape(operation['description'])}</p>"
            body, reply = _schema(operation.get("requestBody")), _schema(operation["responses"]["200"])
            if body:
                yield f"<p>Body: <code>{html.escape(body)}</code>"
                yield f", reply: <code>{html.escape(reply)}</code></p>" if reply else "</p>"
            errors |= {code: reply["description"] for code, reply in operation["responses"].items() if code != "200"}
    yield "<h2>Errors</h2><ul>"
    yield from (f"<li>{status}: {html.escape(meaning)}</li>" for status, meaning in errors.items())
    yield "</ul><h2>Schemas</h2>"
    for name, schema in description["components"]["schemas"].items():
        text = html.escape(json.dumps(schema, ensure_ascii=False, indent=2))
        yield f"<details><summary><code>{html.escape(name)}</code></summary><pre>{text}</pre></details>"
    yield "</body></html>"


def _schema(content: Mapping[str, Any] | None) -> str:
    """The name of the schema of a body or a reply in JSON, "" where it has none."""
    media = (content or {}).get("content", {}).get("application/json", {})
    return str(media.get("schema", {}).get("$ref", "")).rpartition("/")[2]


Events = AsyncGenerator[RunEvent, None]
SentEvents = AsyncGenerator[RunEvent | ApiError, None]
ERRORS: Mapping[int | str, str] = {
    400: "The request is wrong; the message states what and what to send.",
    401: "The key is missing or not one of this service.",
    413: "The body is too long.",
    429: "All workers are busy and the queue is full; Retry-After states when to come back.",
    502: "A model or translator failed.",
    503: "Something that the recipe needs is not available.",
    504: "There was no answer in time.",
    "default": "Any other error.",  # without it FastAPI would describe its own form of a body that is refused
}
KEY = Security(HTTPBearer(scheme_name="key", auto_error=False))
"""Only describes the key: the gate has asked for it."""


@dataclass(frozen=True, slots=True)
class Route:
    """A path's HTTP method, the verb that its caller must be allowed, and what answers it.

    A route without a summary is not part of the API's description. `reply` describes what the endpoint sends.
    """

    method: str
    verb: str
    endpoint: Callable[..., Awaitable[object]]
    summary: str = ""
    response: type[Response] = JSONResponse
    reply: type[BaseModel] | None = None

    @property
    def errors(self) -> dict[int | str, dict[str, Any]]:
        """The errors of a route with a body, as OpenAPI has them."""
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{ErrorReply.__name__}"}}}
        model = {"model": ErrorReply} if self.response is JSONResponse else {}
        described = {status: {"description": text, "content": content, **model} for status, text in ERRORS.items()}
        return described if self.method == "POST" else {}


@dataclass
class RecipeService:
    """What answers each route. `log_failure` is given what nobody expected.

    `crew` are the processes that answer; None: threads of this one.
    """

    served: ServedRecipe
    limits: ServeLimits
    metrics: ServeMetrics
    log_failure: LogFailure
    crew: ProcessCrew | None = None
    pool: WorkerPool[AnswerRun] = field(init=False)
    _created: int = field(default_factory=lambda: int(time.time()), init=False)

    def __post_init__(self) -> None:
        """Starts the workers."""
        crew = self.crew or ThreadCrew(self.limits.workers)
        self.pool = WorkerPool(self.limits.queue, crew.capacity, crew.begin)
        self.metrics.watch(self.pool)

    @property
    def routes(self) -> Mapping[str, Route]:
        """Each path with its method, its verb and what answers it."""
        return {
            "/v1/ask": Route("POST", "questions.ask", self.ask, "Answer a question", reply=AskReply),
            "/v1/retrieve": Route("POST", "questions.ask", self.retrieve, "Search for a question", reply=RetrieveReply),
            "/v1/stream": Route(
                "POST", "questions.ask", self.stream, "Answer a question as it is written", EventStream
            ),
            "/v1/chat/completions": Route("POST", "questions.ask", self.chat, "OpenAI's chat completions"),
            "/v1/models": Route("GET", "screens.look", self.models, "List the recipe"),
            "/health": Route("GET", OPEN, self.health, "Health"),
            "/metrics": Route("GET", "screens.look", self.figures, "Figures for Prometheus", PlainTextResponse),
            "/openapi.json": Route("GET", OPEN, self.description),
            "/docs": Route("GET", OPEN, self.docs),
        }

    def app(self, callers: Callers, log: Callable[[str], None], *, logs_questions: bool) -> FastAPI:
        """The routes behind their gate."""
        gate = Middleware(
            Gate,
            callers=callers,
            metrics=self.metrics,
            verbs={path: route.verb for path, route in self.routes.items()},
            log=log,
            log_failure=self.log_failure,
            logs_questions=logs_questions,
        )
        app = FastAPI(
            title=f"mRAG workbench: recipe {self.served.name}",
            version="1",
            openapi_url=None,  # /openapi.json and /docs are routes of ours: FastAPI's pages load scripts from elsewhere
            redirect_slashes=False,
            middleware=[gate],
            exception_handlers={HTTPStatus.METHOD_NOT_ALLOWED: _wrong_method},
            generate_unique_id_function=lambda route: route.name,
        )
        app.router.route_class = BodyRoute
        for path, route in self.routes.items():
            app.add_api_route(
                path,
                route.endpoint,
                methods=[route.method],
                summary=route.summary,
                response_description="Done.",
                response_class=route.response,
                response_model=route.reply,
                responses=route.errors,
                dependencies=[] if route.verb == OPEN else [KEY],
                include_in_schema=bool(route.summary),
            )
            if route.method == "GET":
                app.add_api_route(path, route.endpoint, methods=["HEAD"], include_in_schema=False)
        return app

    async def ask(self, body: QuestionBody, request: Request) -> Response:
        """The complete answer with its evidence."""
        return json_response(await self._reply(Order(body.question, body.language), request))

    async def retrieve(self, body: QuestionBody, request: Request) -> Response:
        """The evidence alone; no generator is called."""
        return json_response(await self._reply(Order(body.question, body.language, searches_only=True), request))

    async def stream(self, body: QuestionBody, request: Request) -> Response:
        """Server-sent events.

        `evidence`, `token` for each piece that the generator writes, then `done` with the complete answer, or `error`.
        """
        events = self._events(Order(body.question, body.language, streams=True), request)
        return EventStream(self._workbench_events(_as_sent(await anext(events), events, request)))

    async def chat(self, body: ChatBody, request: Request) -> Response:
        """The last message is the question, rewritten from those before it where the recipe has a language model.

        System messages are not used: the recipe decides the prompt.
        """
        if body.model != self.served.name:
            raise ApiError(
                404, f"There is no such model here; this service answers as “{self.served.name}”.", "model_not_found"
            )
        body.check_form()
        question, conversation = body.question, self.served.conversation(body.conversation)
        order = Order(question, body.language, conversation, streams=bool(body.stream))
        completion = ChatCompletion(self.served.name, len(body.messages) - 1 - len(conversation))
        if not body.stream:
            return json_response(completion.complete(await self._reply(order, request)))
        events = self._events(order, request)
        first = await anext(events)
        while isinstance(first, EvidenceReady):  # nothing is sent for it, so a failure can still have its status
            first = await anext(events)
        has_usage = body.stream_options is not None and body.stream_options.include_usage
        return EventStream(self._chat_events(_as_sent(first, events, request), completion, has_usage))

    async def models(self) -> dict[str, Any]:
        """The recipe's name, as OpenAI lists models."""
        return {"object": "list", "data": [model_card(self.served.name, self._created)]}

    async def health(self) -> dict[str, str]:
        """Whether the service answers; needs no key."""
        return {"status": "ok"}

    async def figures(self) -> Response:
        """Counts and times by route."""
        return Response(self.metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    async def description(self, request: Request) -> dict[str, Any]:
        """The description of the API."""
        return _description(request)

    async def docs(self, request: Request) -> Response:
        """The description of the API as a page."""
        return HTMLResponse(openapi_page(_description(request)), headers=PAGE_HEADERS)

    def _events(self, order: Order, request: Request) -> Events:
        # Before it waits: a queue must not fill with what cannot be asked, however long that is.
        question = checked_question(order.text)
        request.scope["state"]["question"] = question
        run = AnswerRun(self.served, replace(order, text=question), self.log_failure, self.metrics.count_tokens)
        return run.events(self.pool, request.receive, self.limits.seconds)

    async def _reply(self, order: Order, request: Request) -> Reply:
        async with aclosing(self._events(order, request)) as events:
            async for event in events:
                if isinstance(event, Finished):
                    return event.reply
        raise RuntimeError("A run ended without an end.")

    async def _workbench_events(self, events: SentEvents) -> AsyncGenerator[bytes, None]:
        """The events of `/v1/stream`."""
        has_evidence, has_pieces = False, False
        async for event in events:
            if isinstance(event, EvidenceReady):
                has_evidence = True
                yield sse({"evidence": event.evidence}, "evidence")
            elif isinstance(event, PieceWritten) and event.text:
                has_pieces = True
                yield sse({"text": event.text}, "token")
            elif isinstance(event, Finished):
                reply = event.reply
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
                reply = event.reply
                if rest := live.finish(reply["answer"]):
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


def _description(request: Request) -> dict[str, Any]:
    app: FastAPI = request.app
    return app.openapi()


async def _wrong_method(request: Request, error: Exception) -> Response:
    headers = getattr(error, "headers", None) or {}
    raise ApiError(405, f"Use {headers['Allow']} for {request.url.path}.", "method_not_allowed", headers)


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
