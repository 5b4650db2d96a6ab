"""What is wrong with a request is answered by a status and one sentence, in one form."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.server.running import NAME, RunningService, running, wait_until
from tests.servers.misbehaving import misbehaving
from workbench.app.workbench import Workbench
from workbench.server.access_gate import serve_keys

KEYS = ("first-key-0123456789", "second-key-0123456789")
ASK, CHAT = "/v1/ask", "/v1/chat/completions"
JSON = {"Content-Type": "application/json"}


def refused(response: object, status: int, *words: str, code: str = "") -> None:
    """Asserts OpenAI's form of an error, with one or two sentences that hold some words."""
    assert getattr(response, "status_code") == status, getattr(response, "text")  # noqa: B009
    error = getattr(response, "json")()["error"]  # noqa: B009
    assert error.keys() == {"message", "type", "code"}
    assert all(isinstance(value, str) and value for value in error.values())
    assert len(error["message"]) < 500 and "\n" not in error["message"]
    for word in words:
        assert word in error["message"]
    assert code in ("", error["code"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b'{"question": ', "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'"Who?"', "not a JSON object"),
        (b'{"question": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "nested"),
        (b'{"question": ' + b"[" * 100_000, "nested"),
        (b"{}", "“question” is missing"),
        (b'{"question": 7}', "The field “question” is 7; it must be a text. Send an object such as {"),
        (b'{"question": null}', "The field “question” is null; it must be a text."),
        (b'{"question": "Who?", "langauge": "en"}', "Unknown field “langauge”. Allowed: question, language."),
        (b'{"question": "Who?", "language": "klingon"}', "Unknown language “klingon”"),
        (b'{"question": "Who?", "language": ""}', "language"),
        (b'{"question": ""}', "The question is empty"),
        (b'{"question": "  \\n "}', "The question is empty"),
        (b'{"question": "?!"}', "holds no letter or digit"),
        (b'{"question": "a\\ud800b"}', "an invalid character"),
        (b'{"question": "\\ud800", "x\\ud800": 1}', "an invalid character"),
    ],
)
def test_a_wrong_body_is_explained(content: bytes, words: str, service: RunningService) -> None:
    with service.client() as client:
        for path in (ASK, "/v1/retrieve", "/v1/stream"):
            refused(client.post(path, content=content, headers=JSON), 400, words)


def test_a_question_that_is_too_long_is_refused(service: RunningService) -> None:
    refused(service.post(ASK, {"question": "a" * 2_001}), 400, "2,001 characters", "at most 2,000")


def test_a_question_without_a_language_that_can_be_identified_asks_for_one(service: RunningService) -> None:
    refused(service.post(ASK, {"question": "1234567"}), 400, "give it as an ISO 639 code", code="language_unknown")


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"messages": [{"role": "user", "content": "Who?"}]}, 400, "“model” is missing"),
        ({"model": NAME}, 400, "“messages” is missing"),
        ({"model": NAME, "messages": []}, 400, "“messages” has 0 messages; allowed are 1 to 1,000. Send the question"),
        ({"model": NAME, "messages": [{}] * 1_001}, 400, "“messages.0.role” is missing"),
        ({"model": NAME, "messages": [{"role": "user", "content": "a"}] * 1_001}, 400, "has 1,001 messages"),
        ({"model": NAME, "messages": "Who?"}, 400, '“messages” is "Who?"; it must be a list.'),
        ({"model": NAME, "messages": ["Who?"]}, 400, '“messages.0” is "Who?"; it must be an object.'),
        (
            {"model": NAME, "messages": [{"role": "king", "content": "Who?"}]},
            400,
            "“messages.0.role” is \"king\"; it must be one of 'system', 'developer', 'user'",
        ),
        (
            {"model": NAME, "messages": [{"role": "user", "content": 7}]},
            400,
            "“messages.0.content” is 7; it must be a text",
        ),
        ({"model": NAME, "messages": [{"role": "user", "content": "Who?"}], "stream": "loud"}, 400, "true or false"),
        ({"model": NAME, "messages": [{"role": "user", "content": "Who?"}], "n": 1.5}, 400, "a whole number"),
        ({"model": NAME, "messages": [{"role": "user", "content": "Who?"}], "metadata": 1}, 400, "an object"),
        ({"model": NAME, "messages": [{"role": "user", "content": "Who?"}], "speed": 9}, 400, "Unknown field “speed”"),
        ({"model": NAME, "messages": [{"role": "user", "content": "Who?", "mood": 1}]}, 400, "messages.0.mood"),
        ({"model": NAME, "messages": [{"role": "user", "content": ""}]}, 400, "The question is empty"),
        (
            {"model": NAME, "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            400,
            "messages.0.content",
        ),
        ({"model": "x", "messages": [{"role": "user", "content": "Who?"}]}, 404, NAME),
    ],
)
def test_a_wrong_chat_is_explained(body: object, status: int, words: str, service: RunningService) -> None:
    refused(service.post(CHAT, body), status, words)


def test_what_is_not_http_is_refused_in_the_same_form(service: RunningService) -> None:
    with socket.create_connection(("127.0.0.1", urlsplit(service.url).port or 0), timeout=60) as connection:
        connection.sendall(b"EHLO example.org\r\n\r\n")
        reply = b""
        while piece := connection.recv(4_096):
            reply += piece
    assert reply.startswith(b"HTTP/1.1 400")
    assert json.loads(reply.partition(b"\r\n\r\n")[2])["error"]["message"].startswith("The request is not HTTP/1.1")


def test_a_body_of_ten_megabytes_is_refused_without_being_kept(service: RunningService) -> None:
    with service.client() as client:
        for path in (ASK, "/v1/retrieve", "/v1/stream", CHAT):
            refused(
                client.post(path, content=b'{"question": "' + b"a" * 10_000_000 + b'"}', headers=JSON),
                413,
                "more than 1,048,576 bytes",
                code="too_large",
            )


def test_a_body_of_unannounced_length_is_limited_too(service: RunningService) -> None:
    with service.client() as client:
        parts = (b"a" * 100_000 for _ in range(20))
        refused(client.post(ASK, content=parts, headers=JSON), 413, "1,048,576")


def test_a_form_that_a_web_page_could_send_is_no_request(service: RunningService) -> None:
    with service.client() as client:
        refused(client.post(ASK, content=b'{"question": "Who?"}', headers={"Content-Type": "text/plain"}), 415, "JSON")


def test_without_keys_a_request_under_another_hosts_name_is_refused(service: RunningService) -> None:
    refused(service.get("/v1/models", Host="attacker.example"), 403, "localhost", code="host_not_allowed")


def test_addresses_and_methods_that_do_not_exist_are_refused_in_the_same_form(service: RunningService) -> None:
    refused(service.get("/v1/nothing"), 404, code="not_found")
    refused(service.get("/../etc/passwd"), 404)
    refused(service.get("/health/"), 404)
    refused(service.get("/health%0A"), 404)
    response = service.get(ASK)
    refused(response, 405, "Use POST")
    assert response.headers["allow"] == "POST"


def test_with_keys_a_request_must_show_one_of_them(
    sample_workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_SERVE_KEYS", ", ".join(KEYS))
    with running(sample_workbench, {"k": 1}, keys=serve_keys()) as service:
        for path in (ASK, "/v1/retrieve", "/v1/stream", CHAT):
            response = service.post(path, {"question": "Who?", "language": "en"})
            refused(response, 401, "is missing", code="invalid_api_key")
            assert response.headers["www-authenticate"] == "Bearer"
        refused(service.get("/v1/models"), 401)
        refused(service.get("/metrics"), 401)
        for header in ("Bearer wrong-key-0123456789", f"Basic {KEYS[0]}", KEYS[0], "Bearer", f"Bearer {KEYS[0]}x"):
            refused(service.get("/v1/models", Authorization=header), 401, "is not one of this service")
        for key in KEYS:
            assert service.get("/v1/models", Authorization=f"Bearer {key}").status_code == 200
        assert service.get("/health").status_code == 200
        assert not any(key in line for key in KEYS for line in service.log)


def test_a_key_is_asked_for_before_a_body_is_read(sample_workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_SERVE_KEYS", KEYS[0])
    with (
        running(sample_workbench, {"k": 1}, keys=serve_keys()) as service,
        socket.create_connection(("127.0.0.1", urlsplit(service.url).port or 0), timeout=20) as connection,
    ):
        connection.sendall(b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
        assert connection.recv(1_000).startswith(b"HTTP/1.1 401")


def test_a_model_that_fails_is_a_gateways_error_without_its_key(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with misbehaving() as server:
        recipe = {"generator": f"openai-like:m@{server.url('unauthorised')}"}
        with running(workbench, recipe) as service:
            response = service.post(ASK, {"question": "Who invented radio?", "language": "en"})
    refused(response, 502, code="model_failed")
    assert "Bearer" not in response.text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/stream", {"question": "Who invented radio?", "language": "en"}),
        (CHAT, {"model": NAME, "stream": True, "messages": [{"role": "user", "content": "Who invented radio?"}]}),
    ],
)
def test_a_stream_that_fails_after_it_began_is_logged_and_counted_as_a_failure(
    path: str, body: dict[str, object], workbench: Workbench
) -> None:
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('fails-within')}"}) as service,
    ):
        service.events(body, path)
        wait_until(lambda: service.log)
        assert service.log[0].startswith(f"POST {path} 502 ")
        assert service.figure(f'mrag_requests_total{{route="{path}",status="502"}}') == 1
        assert service.figure(f'mrag_requests_total{{route="{path}",status="200"}}') == 0
        assert service.figure(f'mrag_request_seconds_count{{route="{path}",status="502"}}') == 1


def test_a_stream_that_breaks_off_unexpectedly_is_logged_as_such(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    with running(workbench, {"k": 1}) as service:
        monkeypatch.setattr("workbench.server.service.sse", broken)
        with pytest.raises(httpx.RemoteProtocolError):
            service.events({"question": "Who?", "language": "en"})
        wait_until(lambda: service.log)
        assert service.log[0].startswith("POST /v1/stream 500 ")
        assert [type(error) for error in service.failures] == [ZeroDivisionError]


def test_what_nobody_expected_is_one_sentence_and_its_details_stay_here(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret of /home/somebody")

    with running(workbench, {"k": 1}) as service:
        monkeypatch.setattr(workbench, "ask", broken)
        response = service.post(ASK, {"question": "Who?", "language": "en"})
        refused(response, 500, "unexpected", code="unexpected")
        assert "secret" not in response.text
        assert [type(error) for error in service.failures] == [ZeroDivisionError]


def test_an_errors_message_names_no_path(workbench: Workbench, tmp_path: Path) -> None:
    with running(workbench, {"generator": f"huggingface:{tmp_path}/no-model"}) as service:
        response = service.post(ASK, {"question": "Who?", "language": "en"})
    refused(response, 503, code="not_available")
    assert str(tmp_path) not in response.text


def test_the_log_has_a_line_per_request_without_its_question(service: RunningService) -> None:
    service.post(ASK, {"question": "Kuka keksi radion?", "language": "fi"})
    service.get("/nothing/Kuka")
    # A line is written once the reply is sent, which its client may read before.
    wait_until(lambda: any(line.startswith("POST /v1/ask 200 ") for line in service.log))
    wait_until(lambda: any(line.startswith("GET other 404 ") for line in service.log))
    assert not any("Kuka" in line for line in service.log)


def test_questions_are_logged_where_the_operator_wants_it(sample_workbench: Workbench) -> None:
    with running(sample_workbench, {"k": 1}, logs_questions=True) as service:
        service.post(ASK, {"question": "Kuka keksi\nradion?", "language": "fi"})
        wait_until(lambda: service.log)
        assert service.log[0].endswith("“Kuka keksi radion?”")


def test_a_body_with_two_lengths_is_refused_and_its_connection_closed(service: RunningService) -> None:
    body = b'{"question": "Who invented the radio?"}'
    head = (
        f"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    ).encode()
    chunked = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", urlsplit(service.url).port or 0), timeout=60) as connection:
        connection.sendall(head + chunked + b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        reply = b""
        while piece := connection.recv(4_096):
            reply += piece
    assert reply.startswith(b"HTTP/1.1 400") and b"Content-Length and by Transfer-Encoding" in reply
    assert reply.count(b"HTTP/1.1 ") == 1
