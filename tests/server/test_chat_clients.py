"""OpenAI's own client and LlamaIndex's talk to a recipe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import openai
import pytest
import regex
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike

from tests.coroutines import in_loop
from tests.server.running import NAME, RunningService, running
from tests.servers.misbehaving import misbehaving
from workbench.app.workbench import Workbench
from workbench.pipeline.recipe import make_recipe

PAGE = Path(__file__).parents[2] / "docs" / "serve.md"
QUESTION = "Kuka keksi radion?"


@pytest.fixture
def client(service: RunningService) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{service.url}/v1", api_key="unused", max_retries=0) as client:
        yield client


@pytest.fixture(scope="session")
def expected(sample_workbench: Workbench) -> str:
    return sample_workbench.ask(QUESTION, "fi", make_recipe({"scope": "en+ul", "k": 3}), cached=False).text


def test_the_openai_client_gets_the_answer_of_ask(client: openai.OpenAI, expected: str) -> None:
    completion = client.chat.completions.create(model=NAME, messages=[{"role": "user", "content": QUESTION}])
    (choice,) = completion.choices
    assert (choice.message.role, choice.message.content, choice.finish_reason) == ("assistant", expected, "stop")
    assert completion.usage is None
    extra = (completion.model_extra or {})["workbench"]
    assert (extra["language"], extra["language_detected"], len(extra["evidence"])) == ("fi", True, 3)


def test_the_openai_client_streams_the_answer_of_ask(client: openai.OpenAI, expected: str) -> None:
    with client.chat.completions.create(
        model=NAME, messages=[{"role": "user", "content": QUESTION}], stream=True
    ) as stream:
        chunks = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == expected
    assert [chunk.choices[0].finish_reason for chunk in chunks][-1] == "stop"
    assert len({chunk.id for chunk in chunks}) == 1
    assert (chunks[-1].model_extra or {})["workbench"]["answer"] == expected


def test_the_openai_client_lists_the_recipe(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == [NAME]


def test_the_asynchronous_openai_client_gets_the_same(service: RunningService, expected: str) -> None:
    async def content() -> str | None:
        async with openai.AsyncOpenAI(base_url=f"{service.url}/v1", api_key="unused") as client:
            completion = await client.chat.completions.create(
                model=NAME, messages=[{"role": "user", "content": QUESTION}]
            )
            return completion.choices[0].message.content

    assert in_loop(content()) == expected


def test_what_the_recipe_decides_is_accepted_and_changes_nothing(client: openai.OpenAI, expected: str) -> None:
    completion = client.chat.completions.create(
        model=NAME,
        messages=[{"role": "user", "content": [{"type": "text", "text": QUESTION}]}],
        temperature=1.9,
        max_tokens=1,
        top_p=0.1,
        seed=7,
        user="somebody",
        response_format={"type": "text"},
        n=1,
    )
    assert completion.choices[0].message.content == expected


def test_system_messages_are_counted_and_not_used(client: openai.OpenAI, expected: str) -> None:
    completion = client.chat.completions.create(
        model=NAME,
        messages=[
            {"role": "system", "content": "Answer in Latin."},
            {"role": "user", "content": QUESTION},
        ],
    )
    assert completion.choices[0].message.content == expected
    assert (completion.model_extra or {})["workbench"]["unused_messages"] == 1


def test_the_metadata_may_name_the_language(client: openai.OpenAI) -> None:
    completion = client.chat.completions.create(
        model=NAME, messages=[{"role": "user", "content": "Radio?"}], metadata={"language": "fi", "trace": "1"}
    )
    extra = (completion.model_extra or {})["workbench"]
    assert (extra["language"], extra["language_detected"]) == ("fi", False)


def test_another_model_is_not_found(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as caught:
        client.chat.completions.create(model="gpt-of-dreams", messages=[{"role": "user", "content": QUESTION}])
    assert caught.value.code == "model_not_found"
    assert NAME in caught.value.message


def test_what_a_recipe_cannot_do_is_refused(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="one answer"):
        client.chat.completions.create(model=NAME, messages=[{"role": "user", "content": QUESTION}], n=2)
    with pytest.raises(openai.BadRequestError, match="“stop” is not supported"):
        client.chat.completions.create(model=NAME, messages=[{"role": "user", "content": QUESTION}], stop=["."])
    with pytest.raises(openai.BadRequestError, match="plain text"):
        client.chat.completions.create(
            model=NAME, messages=[{"role": "user", "content": QUESTION}], response_format={"type": "json_object"}
        )
    with pytest.raises(openai.BadRequestError, match="must come last"):
        client.chat.completions.create(model=NAME, messages=[{"role": "system", "content": QUESTION}])
    with pytest.raises(openai.BadRequestError, match="tools"):
        client.chat.completions.create(
            model=NAME,
            messages=[{"role": "user", "content": QUESTION}],
            tools=[{"type": "function", "function": {"name": "f"}}],
        )


def test_a_model_behind_the_recipe_streams_through_with_its_usage(workbench: Workbench) -> None:
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('well')}"}) as service,
        openai.OpenAI(base_url=f"{service.url}/v1", api_key="unused") as client,
    ):
        chunks = list(
            client.chat.completions.create(
                model=NAME,
                messages=[{"role": "user", "content": QUESTION}],
                stream=True,
                stream_options={"include_usage": True},
            )
        )
        pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]
        assert [piece for piece in pieces if piece] == ["Pa", "ris"]
        usage = chunks[-1].usage
        assert usage is not None
        assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (11, 2, 13)


@pytest.mark.parametrize("mode", ["pivot", "drag"])
def test_a_stream_in_a_mode_that_reworks_what_is_written_holds_the_answer_alone(
    mode: str, sample_workbench: Workbench
) -> None:
    answer = sample_workbench.ask(QUESTION, "fi", make_recipe({"mode": mode}), cached=False)
    with running(sample_workbench, {"mode": mode}) as service:
        body = {"model": NAME, "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
        events = service.events({**body, "metadata": {"language": "fi"}}, "/v1/chat/completions")
    deltas = [data["choices"][0]["delta"].get("content", "") for _, data in events if data]
    assert "".join(deltas) == answer.text
    assert events[-1][0] == "[DONE]"


def test_a_failure_within_a_stream_reaches_the_client_as_an_error(workbench: Workbench) -> None:
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('fails-within')}"}) as service,
        openai.OpenAI(base_url=f"{service.url}/v1", api_key="unused") as client,
        pytest.raises(openai.APIError),
    ):
        list(client.chat.completions.create(model=NAME, messages=[{"role": "user", "content": QUESTION}], stream=True))


def test_a_stream_that_fails_before_the_model_writes_has_its_status_and_is_tried_again(workbench: Workbench) -> None:
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('unauthorised')}"}) as service,
        openai.OpenAI(base_url=f"{service.url}/v1", api_key="unused", max_retries=1) as client,
    ):
        with pytest.raises(openai.InternalServerError) as failure:
            client.chat.completions.create(model=NAME, messages=[{"role": "user", "content": QUESTION}], stream=True)
        assert failure.value.status_code == 502
        assert server.count("unauthorised") == 2


def test_llama_index_chats_and_streams(service: RunningService, expected: str) -> None:
    llm = OpenAILike(model=NAME, api_base=f"{service.url}/v1", api_key="unused", is_chat_model=True, max_retries=0)
    messages = [ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content=QUESTION)]
    assert llm.chat(messages).message.content == expected
    assert "".join(response.delta or "" for response in llm.stream_chat(messages)) == expected
    assert llm.complete(QUESTION).text == expected


def test_the_code_of_the_documentation_runs_as_it_stands(
    service: RunningService, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = regex.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), regex.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        code = block.replace("http://localhost:8000", service.url).replace('"recipe"', f'"{NAME}"')
        exec(compile(code, PAGE.name, "exec"), {})
    assert capsys.readouterr().out == f"{expected}\n{expected}\n"
