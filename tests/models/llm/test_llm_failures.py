"""Servers that go wrong: each ends in a right answer, or in one sentence that names cause and remedy.

A timeout is proved by a server that would give a right answer later: the failure shows that nobody waited for it.
"""

from __future__ import annotations

import logging
import socket
import ssl
import subprocess
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.core.errors import GenerationFailed
from workbench.core.records import Prompt, Task
from workbench.models.llm.endpoint import Endpoint
from workbench.models.llm.failures import CallTarget, explain
from workbench.models.llm.llm_generator import LLMGenerator
from workbench.models.llm.retrying import RetryPolicy
from workbench.models.llm.sources import OpenAILikeSource
from workbench.workspace import settings

PROMPT = Prompt("Answer.", "What is the capital of France?", Task("What is the capital of France?", "en"))
KEY = "planted-key-of-the-tests"
SHORT = 0.4


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "secret", {"TEST_API_KEY": KEY}.get, raising=False)


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as running:
        yield running


class Client:
    """A generator over `url`, its waits recorded instead of waited."""

    def __init__(self, url: str, *, key: str = "", call: float = 60.0, total: float = 120.0) -> None:
        import llama_index.llms.openai_like  # noqa: F401  its import must not count as the server's silence

        self.waits: list[float] = []
        self.generator = LLMGenerator(
            OpenAILikeSource("m", Endpoint(url, key)),
            policy=RetryPolicy(call_seconds=call, total_seconds=total),
            sleep=self.waits.append,
        )

    def answer(self) -> str:
        return self.generator.generate([PROMPT])[0].text

    def failure(self) -> str:
        with pytest.raises(GenerationFailed) as caught:
            self.answer()
        assert caught.value.__context__ is None, "an underlying error may contain a key"
        return str(caught.value)

    def stream_failure(self) -> str:
        stream = self.generator.stream(PROMPT)
        with pytest.raises(GenerationFailed) as caught:
            list(stream)
        return str(caught.value)


def test_a_refused_key_is_named_by_its_variable_and_never_shown(server: MisbehavingServer) -> None:
    client = Client(server.url("unauthorised"), key="TEST_API_KEY")
    message = client.failure()
    assert message.endswith("refused the key (401); set the environment variable TEST_API_KEY to a valid one.")
    assert KEY not in message
    assert server.count("unauthorised") == 1, "a refused key is not tried again"


def test_a_missing_key_is_reported_as_such(server: MisbehavingServer) -> None:
    assert "needs a key (401); name the environment variable" in Client(server.url("unauthorised")).failure()


def test_a_busy_server_is_called_again_after_the_wait_that_it_requests(server: MisbehavingServer) -> None:
    client = Client(server.url("busy"))
    assert client.answer() == "Paris"
    assert client.waits == [7.0]


def test_a_server_that_requests_a_longer_wait_than_is_allowed_fails_at_once(server: MisbehavingServer) -> None:
    client = Client(server.url("busy-for-an-hour"))
    assert "asks to wait 3600 s, longer than the time allowed (120 s)" in client.failure()
    assert client.waits == []


def test_an_account_without_credit_is_not_called_again(server: MisbehavingServer) -> None:
    assert "no credit left" in Client(server.url("no-credit")).failure()
    assert server.count("no-credit") == 1


def test_a_server_that_crashes_three_times_and_then_works_gives_the_right_answer(server: MisbehavingServer) -> None:
    client = Client(server.url("crashes-thrice"))
    assert client.answer() == "Paris"
    assert len(client.waits) == 3
    assert client.waits == sorted(client.waits), "it waits longer each time"


def test_a_stream_is_also_started_again_after_crashes(server: MisbehavingServer) -> None:
    assert list(Client(server.url("crashes-thrice")).generator.stream(PROMPT)) == ["Pa", "ris"]


def test_a_server_that_keeps_crashing_is_reported_after_four_attempts(server: MisbehavingServer) -> None:
    message = Client(server.url("keeps-crashing"), key="TEST_API_KEY").failure()
    assert "has an internal error (500)" in message
    assert message.endswith("Tried 4 times.")
    assert KEY not in message


def test_a_server_that_hangs_is_abandoned_at_the_timeout(server: MisbehavingServer) -> None:
    message = Client(server.url("hangs"), call=SHORT).failure()
    assert "was silent for 0.4 s" in message
    assert server.count("hangs") == 1, "a single address is not called again"


def test_a_stream_that_hangs_before_the_first_piece_is_abandoned_at_the_timeout(server: MisbehavingServer) -> None:
    assert "was silent for 0.4 s" in Client(server.url("hangs"), call=SHORT).stream_failure()


def test_a_stream_that_hangs_within_the_answer_is_abandoned_at_the_timeout(server: MisbehavingServer) -> None:
    stream = Client(server.url("hangs-within"), call=SHORT).generator.stream(PROMPT)
    with pytest.raises(GenerationFailed, match="was silent"):
        list(stream)
    assert stream.text == "Pa"


@pytest.mark.parametrize("streamed", [False, True])
def test_a_server_that_keeps_the_connection_alive_without_an_answer_is_abandoned_in_time(
    server: MisbehavingServer, streamed: bool
) -> None:
    client = Client(server.url("trickles"), total=SHORT)
    assert "did not finish within 0.4 s" in (client.stream_failure() if streamed else client.failure())


def test_an_answer_cut_off_is_requested_again(server: MisbehavingServer) -> None:
    assert Client(server.url("cuts-once")).answer() == "Paris"


def test_a_stream_cut_off_is_reported_and_its_part_kept(server: MisbehavingServer) -> None:
    stream = Client(server.url("cuts")).generator.stream(PROMPT)
    with pytest.raises(GenerationFailed, match="broke off within the answer; try again"):
        list(stream)
    assert stream.text == "Pa"


def test_a_stream_that_ends_in_an_error_repeats_the_servers_reason(server: MisbehavingServer) -> None:
    assert "out of memory" in Client(server.url("fails-within")).stream_failure()


@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_that_is_not_json_is_reported_as_such(server: MisbehavingServer, streamed: bool) -> None:
    client = Client(server.url("bad-json"))
    assert "sent no JSON" in (client.stream_failure() if streamed else client.failure())


@pytest.mark.parametrize("streamed", [False, True])
def test_a_web_page_in_place_of_an_answer_points_at_the_address(server: MisbehavingServer, streamed: bool) -> None:
    client = Client(server.url("web-page"))
    message = client.stream_failure() if streamed else client.failure()
    assert "often ends in /v1" in message or "empty answer" in message


@pytest.mark.parametrize("way", ["no-choice", "says-nothing"])
def test_an_empty_answer_is_a_failure(server: MisbehavingServer, way: str) -> None:
    assert "gave an empty answer; try again, or use another model" in Client(server.url(way)).failure()


def test_an_empty_stream_is_a_failure(server: MisbehavingServer) -> None:
    assert "gave an empty answer" in Client(server.url("no-choice")).stream_failure()


def test_a_model_that_spends_its_tokens_on_reasoning_is_reported_as_such(server: MisbehavingServer) -> None:
    assert "allow more new tokens" in Client(server.url("only-reasons")).failure()


def test_a_withheld_answer_is_a_failure(server: MisbehavingServer) -> None:
    assert "withheld the answer (content filter)" in Client(server.url("withholds")).failure()


def test_a_prompt_over_the_models_context_names_the_remedy(server: MisbehavingServer) -> None:
    message = Client(server.url("context-too-long")).failure()
    assert "give fewer passages (a smaller k), or a model with a longer context" in message
    assert "maximum context length is 4096 tokens" in message


def test_a_wrong_model_name_is_reported_as_such(server: MisbehavingServer) -> None:
    message = Client(server.url("wrong-model")).failure()
    assert "There is no model “m” at http://127.0.0.1" in message
    assert server.count("wrong-model") == 1, "a single address is not called again"


def test_a_wrong_address_is_reported_as_such(server: MisbehavingServer) -> None:
    message = Client(server.url("no-such-route")).failure()
    assert "check the address, which often ends in /v1" in message
    assert server.count("no-such-route") == 1, "a single address is not called again"


def test_a_server_that_is_not_running_is_reported_as_such() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert (
        f"Nothing listens at http://127.0.0.1:{port}/v1; start the server"
        in Client(f"http://127.0.0.1:{port}/v1").failure()
    )


def test_a_host_that_is_not_on_the_network_is_reported_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> object:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert "is not known on this network" in Client("http://models.invalid/v1").failure()


@pytest.fixture(scope="session")
def self_signed_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that nobody signed, with its key."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    try:
        subprocess.run(
            [*command, "-keyout", f"{path}.key", "-out", f"{path}.crt"], check=True, capture_output=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        pytest.skip("openssl is not installed, so no certificate can be made")
    path.write_text(Path(f"{path}.key").read_text() + Path(f"{path}.crt").read_text())
    return path


def test_a_certificate_that_is_not_trusted_is_reported_as_such(self_signed_certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed_certificate)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10.0)

        def greet() -> None:
            try:
                context.wrap_socket(listener.accept()[0], server_side=True)
            except OSError:
                return

        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        message = Client(f"https://127.0.0.1:{listener.getsockname()[1]}/v1").failure()
        thread.join(10.0)
    assert "is not trusted; if it is your own, set SSL_CERT_FILE" in message


def test_a_check_makes_one_real_call_and_shows_the_reply(server: MisbehavingServer) -> None:
    health = Client(server.url("well")).generator.check()
    assert health.ok
    assert "“m” at http://127.0.0.1" in health.sentence
    assert "answered “Paris”" in health.sentence
    assert server.count("well") == 1


def test_a_check_that_fails_states_why_and_is_not_repeated(server: MisbehavingServer) -> None:
    health = Client(server.url("keeps-crashing")).generator.check()
    assert not health.ok
    assert "has an internal error (500)" in health.sentence
    assert server.count("keeps-crashing") == 1


def test_a_model_that_only_begins_to_reason_within_the_checks_few_tokens_passes(server: MisbehavingServer) -> None:
    assert Client(server.url("only-reasons")).generator.check().ok


@pytest.mark.parametrize("way", ["unauthorised", "keeps-crashing", "well"])
def test_no_key_is_in_a_log_line_or_a_traceback(
    server: MisbehavingServer, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    text = ""
    try:
        Client(server.url(way), key="TEST_API_KEY").answer()
    except GenerationFailed:
        text = traceback.format_exc()
    assert KEY not in text
    assert KEY not in caplog.text


TARGET = CallTarget("m", "http://host/v1", "TEST_API_KEY", (KEY,))


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ssl.SSLError("wrong version number"), "does not speak TLS; check whether it begins with http:// or https://"),
        (httpx.ConnectTimeout("slow"), "http://host/v1 cannot be reached in time; check the address and the network"),
        (httpx.ReadTimeout("slow"), "“m” at http://host/v1 gave no answer in time; try a smaller model"),
        (httpx.ConnectError("no route"), "http://host/v1 cannot be reached; check the address and the network"),
    ],
)
def test_a_connection_that_fails_is_explained_as_the_hosts_failure(error: Exception, sentence: str) -> None:
    failure = explain(error, TARGET)
    assert sentence in str(failure)
    assert failure.host_failed, "another address may be called in its place"


def test_an_explained_failure_is_not_explained_again() -> None:
    failure = explain(httpx.ReadTimeout("slow"), TARGET)
    wrapped = RuntimeError("It broke.")
    wrapped.__cause__ = failure
    assert explain(wrapped, TARGET) is failure


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (f"the key {KEY} is odd", " It said: the key … is odd."),
        ("<HTML><h1>Teapot</h1>", "check the model's parameters."),
    ],
)
def test_a_refusal_that_is_not_json_is_repeated_without_the_key_unless_it_is_a_web_page(
    reply: str, sentence: str
) -> None:
    class Refused(Exception):
        status_code = 418

    assert str(explain(Refused(reply), TARGET)).endswith(sentence)
