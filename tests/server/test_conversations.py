"""A question that ends a conversation is rewritten from it by the recipe's language model, or refused; never alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.pipeline.rewriting.scripted_model import ScriptedModel, scripted_model
from tests.server.running import NAME, RunningService, running
from tests.server.test_refusals import CHAT, refused
from workbench.app.workbench import Workbench
from workbench.core.records import Message
from workbench.pipeline.recipe import make_recipe
from workbench.pipeline.rewriting import CONVERSATION_LIMIT

FIRST, ANSWER, LAST = "Who invented radio?", "Guglielmo Marconi.", "And where was he born?"
REWRITTEN = "Where was Guglielmo Marconi born?"
TURNS = [
    {"role": "system", "content": "Answer in Latin."},
    {"role": "user", "content": FIRST},
    {"role": "assistant", "content": ANSWER},
    {"role": "user", "content": LAST},
]


def reply(turn: str) -> str | None:
    if "Conversation:" not in turn and "Keskustelu:" not in turn:
        return "Bologna"
    return None if "broken" in turn else "<think>He?</think>" if "thinks" in turn else f"Question:\n**{REWRITTEN}**"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with scripted_model(reply) as running_model:
        yield running_model


@pytest.fixture
def chat(workbench: Workbench, model: ScriptedModel) -> Iterator[RunningService]:
    with running(workbench, {"generator": model.name, "k": 1}) as service:
        yield service


def body(*messages: dict[str, str], **more: object) -> dict[str, object]:
    return {"model": NAME, "messages": [*messages], **more}


def test_the_question_is_rewritten_from_the_conversation_and_answered(
    chat: RunningService, model: ScriptedModel
) -> None:
    extra = chat.post(CHAT, body(*TURNS)).json()["workbench"]
    assert (extra["question"], extra["contextualised"], extra["answer"]) == (LAST, REWRITTEN, "Bologna")
    assert extra["unused_messages"] == 1  # the system's
    rewriting, answering = model.turns
    assert f"<<<Q: {FIRST}\nA: {ANSWER}>>>" in rewriting and f"<<<{LAST}>>>" in rewriting
    assert REWRITTEN in answering and LAST not in answering


def test_a_stream_answers_the_rewritten_question(chat: RunningService) -> None:
    events = chat.events(body(*TURNS, stream=True), CHAT)
    assert events[-2][1]["workbench"]["contextualised"] == REWRITTEN


def test_a_question_that_stands_alone_is_not_rewritten(chat: RunningService, model: ScriptedModel) -> None:
    extra = chat.post(CHAT, body(TURNS[0], TURNS[1])).json()["workbench"]
    assert (extra["contextualised"], len(model.turns)) == (None, 1)


def test_a_short_question_is_in_the_language_of_the_conversation_and_so_is_the_prompt(
    chat: RunningService, model: ScriptedModel
) -> None:
    turns = [
        {"role": "user", "content": "Kuka keksi radion ja milloin se tapahtui?"},
        {"role": "user", "content": "1?"},
    ]
    extra = chat.post(CHAT, body(*turns)).json()["workbench"]
    assert extra["language"] == "fi"
    assert "Keskustelu: <<<Q: Kuka keksi radion" in model.turns[0]


def test_of_a_long_conversation_the_last_messages_are_read_and_the_others_counted(chat: RunningService) -> None:
    long = {"role": "user", "content": "a" * CONVERSATION_LIMIT}
    extra = chat.post(CHAT, body(long, *TURNS)).json()["workbench"]
    assert (extra["unused_messages"], extra["contextualised"]) == (2, REWRITTEN)


@pytest.mark.parametrize("earlier", ["broken", "thinks"])
def test_a_question_that_could_not_be_rewritten_is_not_answered_as_it_stands(
    earlier: str, chat: RunningService
) -> None:
    response = chat.post(CHAT, body({"role": "user", "content": f"Who {earlier}?"}, TURNS[-1]))
    refused(response, 502, code="model_failed")


def test_the_built_in_reader_refuses_a_conversation_in_a_sentence(service: RunningService) -> None:
    response = service.post(CHAT, body(*TURNS))
    refused(response, 400, "1 earlier one", "built-in reader", "name in it", code="conversation_not_supported")
    greeting = {"role": "assistant", "content": "Hello!"}
    assert service.post(CHAT, body(greeting, TURNS[1])).json()["workbench"]["unused_messages"] == 1


def test_a_service_that_does_not_rewrite_refuses_too(workbench: Workbench, model: ScriptedModel) -> None:
    with running(workbench, {"generator": model.name, "k": 1}, rewrites=False) as service:
        refused(service.post(CHAT, body(*TURNS)), 400, "started for single ones", code="conversation_not_supported")
    assert model.turns == []


def test_the_trace_names_the_step_with_the_question_and_its_tokens(workbench: Workbench, model: ScriptedModel) -> None:
    recipe = make_recipe({"generator": model.name, "mode": "trag", "k": 1})
    answer = workbench.ask(LAST, "en", recipe, conversation=[Message("user", FIRST), Message("assistant", ANSWER)])
    step = answer.steps[0]
    assert (step.name, step.facts["question"], step.facts["messages read"]) == ("contextualise", REWRITTEN, "2")
    assert step.facts["tokens"].startswith("11 read")
    assert [item.name for item in answer.steps[1:3]] == ["translate question", "retrieve"]
