"""Query expansion by a language model behind a real server: each kind by hand, and what a reply may lack."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.pipeline.rewriting.scripted_model import scripted_model
from workbench.core.errors import GenerationFailed
from workbench.core.records import Expansion, Generation, Prompt, Query
from workbench.models.llm.conversation import as_llama_llm
from workbench.pipeline.rewriting import (
    HYDE_TEMPERATURE,
    NO_QUERIES,
    NOT_SPLIT,
    ExpansionKind,
    QueryExpander,
    shipped_rewriting_texts,
)

QUESTION = "What is the capital of the country where the inventor of radio was born?"
RADIO = Query(QUESTION, "en", ("en", "it"))


def expanded(kind: ExpansionKind, reply: str, query: Query = RADIO, way: str = "says") -> Expansion:
    with scripted_model(lambda _: reply) as model:
        (expansion,) = QueryExpander(model.generator(way), kind).expand([query])
    assert isinstance(expansion, Expansion)
    return expansion


def test_decompose_searches_with_the_simpler_questions_and_not_the_question() -> None:
    expansion = expanded("decompose", "1. Who invented radio?\n2. Where was he born?\n3. What is its capital?")
    assert expansion.queries == ("Who invented radio?", "Where was he born?", "What is its capital?")
    assert (expansion.language, expansion.note) == ("en", "")


def test_decompose_takes_five_questions_at_most() -> None:
    assert len(expanded("decompose", "\n".join(f"{number}. Question {number}?" for number in range(1, 9))).queries) == 5


def test_hyde_searches_with_the_passage_alone() -> None:
    passage = "Guglielmo Marconi was born in Bologna.\nHe invented radio."
    assert expanded("hyde", f"<think>who?</think>{passage}").queries == (passage,)


def test_hyde_by_mean_averages_passages_that_are_drawn_with_the_question() -> None:
    with scripted_model(lambda _: "Marconi invented radio.") as model:
        (expansion,) = QueryExpander(model.generator("says"), "hyde-mean", 3).expand([RADIO])
        assert [request.body["temperature"] for request in model.server.requests] == [HYDE_TEMPERATURE] * 3
    assert isinstance(expansion, Expansion) and expansion.is_averaged
    assert expansion.queries == ("Marconi invented radio.",) * 3


def test_multi_query_searches_with_the_question_and_three_other_wordings() -> None:
    reply = f"1. {QUESTION}\n2. A?\n3. B?\n4. C?\n5. D?"
    assert expanded("multi-query", reply).queries == (QUESTION, "A?", "B?", "C?")


def test_a_question_that_needs_no_splitting_is_searched_with_as_it_is_and_that_is_said() -> None:
    expansion = expanded("decompose", "NONE")
    assert (expansion.queries, expansion.note) == ((QUESTION,), NOT_SPLIT)


@pytest.mark.parametrize("kind", ["decompose", "hyde", "multi-query"])
def test_an_empty_reply_gives_the_question_and_that_is_said(kind: ExpansionKind) -> None:
    expansion = expanded(kind, "", way="says-nothing")
    assert (expansion.queries, expansion.note) == ((QUESTION,), NO_QUERIES)


@pytest.mark.parametrize("kind", ["hyde", "multi-query"])
def test_a_reply_of_thoughts_alone_gives_the_question_and_that_is_said(kind: ExpansionKind) -> None:
    expansion = expanded(kind, "<think>Hm.</think>")
    assert (expansion.queries, expansion.note) == ((QUESTION,), NO_QUERIES)


def test_a_last_question_that_was_cut_off_is_left_out() -> None:
    assert expanded("decompose", "1. Who invented radio?\n2. Where was", way="says-cut").queries == (
        "Who invented radio?",
    )


def test_the_model_is_asked_in_the_questions_language() -> None:
    with scripted_model(lambda _: "1. Missä?") as model:
        QueryExpander(model.generator(), "decompose").expand([Query("Mikä?", "fi", ("fi",))])
        assert model.systems == [shipped_rewriting_texts().texts("fi").system("decompose", 5)]
        assert model.turns == ["Kysymys: <<<Mikä?>>>"]


def test_a_language_without_prompts_is_noted() -> None:
    assert "there is none in Tamil" in expanded("hyde", "வானொலி", Query("யார்?", "ta", ("ta",))).note


def test_one_failure_does_not_touch_the_other_questions() -> None:
    with scripted_model(lambda turn: None if "Bad" in turn else "1. Good?") as model:
        first, second = QueryExpander(model.generator(), "decompose").expand(
            [Query("Bad?", "en", ("en",)), Query("Fine?", "en", ("en",))]
        )
    assert isinstance(first, GenerationFailed)
    assert isinstance(second, Expansion)
    assert second.queries == ("Good?",)


def test_the_tokens_of_the_call_are_counted() -> None:
    usage = expanded("hyde", "A passage.").usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated) == (11, 2, False)


def test_the_kind_and_the_model_are_part_of_the_identity() -> None:
    with scripted_model(str) as model:
        kinds: tuple[ExpansionKind, ...] = ("decompose", "hyde", "multi-query")
        identities = {QueryExpander(model.generator(way), kind).identity for kind in kinds for way in ("says", "well")}
    assert len(identities) == 6


def test_hyde_sends_what_llama_indexs_transform_sends_with_the_same_prompt() -> None:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.indices.query.query_transform import HyDEQueryTransform
    from llama_index.core.prompts import ChatPromptTemplate

    texts = shipped_rewriting_texts().texts("en")
    turn = texts.turns["hyde"].replace("{question}", "{context_str}")
    messages = [(MessageRole.SYSTEM, texts.system("hyde")), (MessageRole.USER, turn)]
    prompt = ChatPromptTemplate([ChatMessage(content=text, role=role) for role, text in messages])
    with scripted_model(lambda turn: f"A passage for {turn}") as model:
        (ours,) = QueryExpander(model.generator(), "hyde").expand([RADIO])
        llm = as_llama_llm(model.generator())
        theirs = HyDEQueryTransform(llm, prompt, include_original=False).run(QUESTION)
        bodies = [request.body["messages"] for request in model.server.requests]
    assert bodies[0] == bodies[1]
    assert isinstance(ours, Expansion)
    assert list(ours.queries) == theirs.embedding_strs


def test_a_generator_that_answers_one_prompt_at_a_time_expands_each_question_alone() -> None:
    class OneByOne:
        identity = "one by one"

        def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
            (prompt,) = prompts
            if "radio" not in prompt.user:
                raise GenerationFailed("No reply.")
            return [Generation("Guglielmo Marconi invented radio.")]

    first, second = QueryExpander(OneByOne(), "hyde").expand([RADIO, Query("Who baked bread?", "en", ("en",))])
    assert isinstance(first, Expansion) and first.queries == ("Guglielmo Marconi invented radio.",)
    assert isinstance(second, GenerationFailed) and str(second) == "No reply."
