"""What a client that hangs up and a request that takes too long stop: every remote call, not the generator's alone."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from tests.coroutines import in_loop
from tests.server.running import LONGEST, NAME, RunningService, running, wait_until
from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.app.background_answer import ObservedGenerator, StreamObserver
from workbench.app.workbench import Workbench
from workbench.core.records import Generation, Prompt, Task
from workbench.pipeline.recipe import make_recipe
from workbench.server.access_gate import ServeLimits
from workbench.server.answer_run import AnswerRun, Order, ServedRecipe
from workbench.server.api_errors import ApiError
from workbench.server.worker_pool import ThreadCrew, WorkerPool

BODY = {"question": "Kuka keksi radion?", "language": "fi"}
CONTENT = b'{"question": "Kuka keksi radion?", "language": "fi"}'
LIMITS = ServeLimits(seconds=2.5)
HANGING: dict[str, tuple[str, dict[str, object]]] = {
    "query expansion": ("/v1/ask", {"query_expansion": "hyde", "expander": "MODEL"}),
    "query expansion of a search": ("/v1/retrieve", {"query_expansion": "multi-query", "expander": "MODEL"}),
    "question translation of a search": ("/v1/retrieve", {"mode": "trag", "translator": "llm:MODEL"}),
    "reranking of a search": ("/v1/retrieve", {"reranker": "llm:MODEL", "scope": "en+ul"}),
    "passage translation": ("/v1/ask", {"mode": "crossrag", "translator": "llm:MODEL", "scope": "ul", "k": 3}),
    "compression": ("/v1/ask", {"compressor": "refine", "generator": "MODEL", "scope": "en+ul", "k": 3}),
}
"""Where a recipe calls a model before its generator: the route, and the recipe."""


def recipe_of(name: str, server: MisbehavingServer) -> dict[str, object]:
    model = f"openai-like:m@{server.url('hangs')}"
    choices = {
        key: value.replace("MODEL", model) if isinstance(value, str) else value
        for key, value in HANGING[name][1].items()
    }
    return {"encoder": "builtin", "retriever": "lexical", **choices}


@pytest.fixture(scope="module", autouse=True)
def _models_client(sample_workbench: Workbench) -> None:
    """Loads the packages that call models, which may take longer than the time limits here."""
    with (
        misbehaving() as server,
        running(sample_workbench, {"generator": f"openai-like:m@{server.url('well')}"}) as service,
    ):
        assert service.post("/v1/ask", BODY).status_code == 200


def is_idle(service: RunningService) -> bool:
    return service.figure("mrag_running") == 0 == service.figure("mrag_waiting")


def is_free_while_the_model_hangs(service: RunningService, server: MisbehavingServer) -> bool:
    """Asserts that the worker ended although the model's server still waits, and that it called no further time."""
    wait_until(lambda: is_idle(service))
    return server.under_way == 1 and server.count("hangs") == 1 and service.failures == []


def leave(service: RunningService, path: str, has_begun: Callable[[], bool]) -> None:
    """Asks and hangs up as soon as something has begun."""
    with socket.create_connection(("127.0.0.1", urlsplit(service.url).port or 0)) as connection:
        head = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(CONTENT)}"
        connection.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n\r\n".encode() + CONTENT)
        wait_until(has_begun)


@pytest.mark.parametrize("name", ["passage translation", "query expansion of a search"])
def test_the_time_limit_ends_a_call_before_the_generators(name: str, workbench: Workbench) -> None:
    with misbehaving() as server, running(workbench, recipe_of(name, server), limits=LIMITS) as service:
        response = service.post(HANGING[name][0], BODY)
        assert (response.status_code, response.json()["error"]["code"]) == (504, "timeout"), response.text
        assert is_free_while_the_model_hangs(service, server)


@pytest.mark.parametrize("name", HANGING)
def test_a_client_that_leaves_ends_a_call_before_the_generators(name: str, workbench: Workbench) -> None:
    with misbehaving() as server, running(workbench, recipe_of(name, server)) as service:
        leave(service, HANGING[name][0], lambda: server.count("hangs") == 1)
        assert is_free_while_the_model_hangs(service, server)


def test_no_further_stage_of_a_search_begins(workbench: Workbench) -> None:
    with misbehaving() as server:
        recipe = {**recipe_of("query expansion", server), "reranker": f"llm:openai-like:m@{server.url('echoes')}"}
        with running(workbench, recipe) as service:
            leave(service, "/v1/retrieve", lambda: server.count("hangs") == 1)
            assert is_free_while_the_model_hangs(service, server)
            assert server.count("echoes") == 0


def test_a_translation_that_was_stopped_is_not_kept_as_one_that_failed(workbench: Workbench) -> None:
    with misbehaving() as server, running(workbench, recipe_of("passage translation", server), cached=True) as service:
        leave(service, "/v1/ask", lambda: server.count("hangs") == 1)
        assert is_free_while_the_model_hangs(service, server)
        server.released.set()
        service.post("/v1/ask", BODY)
        assert server.count("hangs") > 1


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/stream"])
def test_the_tokens_of_an_answer_that_nobody_waits_for_are_counted(path: str, workbench: Workbench) -> None:
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('writes-on')}"}) as service,
    ):
        leave(service, path, lambda: server.count("writes-on") == 1)
        wait_until(lambda: is_idle(service))
        assert service.figure('mrag_tokens_total{kind="prompt"}') > 0


def test_the_tokens_of_an_answer_that_took_too_long_are_counted(workbench: Workbench) -> None:
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('writes-on')}"}, limits=LIMITS) as service,
    ):
        assert service.post("/v1/ask", BODY).status_code == 504
        wait_until(lambda: is_idle(service))
        assert service.figure('mrag_tokens_total{kind="completion"}') > 0


def test_a_further_part_of_an_answer_that_was_stopped_is_neither_called_for_nor_counted(workbench: Workbench) -> None:
    generations: list[Generation] = []
    with misbehaving() as server:
        observer = StreamObserver(print, on_generation=generations.append)
        generator = ObservedGenerator(workbench.registry.generator(f"openai-like:m@{server.url('well')}"), observer)
        prompt = Prompt("Answer.", "Who?", Task("Who?", "en"))
        (first,) = generator.generate([prompt])
        observer.stop.set()
        (further,) = generator.generate([prompt])
        assert generations == [first] and server.count("well") == 1
    assert (first.text, further.text, further.finish) == ("Paris", "", "stopped")


def test_the_time_limit_holds_while_the_client_reads_nothing(workbench: Workbench) -> None:
    async def read_once_and_then_late(server: MisbehavingServer) -> tuple[AnswerRun, ApiError | None]:
        recipe = make_recipe({"generator": f"openai-like:m@{server.url('writes-on')}"})
        served = ServedRecipe(workbench, recipe, NAME, cached=False)
        run = AnswerRun(served, Order("Who?", "en", streams=True), print, lambda _usage: None)
        crew, never = ThreadCrew(1), asyncio.Event()
        pool: WorkerPool[AnswerRun] = WorkerPool(1, crew.capacity, crew.begin)

        async def receive() -> dict[str, object]:
            await never.wait()
            return {"type": "http.disconnect"}

        events = run.events(pool, receive, 2.5)
        try:
            await anext(events)
            # Nobody asks for the next event, as where the client's side of the connection is full.
            await asyncio.to_thread(server.gone.wait, LONGEST)
            try:
                await anext(events)
            except ApiError as error:
                return run, error
            return run, None
        finally:
            await events.aclose()
            pool.close()

    with misbehaving() as server:
        run, error = in_loop(read_once_and_then_late(server))
        assert server.gone.is_set() and run.stop.is_set()
    assert error is not None and error.status == 504
