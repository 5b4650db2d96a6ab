"""Writing questions over a real server: what is held back and why, what fails, and what is sent and paid for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.jobs.question_generation.writers import ScriptedWriter, WritingDesk, pair, writing_desk
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.jobs.question_generation.passage_sample import sample_passages
from workbench.jobs.question_generation.question_writing import QuestionWriting, checked_writer

TOWERS = pair("How high is each of the Petronas Towers?", "452 metres")
"""The first English passage of the sample by seed 0 is about these towers, and states it."""


@pytest.fixture
def writer() -> ScriptedWriter:
    return ScriptedWriter(lambda turn: TOWERS)


@pytest.fixture
def desk(workbench: Workbench, writer: ScriptedWriter) -> Iterator[WritingDesk]:
    with writing_desk(workbench, writer) as ours:
        yield ours


def test_a_question_that_passes_every_filter_waits_for_a_person(desk: WritingDesk) -> None:
    (draft,) = desk.run()
    assert (draft.status, draft.question, draft.answer) == (
        "draft",
        "How high is each of the Petronas Towers?",
        "452 metres",
    )
    assert draft.passage == "tallest-building.en.2"
    assert "452 metres" in draft.text


def test_the_built_in_reader_answers_from_the_passage_without_a_call(desk: WritingDesk) -> None:
    desk.run()
    assert desk.writer.calls == ["write", "recall"]


def test_a_question_whose_answer_the_passage_does_not_give_is_held_back(desk: WritingDesk) -> None:
    desk.writer.write = lambda turn: pair("How many floors has each of the Petronas Towers?", "eighty-eight")
    (draft,) = desk.run()
    assert (draft.status, draft.filter) == ("filtered", "not in passage")
    assert desk.writer.calls == ["write"]


def test_another_generator_can_answer_from_the_passage(desk: WritingDesk) -> None:
    desk.writer.answer = lambda turn: "NONE"
    (draft,) = desk.run(checker=desk.request().generator)
    assert (draft.filter, desk.writer.calls) == ("not in passage", ["write", "answer"])
    assert "NONE" in draft.reason


def test_a_question_that_needs_no_document_is_held_back_with_the_reply(desk: WritingDesk) -> None:
    desk.writer.recall = lambda turn: "They are 452 metres high."
    (draft,) = desk.run()
    assert (draft.status, draft.filter) == ("filtered", "known")
    assert "They are 452 metres high." in draft.reason


def test_another_answer_from_memory_holds_nothing_back(desk: WritingDesk) -> None:
    desk.writer.recall = lambda turn: "They are 381 metres high."
    assert [draft.status for draft in desk.run()] == ["draft"]


def test_a_sentence_of_the_passage_as_a_question_is_held_back(desk: WritingDesk) -> None:
    desk.writer.write = lambda turn: pair("Each of the two Petronas Towers is 452 metres high?", "452 metres")
    (draft,) = desk.run()
    assert draft.filter == "wording"
    assert "100%" in draft.reason


def test_a_question_in_another_language_is_held_back(desk: WritingDesk) -> None:
    desk.writer.write = lambda turn: pair("Kuinka korkea kumpikin Petronas-torneista on?", "452 metriä")
    (draft,) = desk.run(languages=("en", "fi"))[:1]
    assert draft.filter == "language"


@pytest.mark.parametrize(("reply", "filter_"), [("I cannot do that.", "unreadable"), ("NONE", "nothing to ask")])
def test_a_reply_without_a_question_is_stored_with_its_reason(desk: WritingDesk, reply: str, filter_: str) -> None:
    desk.writer.write = lambda turn: reply
    (draft,) = desk.run()
    assert (draft.status, draft.filter) == ("filtered", filter_)
    assert desk.store.progress(desk.name).by_filter == {filter_: 1}
    assert filter_ != "unreadable" or reply in draft.reason


def test_each_passage_is_asked_about_in_its_language(desk: WritingDesk) -> None:
    desk.run(languages=("ar", "fi", "zh"))
    systems = [one.body["messages"][0]["content"] for one in desk.server.requests[:3]]
    assert all(any(word in system for system in systems) for word in ("السؤال: …", "Kysymys: …", "问题：…"))


def test_a_failed_call_leaves_its_passage_unwritten_and_the_next_run_writes_it(desk: WritingDesk) -> None:
    desk.writer.write = lambda turn: None
    (draft,) = desk.run()
    assert (draft.status, desk.store.progress(desk.name).failed) == ("unwritten", 1)
    assert draft.reason
    desk.writer.write = lambda turn: TOWERS
    (draft,) = desk.run()
    assert (draft.status, draft.reason) == ("draft", "")


def test_a_failed_check_pays_for_no_question_twice(desk: WritingDesk) -> None:
    desk.writer.recall = lambda turn: None
    assert [draft.status for draft in desk.run()] == ["unwritten"]
    desk.writer.recall = lambda turn: "NONE"
    assert [draft.status for draft in desk.run()] == ["draft"]
    assert desk.writer.calls.count("write") == 1


def test_a_finished_set_sends_nothing_more(desk: WritingDesk) -> None:
    desk.run()
    count = len(desk.server.requests)
    desk.run()
    assert len(desk.server.requests) == count


def test_a_set_is_continued_by_the_same_request_only(desk: WritingDesk) -> None:
    desk.run()
    with pytest.raises(UsageError, match=r"was begun with “1” as per-language, not “2”.*written-2"):
        desk.run(per_language=2)


def test_the_plan_states_calls_tokens_and_host_before_anything_is_sent(desk: WritingDesk) -> None:
    for checker, calls in (("extractive", 2), (desk.request().generator, 3)):
        request = desk.request(checker=checker, per_language=3)
        writing = QuestionWriting(desk.workbench, desk.name, request)
        plan = writing.plan
        assert (plan.passages, plan.calls) == (3, 3 * calls)
        assert plan.tokens.prompt_tokens > 3 * 200
        assert "No text leaves this machine." in writing.sentence
    elsewhere = replace(request, generator="openai-like:m@https://models.example.org/v1")
    plan = QuestionWriting(desk.workbench, desk.name, elsewhere).plan
    assert plan.hosts == ("models.example.org",)
    assert desk.server.requests == []
    assert desk.store.sets() == ()


def test_the_plan_states_the_cost_where_a_price_is_known(desk: WritingDesk) -> None:
    request = desk.request()
    model = request.generator.removeprefix("openai-like:")
    prices = f"models: {{'{model}': {{prompt: 1000, completion: 1000, source: a list, date: 2026-01-31}}}}"
    (desk.workbench.settings.home / "prices.yaml").write_text(prices, encoding="utf-8")
    plan = QuestionWriting(desk.workbench, desk.name, request).plan
    expected = (plan.tokens.prompt_tokens + plan.tokens.completion_tokens) * 1000 / 1_000_000
    assert plan.cost.startswith(f"{expected:.6f}".rstrip("0"))


def test_the_same_seed_draws_the_same_passages_and_another_seed_others(desk: WritingDesk) -> None:
    corpus = desk.workbench.corpus("sample")
    first, again, other = (
        [item.id for item in sample_passages(corpus, desk.request(per_language=5, seed=seed))] for seed in (0, 0, 1)
    )
    assert first == again != other


def test_a_document_gives_a_second_passage_only_after_all_others_gave_one(desk: WritingDesk) -> None:
    corpus = desk.workbench.corpus("sample")
    documents = [item.document for item in sample_passages(corpus, desk.request(per_language=40))]
    count = len(set(documents))
    assert len(documents) == 40
    assert len(set(documents[:count])) == count


def test_the_built_in_reader_cannot_write() -> None:
    with pytest.raises(UsageError, match="not a language model"):
        checked_writer("extractive")
