"""One model at several endpoints: who is called, who answers where one is gone, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, Thread

import pytest

from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.core.errors import GenerationFailed, MissingError, UsageError
from workbench.core.records import Prompt, Task
from workbench.core.stopping import stopping_with
from workbench.models.llm.endpoint import Endpoint, HostTurns, host_and_port
from workbench.models.llm.llm_generator import LLMGenerator
from workbench.models.llm.retrying import Deadline, RetryPolicy
from workbench.models.llm.sources import OpenAILikeSource, PooledSource
from workbench.workspace import settings

Two = tuple[MisbehavingServer, MisbehavingServer]
PROMPT = Prompt("Answer in French.", "What is the capital of France?", Task("What is the capital of France?", "en"))
GONE = "http://127.0.0.1:9/v1"
"""Where nothing listens."""
SHORT = 1.0
"""Seconds of silence after which a host hangs."""


@pytest.fixture
def servers() -> Iterator[Two]:
    with misbehaving() as first, misbehaving() as second:
        yield first, second


def pool(*urls: str, key: str = "", limit: int = 0) -> PooledSource:
    return PooledSource("m", [Endpoint(url, key) for url in urls], limit, HostTurns())


def pooled(
    *urls: str, key: str = "", limit: int = 0, waits: list[float] | None = None, silence: float = 60.0
) -> LLMGenerator:
    import llama_index.llms.openai_like  # noqa: F401  its import must not count as a host's silence

    return LLMGenerator(
        pool(*urls, key=key, limit=limit),
        policy=RetryPolicy(call_seconds=silence),
        sleep=(waits if waits is not None else []).append,
    )


def test_a_batch_is_shared_among_hosts_and_none_takes_more_than_its_limit(servers: Two) -> None:
    first, second = servers
    generations = pooled(first.url("well"), second.url("well"), limit=2).generate([PROMPT] * 16)
    assert {generation.text for generation in generations} == {"Paris"}
    assert len(first.requests) + len(second.requests) == 16
    assert min(len(first.requests), len(second.requests)) >= 2
    assert max(first.most_under_way, second.most_under_way) <= 2


def test_the_calls_of_a_host_that_is_gone_go_to_the_others_at_once(servers: Two) -> None:
    waits: list[float] = []
    generator = pooled(GONE, servers[0].url("well"), waits=waits)
    assert [generator.generate([PROMPT])[0].text for _ in range(4)] == ["Paris"] * 4
    assert waits == [0.0], "the host that is gone rests after its first failure"


def test_a_host_that_crashes_rests_and_another_answers(servers: Two) -> None:
    first, second = servers
    generator = pooled(first.url("keeps-crashing"), second.url("well"))
    assert [generator.generate([PROMPT])[0].text for _ in range(2)] == ["Paris", "Paris"]
    assert (len(first.requests), len(second.requests)) == (1, 2)


@pytest.mark.parametrize("way", ["wrong-model", "no-such-route"])
def test_a_host_without_the_model_rests_and_another_answers(servers: Two, way: str) -> None:
    first, second = servers
    waits: list[float] = []
    generator = pooled(first.url(way), second.url("well"), waits=waits)
    assert [generator.generate([PROMPT])[0].text for _ in range(3)] == ["Paris"] * 3
    assert (len(first.requests), len(second.requests), waits) == (1, 3, [0.0])


def test_where_no_host_has_the_model_each_is_called_once_and_the_sentence_says_so(servers: Two) -> None:
    first, second = servers
    generator = pooled(first.url("wrong-model"), second.url("wrong-model"))
    with pytest.raises(GenerationFailed, match=r"^There is no model “m” at .*Tried 2 times\.$"):
        generator.generate([PROMPT])
    assert (len(first.requests), len(second.requests)) == (1, 1)


def test_a_host_that_hangs_rests_and_another_answers(servers: Two) -> None:
    first, second = servers
    generator = pooled(first.url("hangs"), second.url("well"), silence=SHORT)
    assert [generator.generate([PROMPT])[0].text for _ in range(3)] == ["Paris"] * 3
    assert (len(first.requests), len(second.requests)) == (1, 3)


def test_a_stream_that_hangs_before_its_first_piece_goes_to_another_host(servers: Two) -> None:
    first, second = servers
    stream = pooled(first.url("hangs"), second.url("well"), silence=SHORT).stream(PROMPT)
    assert "".join(stream) == "Paris"
    assert stream.generation.server == host_and_port(second.url("well"))


def test_where_every_host_hangs_each_is_called_once(servers: Two) -> None:
    first, second = servers
    with pytest.raises(GenerationFailed, match=r"was silent for 1 s.*Tried 2 times\.$"):
        pooled(first.url("hangs"), second.url("hangs"), silence=SHORT).generate([PROMPT])
    assert (len(first.requests), len(second.requests)) == (1, 1)


def test_where_every_host_is_gone_the_failure_is_that_of_one() -> None:
    with pytest.raises(GenerationFailed, match=r"^Nothing listens at http://127.0.0.1:(9|10)/v1.*Tried 2 times\.$"):
        pooled(GONE, "http://127.0.0.1:10/v1").generate([PROMPT])


def test_a_refusal_is_no_reason_to_call_another_host(servers: Two) -> None:
    first, second = servers
    with pytest.raises(GenerationFailed, match="401"):
        pooled(first.url("unauthorised"), second.url("well")).generate([PROMPT])
    assert not second.requests


def test_an_answer_names_the_host_that_wrote_it_among_several(servers: Two) -> None:
    url = servers[0].url("well")
    assert pooled(GONE, url).generate([PROMPT])[0].server == host_and_port(url)
    assert pooled(url).generate([PROMPT])[0].server == ""
    stream = pooled(GONE, url).stream(PROMPT)
    assert "".join(stream) == "Paris"
    assert stream.generation.server == host_and_port(url)


def test_the_first_address_is_the_identity_and_a_single_one_keeps_that_it_had() -> None:
    other = "http://b.example/v1"
    alone = OpenAILikeSource("m", Endpoint(GONE, "")).identity
    assert pool(GONE, other).identity == pool(GONE).identity == alone
    assert pool(other, GONE).identity != alone


def test_no_host_is_called_where_one_of_them_is_not_allowed(servers: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_SHARED", "1")
    monkeypatch.setenv("WORKBENCH_ENDPOINT_HOSTS", "127.0.0.1")
    with pytest.raises(UsageError, match=r"The host “models\.example” is not allowed"):
        pooled(servers[0].url("well"), "http://models.example/v1").generate([PROMPT])
    assert not servers[0].requests


def test_every_host_is_sent_the_endpoints_key_and_a_missing_one_is_reported(
    servers: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "secret", {"TEST_API_KEY": "planted"}.get)
    urls = [server.url("well") for server in servers]
    pooled(*urls, key="TEST_API_KEY").generate([PROMPT] * 6)
    sent = {request.headers["authorization"] for server in servers for request in server.requests}
    assert sent == {"Bearer planted"} and all(server.requests for server in servers)
    with pytest.raises(MissingError, match="OTHER_API_KEY"):
        pooled(*urls, key="OTHER_API_KEY").generate([PROMPT])


def test_stop_ends_the_wait_for_a_turn(servers: Two) -> None:
    server, stop = servers[0], Event()
    source = pool(server.url("hangs"), limit=1)
    busy = Thread(target=LLMGenerator(source).attempt, args=([PROMPT],))
    busy.start()
    while not server.requests:
        stop.wait(0.01)
    failures: list[str] = []

    def attempt() -> None:
        with stopping_with(stop):
            failures.extend(map(str, LLMGenerator(source).attempt([PROMPT])))

    waiting = Thread(target=attempt)
    waiting.start()
    stop.wait(0.1)
    stop.set()
    waiting.join(5)
    assert failures == ["It was stopped before it answered."] and len(server.requests) == 1
    server.released.set()
    busy.join()


def test_the_wait_for_a_turn_does_not_count_as_the_calls_time() -> None:
    source, deadline, busy = pool(GONE, limit=1), Deadline(100.0), Event()

    def occupy() -> None:
        with source.turn(Deadline(100.0)):
            busy.set()
            Event().wait(0.2)

    thread = Thread(target=occupy)
    thread.start()
    busy.wait()
    with source.turn(deadline):
        assert deadline.waited >= 0.1
        assert deadline.elapsed < deadline.waited
    thread.join()


def test_the_check_of_an_endpoint_calls_every_host(servers: Two) -> None:
    good = servers[0].url("well")
    health = pooled(good, GONE).check()
    assert not health.ok
    assert f"{good} answered" in health.sentence and f"Nothing listens at {GONE}" in health.sentence
    assert pooled(good, servers[1].url("well")).check().ok
