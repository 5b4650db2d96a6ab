"""Servers that go wrong: each ends in a right answer, or in one sentence that names cause and remedy.

A time-out is proved by a server that would give a right answer later: the failure is that it was not waited for.
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

import pytest

from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench import settings
from workbench.errors import GenerationFailed
from workbench.llm.endpoint import Endpoint
from workbench.llm.llm_generator import LLMGenerator
from workbench.llm.retrying import Patience
from workbench.llm.sources import OpenAILikeSource
from workbench.records import Prompt, Task

PROMPT = Prompt("Answer.", "What is the capital of France?", Task("What is the capital of France?", "en"))
KEY = "planted-key-of-the-tests"
SHORT = 0.4


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "secret", {"TEST_KEY": KEY}.get, raising=False)


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as running:
        yield running


class Over:
    """A generator over `url`, its waits written down instead of waited."""

    def __init__(self, url: str, *, key: str = "", call: float = 60.0, total: float = 120.0) -> None:
        import llama_index.llms.openai_like  # noqa: F401  its import must not count as the server's silence

        self.waits: list[float] = []
        self.generator = LLMGenerator(
            OpenAILikeSource("m", Endpoint(url, key)),
            patience=Patience(call_seconds=call, total_seconds=total),
            sleep=self.waits.append,
        )

    def answer(self) -> str:
        return self.generator.generate([PROMPT])[0].text

    def failure(self) -> str:
        with pytest.raises(GenerationFailed) as caught:
            self.answer()
        assert caught.value.__context__ is None, "an error below may hold a key"
        return str(caught.value)

    def stream_failure(self) -> str:
        stream = self.generator.stream(PROMPT)
        with pytest.raises(GenerationFailed) as caught:
            list(stream)
        return str(caught.value)


def test_a_refused_key_is_named_by_its_variable_and_never_shown(server: MisbehavingServer) -> None:
    over = Over(server.url("unauthorised"), key="TEST_KEY")
    said = over.failure()
    assert said.endswith("refused the key (401); set the environment variable TEST_KEY to a valid one.")
    assert KEY not in said
    assert server.count("unauthorised") == 1, "a refused key is not tried again"


def test_a_missing_key_is_told_as_such(server: MisbehavingServer) -> None:
    assert "wants a key (401); name the environment variable" in Over(server.url("unauthorised")).failure()


def test_a_busy_server_is_asked_again_when_it_said_to(server: MisbehavingServer) -> None:
    over = Over(server.url("busy"))
    assert over.answer() == "Paris"
    assert over.waits == [7.0]


def test_a_server_that_asks_for_more_patience_than_there_is_fails_at_once(server: MisbehavingServer) -> None:
    over = Over(server.url("busy-for-an-hour"))
    assert "asks to wait 3600 s, longer than the time allowed (120 s)" in over.failure()
    assert over.waits == []


def test_an_account_without_credit_is_not_asked_again(server: MisbehavingServer) -> None:
    assert "no credit left" in Over(server.url("no-credit")).failure()
    assert server.count("no-credit") == 1


def test_a_server_that_crashes_three_times_and_then_works_gives_the_right_answer(server: MisbehavingServer) -> None:
    over = Over(server.url("crashes-thrice"))
    assert over.answer() == "Paris"
    assert len(over.waits) == 3
    assert over.waits == sorted(over.waits), "it waits longer each time"


def test_a_stream_too_is_begun_again_after_crashes(server: MisbehavingServer) -> None:
    assert list(Over(server.url("crashes-thrice")).generator.stream(PROMPT)) == ["Pa", "ris"]


def test_a_server_that_keeps_crashing_is_told_after_four_attempts(server: MisbehavingServer) -> None:
    said = Over(server.url("keeps-crashing"), key="TEST_KEY").failure()
    assert "has an error of its own (500)" in said
    assert said.endswith("Tried 4 times.")
    assert KEY not in said


def test_a_server_that_hangs_is_left_at_the_time_out(server: MisbehavingServer) -> None:
    said = Over(server.url("hangs"), call=SHORT).failure()
    assert "was silent for 0.4 s" in said


def test_a_stream_that_hangs_before_the_first_piece_is_left_at_the_time_out(server: MisbehavingServer) -> None:
    assert "was silent for 0.4 s" in Over(server.url("hangs"), call=SHORT).stream_failure()


def test_a_stream_that_hangs_within_the_answer_is_left_at_the_time_out(server: MisbehavingServer) -> None:
    stream = Over(server.url("hangs-within"), call=SHORT).generator.stream(PROMPT)
    with pytest.raises(GenerationFailed, match="was silent"):
        list(stream)
    assert stream.text == "Pa"


@pytest.mark.parametrize("streamed", [False, True])
def test_a_server_that_keeps_the_line_alive_without_an_answer_is_left_in_time(
    server: MisbehavingServer, streamed: bool
) -> None:
    over = Over(server.url("trickles"), total=SHORT)
    assert "was not done within 0.4 s" in (over.stream_failure() if streamed else over.failure())


def test_an_answer_cut_off_is_asked_for_again(server: MisbehavingServer) -> None:
    assert Over(server.url("cuts-once")).answer() == "Paris"


def test_a_stream_cut_off_is_told_and_its_part_kept(server: MisbehavingServer) -> None:
    stream = Over(server.url("cuts")).generator.stream(PROMPT)
    with pytest.raises(GenerationFailed, match="broke off within the answer; ask again"):
        list(stream)
    assert stream.text == "Pa"


def test_a_stream_that_ends_in_an_error_says_the_servers_reason(server: MisbehavingServer) -> None:
    assert "out of memory" in Over(server.url("fails-within")).stream_failure()


@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_that_is_no_json_is_told_as_such(server: MisbehavingServer, streamed: bool) -> None:
    over = Over(server.url("bad-json"))
    assert "sent what is not JSON" in (over.stream_failure() if streamed else over.failure())


@pytest.mark.parametrize("streamed", [False, True])
def test_a_web_page_in_place_of_an_answer_points_at_the_address(server: MisbehavingServer, streamed: bool) -> None:
    over = Over(server.url("web-page"))
    said = over.stream_failure() if streamed else over.failure()
    assert "often ends in /v1" in said or "empty answer" in said


@pytest.mark.parametrize("way", ["no-choice", "says-nothing"])
def test_an_empty_answer_is_a_failure(server: MisbehavingServer, way: str) -> None:
    assert "gave an empty answer; ask again, or take another model" in Over(server.url(way)).failure()


def test_an_empty_stream_is_a_failure(server: MisbehavingServer) -> None:
    assert "gave an empty answer" in Over(server.url("no-choice")).stream_failure()


def test_a_model_that_spends_its_tokens_on_reasoning_is_told_as_such(server: MisbehavingServer) -> None:
    assert "allow more new tokens" in Over(server.url("only-reasons")).failure()


def test_a_withheld_answer_is_a_failure(server: MisbehavingServer) -> None:
    assert "withheld the answer (content filter)" in Over(server.url("withholds")).failure()


def test_a_prompt_over_the_models_context_names_the_remedy(server: MisbehavingServer) -> None:
    said = Over(server.url("context-too-long")).failure()
    assert "give fewer passages (a smaller --k), or a model with a longer context" in said
    assert "maximum context length is 4096 tokens" in said


def test_a_wrong_model_name_is_told_as_such(server: MisbehavingServer) -> None:
    assert "There is no model “m” at http://127.0.0.1" in Over(server.url("wrong-model")).failure()


def test_a_wrong_address_is_told_as_such(server: MisbehavingServer) -> None:
    assert "check the address, which often ends in /v1" in Over(server.url("no-such-route")).failure()


def test_a_server_that_is_not_running_is_told_as_such() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert (
        f"Nothing listens at http://127.0.0.1:{port}/v1; start the server"
        in Over(f"http://127.0.0.1:{port}/v1").failure()
    )


def test_a_host_that_no_network_knows_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> object:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert "is not known to this network" in Over("http://models.invalid/v1").failure()


@pytest.fixture(scope="session")
def own_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that nobody signed, with its key."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    try:
        subprocess.run(
            [*command, "-keyout", f"{path}.key", "-out", f"{path}.crt"], check=True, capture_output=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        pytest.skip("openssl is not here to make a certificate with")
    path.write_text(Path(f"{path}.key").read_text() + Path(f"{path}.crt").read_text())
    return path


def test_a_certificate_that_is_not_trusted_is_told_as_such(own_certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own_certificate)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(10.0)

        def greet() -> None:
            try:
                context.wrap_socket(listening.accept()[0], server_side=True)
            except OSError:
                return

        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        said = Over(f"https://127.0.0.1:{listening.getsockname()[1]}/v1").failure()
        thread.join(10.0)
    assert "is not trusted; if it is your own, set SSL_CERT_FILE" in said


def test_a_check_makes_one_real_call_and_shows_what_came(server: MisbehavingServer) -> None:
    health = Over(server.url("well")).generator.check()
    assert health.ok
    assert "“m” at http://127.0.0.1" in health.sentence
    assert "answered “Paris”" in health.sentence
    assert server.count("well") == 1


def test_a_check_that_fails_says_why_and_is_not_repeated(server: MisbehavingServer) -> None:
    health = Over(server.url("keeps-crashing")).generator.check()
    assert not health.ok
    assert "has an error of its own (500)" in health.sentence
    assert server.count("keeps-crashing") == 1


def test_a_model_that_only_begins_to_reason_within_the_checks_few_tokens_is_well(server: MisbehavingServer) -> None:
    assert Over(server.url("only-reasons")).generator.check().ok


@pytest.mark.parametrize("way", ["unauthorised", "keeps-crashing", "well"])
def test_no_key_is_in_a_log_line_or_a_traceback(
    server: MisbehavingServer, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    text = ""
    try:
        Over(server.url(way), key="TEST_KEY").answer()
    except GenerationFailed:
        text = traceback.format_exc()
    assert KEY not in text
    assert KEY not in caplog.text
