"""What the service answers is what `ask` answers, in each of its forms."""

from __future__ import annotations

import pytest

from tests.server.running import NAME, RunningService, running
from tests.servers.misbehaving import misbehaving
from workbench.app.workbench import Workbench
from workbench.core.records import Answer, Passage
from workbench.pipeline.choices import MODES
from workbench.pipeline.recipe import make_recipe

QUESTION = "Kuka keksi radion?"
BODY = {"question": QUESTION, "language": "fi"}


def answer_of(bench: Workbench, **choices: object) -> Answer:
    return bench.ask(QUESTION, "fi", make_recipe({"scope": "en+ul", "k": 3, **choices}), cached=False)


@pytest.mark.parametrize("mode", [item.name for item in MODES])
def test_an_answer_equals_that_of_ask_in_every_mode(mode: str, sample_workbench: Workbench) -> None:
    recipe = make_recipe({"mode": mode})
    answer = sample_workbench.ask(QUESTION, "fi", recipe, cached=False)
    with running(sample_workbench, {"mode": mode}) as service:
        reply = service.post("/v1/ask", BODY).json()
    assert (reply["answer"], reply["answer_language"]) == (answer.text, answer.answer_language)
    assert [item["id"] for item in reply["evidence"]] == [item.passage.id for item in answer.evidence]
    assert (reply["recipe"], reply["fingerprint"]) == (NAME, recipe.fingerprint)
    assert (reply["note"], reply["usage"]) == (answer.generation.note, None)


def test_evidence_has_ranks_titles_languages_texts_and_pages(
    service: RunningService, sample_workbench: Workbench
) -> None:
    evidence = service.post("/v1/ask", BODY).json()["evidence"]
    expected = answer_of(sample_workbench).evidence
    assert [item["rank"] for item in evidence] == [1, 2, 3]
    for passage, item in zip(evidence, expected, strict=True):
        assert (passage["title"], passage["language"]) == (item.passage.title, item.passage.language)
        assert (passage["text"], passage["page"], passage["document"]) == (
            item.passage.text,
            None,
            item.passage.document,
        )
        assert passage["scores"] == pytest.approx(dict(item.scores))


def test_retrieve_gives_the_same_evidence_and_calls_no_generator(
    service: RunningService, sample_workbench: Workbench
) -> None:
    evidence = service.post("/v1/ask", BODY).json()["evidence"]
    nowhere = {"scope": "en+ul", "k": 3, "generator": "openai-like:m@http://127.0.0.1:9/v1"}
    with running(sample_workbench, nowhere) as searching:
        reply = searching.post("/v1/retrieve", BODY).json()
    assert reply["evidence"] == evidence
    assert reply.keys() == {
        *("question", "language", "language_detected", "recipe", "fingerprint", "evidence", "seconds")
    }


def test_a_stream_has_the_evidence_first_then_the_text_then_all_of_it(service: RunningService) -> None:
    reply = service.post("/v1/ask", BODY).json()
    (evidence, *tokens, done) = service.events(BODY)
    assert (evidence[0], evidence[1]["evidence"]) == ("evidence", reply["evidence"])
    assert {name for name, _ in tokens} == {"token"}
    assert "".join(data["text"] for _, data in tokens) == reply["answer"]
    assert done[0] == "done" and {**done[1], "seconds": 0} == {**reply, "seconds": 0}


def test_tokens_come_as_the_generator_writes_them(workbench: Workbench) -> None:
    with misbehaving() as server, running(workbench, {"generator": f"openai-like:m@{server.url('well')}"}) as service:
        events = service.events(BODY)
        assert [data["text"] for name, data in events if name == "token"] == ["Pa", "ris"]
        assert [name for name, _ in events] == ["evidence", "token", "token", "done"]
        usage = events[-1][1]["usage"]
        assert (usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"]) == (11, 2, 13)
        assert service.figure('mrag_tokens_total{kind="prompt"}') == 11


def test_an_answer_from_the_cache_is_streamed_too(workbench: Workbench) -> None:
    with (
        misbehaving() as server,
        running(workbench, {"generator": f"openai-like:m@{server.url('well')}"}, cached=True) as service,
    ):
        first, *others = (service.events(BODY) for _ in range(4))
        assert server.count("well") == 1
        for events in others:
            assert [name for name, _ in events] == ["evidence", "token", "done"]
            assert [events[0], events[1][1]] == [first[0], {"text": "Paris"}]
            assert {**events[2][1], "seconds": 0} == {**first[-1][1], "seconds": 0}
        # Tokens that were not spent are not counted.
        assert service.figure('mrag_tokens_total{kind="completion"}') == 2


@pytest.mark.parametrize(
    ("question", "code"), [(QUESTION, "fi"), ("Who invented radio?", "en"), ("谁发明了收音机？", "zh")]
)
def test_a_language_that_is_not_given_is_detected(question: str, code: str, service: RunningService) -> None:
    reply = service.post("/v1/ask", {"question": question}).json()
    assert (reply["language"], reply["language_detected"]) == (code, True)
    assert reply["answer"] == service.post("/v1/ask", {"question": question, "language": code}).json()["answer"]


def test_a_language_that_is_given_is_not_detected(service: RunningService) -> None:
    reply = service.post("/v1/ask", {"question": "Radio?", "language": "fi"}).json()
    assert (reply["language"], reply["language_detected"]) == ("fi", False)


def test_nothing_is_kept_where_the_cache_is_off(workbench: Workbench) -> None:
    with running(workbench, {"k": 2}, cached=False) as service:
        service.post("/v1/ask", BODY)
    answer = workbench.ask(QUESTION, "fi", make_recipe({"k": 2}))
    assert not any(step.cached for step in answer.steps)


def test_steps_are_shared_with_ask_where_the_cache_is_on(workbench: Workbench) -> None:
    with running(workbench, {"k": 2}, cached=True) as service:
        service.post("/v1/ask", BODY)
    answer = workbench.ask(QUESTION, "fi", make_recipe({"k": 2}))
    assert {step.name for step in answer.steps if not step.cached} == {"compose", "read answer"}


def test_a_corpus_that_changes_has_other_answers_at_once(workbench: Workbench) -> None:
    def add(text: str) -> None:
        workbench.library.add("radio", [Passage("a", "a", "", "en", text)], source="test", licence="none")

    body = {"question": "Who invented radio?", "language": "en"}
    add("Marconi invented radio.")
    with running(workbench, {"corpus": "radio", "retriever": "lexical"}, cached=True) as service:
        for text in ("Marconi invented radio.", "Popov invented radio.", "Tesla invented radio."):
            add(text)
            for path in ("/v1/ask", "/v1/retrieve") * 3:
                assert [item["text"] for item in service.post(path, body).json()["evidence"]] == [text]
        assert service.figure('mrag_requests_total{route="/v1/ask",status="200"}') == 9
