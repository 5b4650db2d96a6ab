"""Generation over an OpenAI-compatible endpoint: what is sent and what comes back, in pieces and complete."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest
from pydantic import TypeAdapter

from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.core.errors import GenerationFailed, MissingError, UsageError
from workbench.core.protocols import Generator
from workbench.core.records import Generation, Prompt, Task
from workbench.core.stopping import stopping_with
from workbench.models.llm.conversation import StreamingGenerator, as_llama_llm
from workbench.models.llm.endpoint import Endpoint
from workbench.models.llm.llm_generator import LLMGenerator
from workbench.models.llm.retrying import RetryPolicy
from workbench.models.llm.sources import LlamaIndexSource, OpenAILikeSource
from workbench.workspace import settings

PROMPT = Prompt("Answer in French.", "What is the capital of France?", Task("What is the capital of France?", "en"))
DIALECTIC = Prompt("Weigh.", "Who?", Task("Who?", "en", dialectic=("extraction", "answer")))
KEY = "planted-key-of-the-tests"


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "secret", {"TEST_API_KEY": KEY}.get, raising=False)


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as running:
        yield running


def generator_for(server: MisbehavingServer, way: str, *, key: str = "", system_role: bool = True) -> LLMGenerator:
    source = OpenAILikeSource("m", Endpoint(server.url(way), key))
    return LLMGenerator(source, policy=RetryPolicy(first_wait=0.0), system_role=system_role, sleep=lambda _: None)


def test_an_answer_has_the_servers_token_counts_and_why_it_ended(server: MisbehavingServer) -> None:
    generation = generator_for(server, "well").generate([PROMPT])[0]
    assert (generation.text, generation.finish) == ("Paris", "stop")
    usage = generation.usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated) == (
        11,
        2,
        False,
    )


def test_tokens_that_the_server_does_not_count_are_estimated_and_marked(server: MisbehavingServer) -> None:
    generation = generator_for(server, "counts-nothing").generate([PROMPT])[0]
    usage = generation.usage
    assert usage is not None
    # 17 + 30 bytes of prompt are 5 + 8 tokens, 5 bytes of answer are 2.
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated) == (
        13,
        2,
        True,
    )


def test_the_system_prompt_and_the_question_are_sent_as_a_chat_at_temperature_0(server: MisbehavingServer) -> None:
    generator_for(server, "well").generate([PROMPT])
    body = server.requests[0].body
    assert [(message["role"], message["content"]) for message in body["messages"]] == [
        ("system", "Answer in French."),
        ("user", "What is the capital of France?"),
    ]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0.0, 128)


def test_a_dialectic_prompt_may_be_answered_with_2048_tokens(server: MisbehavingServer) -> None:
    generator_for(server, "well").generate([DIALECTIC])
    assert server.requests[0].body["max_tokens"] == 2048


def test_a_model_without_a_system_role_gets_the_instructions_in_the_users_turn(server: MisbehavingServer) -> None:
    generator_for(server, "well", system_role=False).generate([PROMPT])
    messages = server.requests[0].body["messages"]
    assert [message["role"] for message in messages] == ["user"]
    assert messages[0]["content"] == "Answer in French.\n\nWhat is the capital of France?"


def test_a_key_that_the_model_repeats_is_no_part_of_the_answer(server: MisbehavingServer) -> None:
    generation = generator_for(server, "repeats-the-key", key="TEST_API_KEY").generate([PROMPT])[0]
    assert generation.text == "Paris, and your key is …."


def test_the_key_travels_in_the_header_only(server: MisbehavingServer) -> None:
    generator = generator_for(server, "well", key="TEST_API_KEY")
    generations = generator.generate([PROMPT])
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{generator!r} {generator.identity} {generations}"


def test_an_endpoint_without_a_key_gets_no_other_key(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "our-organisation")
    generator_for(server, "well").generate([PROMPT])
    headers = server.requests[0].headers
    assert "authorization" not in headers
    assert "our-organisation" not in str(headers)


def test_a_key_that_is_not_set_is_missed_by_its_name() -> None:
    with pytest.raises(MissingError, match="set the environment variable OTHER_API_KEY"):
        LLMGenerator(OpenAILikeSource("m", Endpoint("http://127.0.0.1:9/v1", "OTHER_API_KEY"))).generate([PROMPT])


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000/v1", f"http://me:{KEY}@host/v1", f"https://host/v1?key={KEY}", "http://[/"]
)
def test_an_address_that_is_not_valid_or_contains_a_secret_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(UsageError, match="For example: http://") as caught:
        Endpoint(url)
    assert KEY not in str(caught.value)


def test_only_addresses_of_this_machine_are_local() -> None:
    urls = ("http://127.0.0.1:1/v1", "http://localhost/v1", "http://[::1]:1/v1", "https://example.org/v1")
    assert [Endpoint(url, "").is_local for url in urls] == [True, True, True, False]


def test_answers_keep_the_order_of_the_prompts(server: MisbehavingServer) -> None:
    prompts = [Prompt("", f"say {word}", Task("", "en")) for word in "abcdefghij"]
    assert [generation.text for generation in generator_for(server, "echoes").generate(prompts)] == list("abcdefghij")


def test_a_batch_sends_no_more_prompts_at_once_than_allowed(server: MisbehavingServer) -> None:
    source = OpenAILikeSource("m", Endpoint(server.url("echoes"), ""))
    LLMGenerator(source, policy=RetryPolicy(concurrency=2)).generate([PROMPT] * 12)
    assert server.most_under_way <= 2


def test_a_stream_gives_the_pieces_and_then_the_complete_answer(server: MisbehavingServer) -> None:
    stream = generator_for(server, "well").stream(PROMPT)
    assert list(stream) == ["Pa", "ris"]
    generation = stream.generation
    assert (generation.text, generation.finish) == ("Paris", "stop")
    usage = generation.usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated) == (
        11,
        2,
        False,
    )


def test_the_complete_answer_of_a_stream_is_available_without_reading_the_pieces(server: MisbehavingServer) -> None:
    assert generator_for(server, "well").stream(PROMPT).generation.text == "Paris"


def test_stop_ends_a_stream_that_is_silent_keeps_the_partial_answer_and_hangs_up(server: MisbehavingServer) -> None:
    stop = Event()
    with stopping_with(stop):
        stream = generator_for(server, "hangs-within").stream(PROMPT)
    assert next(stream) == "Pa"
    stop.set()
    assert list(stream) == []
    assert (stream.generation.text, stream.generation.finish) == ("Pa", "stopped")
    assert server.gone.wait(5.0)


def test_stop_before_the_first_piece_leaves_an_empty_answer_marked_stopped(server: MisbehavingServer) -> None:
    stop = Event()
    stop.set()
    with stopping_with(stop):
        generation = generator_for(server, "hangs").stream(PROMPT).generation
    assert (generation.text, generation.finish) == ("", "stopped")


def test_a_stream_that_is_not_read_hangs_up(server: MisbehavingServer) -> None:
    stream = generator_for(server, "hangs-within").stream(PROMPT)
    next(stream)
    del stream
    assert server.gone.wait(5.0)


def test_a_stopped_batch_starts_no_more_prompts(server: MisbehavingServer) -> None:
    stop = Event()
    stop.set()
    with stopping_with(stop):
        results = generator_for(server, "well").attempt([PROMPT] * 3)
    assert [str(one) for one in results] == ["It was stopped before it answered."] * 3
    assert server.requests == []


def test_a_prompt_that_fails_does_not_affect_the_others(server: MisbehavingServer) -> None:
    silent = Prompt("", " ", Task("", "en"))
    results = generator_for(server, "echoes").attempt([PROMPT, silent, PROMPT])
    assert [type(one) for one in results] == [Generation, GenerationFailed, Generation]


def test_a_server_without_stream_options_is_called_without_them_from_then_on(server: MisbehavingServer) -> None:
    generator = generator_for(server, "old")
    texts = [generator.stream(PROMPT).generation.text for _ in range(2)]
    assert texts == ["Paris", "Paris"]
    assert ["stream_options" in one.body for one in server.requests] == [True, False, False]


def test_a_server_with_a_fixed_temperature_is_used_and_the_answer_notes_it(server: MisbehavingServer) -> None:
    generation = generator_for(server, "new").generate([PROMPT])[0]
    last = server.requests[-1].body
    assert last["max_completion_tokens"] == 128
    assert "temperature" not in last
    assert generation.note == "This model sets its own temperature, so another run may differ."


def test_a_server_that_refuses_the_system_role_gets_the_instructions_in_the_users_turn(
    server: MisbehavingServer,
) -> None:
    assert generator_for(server, "without-system-role").generate([PROMPT])[0].text == "Paris"
    assert [message["role"] for message in server.requests[-1].body["messages"]] == ["user"]


def test_the_identity_differs_by_model_endpoint_and_limits(server: MisbehavingServer) -> None:
    from workbench.models.llm.conversation import TokenLimits

    source = OpenAILikeSource("m", Endpoint(server.url("well"), ""))
    others = [
        LLMGenerator(OpenAILikeSource("n", source.endpoint)),
        LLMGenerator(OpenAILikeSource("m", Endpoint(server.url("echoes"), ""))),
        LLMGenerator(source, limits=TokenLimits(short=64)),
        LLMGenerator(source, system_role=False),
        LLMGenerator(LlamaIndexSource("llama_index.core.llms.mock:MockLLM")),
    ]
    assert len({LLMGenerator(source).identity, *(other.identity for other in others)}) == 6


def test_a_generation_survives_writing_and_reading(server: MisbehavingServer) -> None:
    generation = generator_for(server, "well").generate([PROMPT])[0]
    adapter = TypeAdapter(Generation)
    assert adapter.validate_json(adapter.dump_json(generation)) == generation


def test_it_is_a_generator_that_streams(server: MisbehavingServer) -> None:
    generator = generator_for(server, "well")
    assert isinstance(generator, Generator)
    assert isinstance(generator, StreamingGenerator)


def test_any_llama_index_llm_generates_by_class_name() -> None:
    """LlamaIndex's MockLLM says “text” as often as it may."""
    generator = LLMGenerator(LlamaIndexSource("llama_index.core.llms.mock:MockLLM"))
    generation = generator.generate([PROMPT])[0]
    assert generation.text.split() == ["text"] * 128
    assert generation.usage is not None
    assert generation.usage.estimated


def test_any_llama_index_llm_streams_by_class_name() -> None:
    generator = LLMGenerator(LlamaIndexSource("llama_index.core.llms.mock:MockLLM"))
    stream = generator.stream(PROMPT)
    assert len(list(stream)) > 1
    assert stream.generation.text.split() == ["text"] * 128


def test_another_class_over_the_openai_protocol_takes_parameters(server: MisbehavingServer) -> None:
    parameters = {"api_base": server.url("well")}
    name = "llama_index.llms.openai:OpenAI"
    source = LlamaIndexSource(name, "gpt-4o-mini", key="TEST_API_KEY", parameters=parameters)
    assert LLMGenerator(source).generate([PROMPT])[0].text == "Paris"
    body = server.requests[0].body
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("gpt-4o-mini", 0.0, 128)


@pytest.mark.parametrize(
    "name", ["os:system", "llama_index.llms.anthropic", "llama_index.core.tools:FunctionTool", "llama_index.llms:X"]
)
def test_only_llms_of_llama_index_can_be_named(name: str) -> None:
    with pytest.raises(UsageError, match="names no LlamaIndex LLM"):
        LlamaIndexSource(name)


def test_a_llama_index_package_that_is_not_installed_is_named_with_the_command() -> None:
    with pytest.raises(MissingError, match="pip install llama-index-llms-nowhere"):
        LLMGenerator(LlamaIndexSource("llama_index.llms.nowhere:Nowhere")).generate([PROMPT])


def test_a_parameter_that_the_class_does_not_accept_is_reported_without_the_key() -> None:
    source = LlamaIndexSource(
        "llama_index.llms.openai:OpenAI", "gpt-4o-mini", key="TEST_API_KEY", parameters={"temperature": f"hot {KEY}"}
    )
    with pytest.raises(UsageError, match="does not accept these parameters") as caught:
        LLMGenerator(source).generate([PROMPT])
    assert "temperature" in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_generator_completes_prompts_for_llama_index(server: MisbehavingServer) -> None:
    llm = as_llama_llm(generator_for(server, "well"))
    assert llm.complete("What is the capital of France?").text == "Paris"
    assert [one.text for one in llm.stream_complete("What is the capital of France?")] == ["Paris"]
    assert [message["content"] for message in server.requests[0].body["messages"] if message["content"]] == [
        "What is the capital of France?"
    ]


def test_a_stream_that_failed_has_its_part_and_no_generation(server: MisbehavingServer) -> None:
    stream = generator_for(server, "cuts").stream(PROMPT)
    with pytest.raises(GenerationFailed):
        list(stream)
    with pytest.raises(GenerationFailed, match="broke off within the answer"):
        _ = stream.generation
    assert stream.text == "Pa"
