"""Overload, clients that hang up, and answers that take too long; the generator is a real server that writes on."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest

from tests.server.running import LONGEST, NAME, RunningService, running, wait_until
from tests.servers.misbehaving import misbehaving
from workbench.app.workbench import Workbench
from workbench.server.access_gate import ServeLimits

BODY = {"question": "Who invented radio?", "language": "en"}
CHAT_BODY = {"model": NAME, "stream": True, "messages": [{"role": "user", "content": "Who invented radio?"}]}


def is_idle(service: RunningService) -> bool:
    return service.figure("mrag_running") == 0 == service.figure("mrag_waiting")


def test_more_requests_than_fit_are_turned_away_and_the_service_recovers(workbench: Workbench) -> None:
    limits = ServeLimits(workers=1, queue=2)
    with (
        misbehaving() as server,
        running(
            workbench, {"generator": f"openai-like:m@{server.url('hangs')}"}, limits=limits, cached=True
        ) as service,
        ThreadPoolExecutor(4) as clients,
    ):
        for _ in range(3):  # so what is found is in memory, which takes a worker all the same
            assert service.post("/v1/retrieve", BODY).status_code == 200
        waiting = [clients.submit(service.post, "/v1/ask", BODY) for _ in range(3)]
        wait_until(lambda: service.figure("mrag_waiting") == 2 and server.count("hangs") == 1)
        for path, body in (("/v1/ask", BODY), ("/v1/retrieve", BODY), ("/v1/stream", BODY)):
            response = service.post(path, body)
            assert response.status_code == 429, path
            assert int(response.headers["retry-after"]) >= 1
            assert response.json()["error"]["code"] == "overloaded"
        assert service.post("/v1/chat/completions", CHAT_BODY).status_code == 429
        # What costs no worker is answered all the same, and what cannot be asked takes no place.
        assert service.get("/health").status_code == 200
        for path in ("/v1/ask", "/v1/retrieve", "/v1/stream"):
            assert service.post(path, {**BODY, "question": "a" * 500_000}).status_code == 400, path
        server.released.set()
        assert [item.result().json()["answer"] for item in waiting] == ["Paris"] * 3
        wait_until(lambda: is_idle(service))
        assert service.post("/v1/ask", BODY).status_code == 200
        assert service.figure('mrag_requests_total{route="/v1/ask",status="429"}') == 1


@pytest.mark.parametrize(("path", "body"), [("/v1/stream", BODY), ("/v1/chat/completions", CHAT_BODY)])
def test_a_client_that_leaves_a_stream_stops_its_generation(
    path: str, body: dict[str, object], workbench: Workbench
) -> None:
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('writes-on')}"}) as service,
    ):
        with service.client() as client, client.stream("POST", path, json=body) as response:
            lines = response.iter_lines()
            assert any("word3" in line for line in lines)
        assert server.gone.wait(LONGEST)
        wait_until(lambda: is_idle(service))
        assert service.figure("mrag_hung_up_total") == 1
        wait_until(lambda: any(line.startswith(f"POST {path} 499 ") for line in service.log))
        assert service.failures == []


def test_a_client_that_leaves_before_its_complete_answer_stops_it_too(workbench: Workbench) -> None:
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('writes-on')}"}) as service,
    ):
        with socket.create_connection(("127.0.0.1", urlsplit(service.url).port or 0)) as connection:
            content = b'{"question": "Who invented radio?", "language": "en"}'
            head = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(content)}"
            connection.sendall(f"POST /v1/ask HTTP/1.1\r\n{head}\r\n\r\n".encode() + content)
            wait_until(lambda: server.count("writes-on") == 1)
        assert server.gone.wait(LONGEST)
        wait_until(lambda: is_idle(service))


def test_a_client_that_leaves_while_it_waits_is_never_answered(workbench: Workbench) -> None:
    limits = ServeLimits(workers=1, queue=2)
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('hangs')}"}, limits=limits) as service,
        ThreadPoolExecutor(1) as clients,
    ):
        first = clients.submit(service.post, "/v1/ask", BODY)
        wait_until(lambda: server.count("hangs") == 1)
        with service.client() as client, pytest.raises(httpx.ReadTimeout):
            client.post("/v1/ask", json={**BODY, "question": "Who invented paper?"}, timeout=0.3)
        wait_until(lambda: service.figure("mrag_waiting") == 0)
        server.released.set()
        assert first.result().status_code == 200
        wait_until(lambda: is_idle(service))
        assert server.count("hangs") == 1


def closed_by_the_service(connection: socket.socket) -> bool:
    connection.settimeout(LONGEST)
    return connection.recv(1_000) == b""


def test_a_connection_that_sends_half_of_its_headers_is_closed(
    service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.server.http_server.HEADER_SECONDS", 0.2)
    address = ("127.0.0.1", urlsplit(service.url).port or 0)
    with socket.create_connection(address) as silent, socket.create_connection(address) as half:
        half.sendall(b"POST /v1/ask HTTP/1.1\r\nHost: loc")
        assert closed_by_the_service(silent) and closed_by_the_service(half)
    with socket.create_connection(address, timeout=LONGEST) as second:
        second.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        reply = b""
        while not reply.endswith(b"}"):
            reply += second.recv(1_000)
        assert reply.startswith(b"HTTP/1.1 200")
        second.sendall(b"GET /health HTTP/1.1\r\nHo")
        assert closed_by_the_service(second)


def test_a_byte_now_and_then_does_not_prolong_the_wait_for_headers(
    service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.server.http_server.HEADER_SECONDS", 0.5)
    with socket.create_connection(("127.0.0.1", urlsplit(service.url).port or 0)) as slow:
        slow.sendall(b"GET /health HTTP/1.1\r\nX: ")
        until = time.monotonic() + LONGEST
        with pytest.raises(OSError):
            while time.monotonic() < until:
                slow.sendall(b"x")
                time.sleep(0.05)


def test_an_answer_may_take_longer_than_the_headers(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.server.http_server.HEADER_SECONDS", 0.2)
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('hangs')}"}) as service,
        ThreadPoolExecutor(1) as clients,
    ):
        answer = clients.submit(service.post, "/v1/ask", BODY)
        wait_until(lambda: server.count("hangs") == 1)
        with socket.create_connection(("127.0.0.1", urlsplit(service.url).port or 0)) as silent:
            assert closed_by_the_service(silent)  # so the time is up for who sends no headers
        server.released.set()
        assert answer.result().json()["answer"] == "Paris"


def test_an_answer_that_takes_too_long_is_stopped(workbench: Workbench) -> None:
    limits = ServeLimits(seconds=1.5)
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('writes-on')}"}, limits=limits) as service,
    ):
        response = service.post("/v1/ask", BODY)
        assert (response.status_code, response.json()["error"]["code"]) == (504, "timeout")
        assert "1.5 seconds" in response.json()["error"]["message"]
        assert server.gone.wait(LONGEST)
        wait_until(lambda: is_idle(service))


def test_a_stream_that_takes_too_long_ends_with_an_error(workbench: Workbench) -> None:
    limits = ServeLimits(seconds=1.5)
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('writes-on')}"}, limits=limits) as service,
    ):
        events = service.events(BODY)
        assert events[0][0] == "evidence" and ("token" in {name for name, _ in events})
        assert (events[-1][0], events[-1][1]["error"]["code"]) == ("error", "timeout")


def test_a_partial_answer_is_not_kept(workbench: Workbench) -> None:
    with misbehaving() as server:
        recipe = {"generator": f"openai-like:m@{server.url('writes-on')}"}
        with running(workbench, recipe, cached=True, limits=ServeLimits(seconds=1.5)) as service:
            service.post("/v1/ask", BODY)
            service.post("/v1/ask", BODY)
            assert server.count("writes-on") == 2


def test_many_clients_at_once_get_the_answers_of_one(service: RunningService) -> None:
    questions = ["Kuka keksi radion?", "Who invented radio?", "Wer hat das Radio erfunden?"]
    alone = {text: service.post("/v1/ask", {"question": text}).json()["answer"] for text in questions}

    def answer(text: str) -> tuple[str, str]:
        return text, service.post("/v1/ask", {"question": text}).json()["answer"]

    with ThreadPoolExecutor(12) as clients:
        assert all(alone[text] == together for text, together in clients.map(answer, questions * 4))
