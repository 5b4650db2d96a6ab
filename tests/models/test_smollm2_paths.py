"""A small language model with real weights in every path of a generator, over the sample.

What it writes is weak, so these tests state what has to hold whatever a model writes; `benchmarks.smollm2` measures how
often it does well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from tests.models.llm.conftest import smollm2
from tests.server.running import running
from workbench.app.background_answer import StreamObserver
from workbench.app.workbench import Workbench
from workbench.core.errors import WorkbenchError
from workbench.core.protocols import Reranker
from workbench.core.records import Hit, Passage, Prompt, Query, Task
from workbench.experiments.results.scoring import SharedJudge
from workbench.jobs.question_generation.draft_store import WritingRequest
from workbench.jobs.question_generation.question_writing import QuestionWriting
from workbench.languages.catalogue import language
from workbench.metrics.judged.judge import CUT, NAMES, OF_CANDIDATES, UNREADABLE, judged_by
from workbench.metrics.measure import Case
from workbench.models.llm.huggingface import find_llm, load_llm
from workbench.pipeline.executor import Executor
from workbench.pipeline.prompts.dialectic import format_failure
from workbench.pipeline.recipe import Dialectic, Recipe, make_recipe

__all__ = ["smollm2"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("smollm2")]

QUESTION = "Which Apollo 11 astronaut stayed in orbit around the Moon?"
PASSAGES = (
    Passage("bread", "bread", "", "en", "Bread is baked in the village every morning."),
    Passage("lake", "lake", "", "en", "The lake is deep and the boats are old."),
    Passage("bridge", "bridge", "", "en", "The old bridge crosses the river near the mill."),
)
HITS = tuple(Hit(passage.id, row, "en", 0.0) for row, passage in enumerate(PASSAGES))


def recipe(**choices: object) -> Recipe:
    return make_recipe({"generator": "smollm2", "mode": "multirag", "scope": "en", "k": 2, **choices})


def order(reranker: Reranker, question: str) -> list[str]:
    return [hit.id for hit in reranker.rerank(Query(question, "en", ("en",)), HITS, PASSAGES)]


def test_it_answers_an_english_question_of_the_sample_and_streams_it(workbench: Workbench) -> None:
    pieces: list[str] = []
    answer = workbench.ask(QUESTION, "en", recipe(), observer=StreamObserver(pieces.append))
    assert "Michael Collins" in answer.text
    assert len([piece for piece in pieces if piece]) > 5
    assert "".join(pieces) == answer.generation.text
    assert answer.generation.finish == "stop"
    assert "<|" not in answer.text


def test_stopped_in_the_middle_it_keeps_its_beginning_which_is_not_cached(workbench: Workbench) -> None:
    pieces: list[str] = []

    def stop_at_the_third(piece: str) -> None:
        pieces.append(piece)
        if len(pieces) == 3:
            observer.stop.set()

    observer = StreamObserver(stop_at_the_third)
    stopped = workbench.ask(QUESTION, "en", recipe(), observer=observer).generation
    complete = workbench.ask(QUESTION, "en", recipe()).generation
    assert (stopped.finish, complete.finish) == ("stopped", "stop")
    assert complete.text.startswith(stopped.text)
    assert 0 < len(stopped.text) < len(complete.text)


def test_a_limit_of_tokens_cuts_the_answer_and_says_so(workbench: Workbench) -> None:
    generation = workbench.ask(QUESTION, "en", recipe(max_new_tokens=5)).generation
    assert generation.usage is not None
    assert (generation.usage.completion_tokens, generation.finish) == (5, "length")


def test_it_is_prompted_by_its_own_template_and_splits_numbers_into_digits(smollm2: Path) -> None:
    from transformers import AutoTokenizer

    llm, tokenizer = load_llm(find_llm("smollm2"), "none", "cpu"), AutoTokenizer.from_pretrained(smollm2)
    text = tokenizer.decode(llm.tokenise(Prompt("Be brief.", "Who?", Task("", "")), 8).tokens)
    assert text == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWho?<|im_end|>\n<|im_start|>assistant\n"
    )
    assert tokenizer.tokenize("In  1867") == ["In", "ĠĠ", "1", "8", "6", "7"]


def test_as_a_judge_it_gives_a_value_on_the_scale_or_none_with_its_reason(workbench: Workbench) -> None:
    judge = SharedJudge("smollm2", workbench.settings.home, Executor(on_error="isolate"))
    case = Case("Marconi", ("Guglielmo Marconi",), language("en"), "Who invented radio?", ("On radio.",), "Be brief.")
    for measure in judged_by(judge):
        if measure.name in NAMES and measure.name not in OF_CANDIDATES:
            (score,) = measure.score([case])
            assert score in (CUT, UNREADABLE) or (
                score.value is not None and measure.low <= score.value <= measure.high
            ), measure.name
    assert judge.completion_tokens > 0


@pytest.mark.parametrize("kind", ["hyde", "decompose", "multi-query"])
def test_it_writes_what_is_searched_with(workbench: Workbench, kind: str) -> None:
    answer = workbench.ask(QUESTION, "en", recipe(query_expansion=kind, max_new_tokens=16))
    assert answer.expansion is not None
    assert all(query.strip() for query in answer.expansion.queries)
    assert answer.expansion.usage is not None and answer.expansion.usage.completion_tokens > 0
    assert len(answer.evidence) == 2


def test_by_upr_the_passage_that_answers_is_first(workbench: Workbench) -> None:
    reranker = workbench.registry.reranker("upr:smollm2")
    assert order(reranker, "When is bread baked in the village?")[0] == "bread"
    assert order(reranker, "What does the old bridge cross?")[0] == "bridge"


def test_as_rankgpt_it_orders_all_passages_or_fails_in_a_sentence(workbench: Workbench) -> None:
    try:
        assert sorted(order(workbench.registry.reranker("llm:smollm2"), "When is bread baked?")) == [
            "bread",
            "bridge",
            "lake",
        ]
    except WorkbenchError as error:
        assert "named no passage in its answer" in str(error)


def test_as_a_translator_it_never_passes_the_original_off_as_a_translation(workbench: Workbench) -> None:
    text = "Der See ist tief, und die Boote sind alt."
    try:
        (translation,) = workbench.registry.translator("llm:smollm2").translate([text], "de", "en")
        assert translation.text not in ("", text)
        assert (translation.source, translation.target) == ("de", "en")
    except WorkbenchError as error:
        assert "smollm2" in str(error)


def test_questions_that_it_writes_wait_or_are_held_back_with_a_reason(workbench: Workbench) -> None:
    request = WritingRequest("sample", "smollm2", languages=("en",), per_language=2, checker="extractive")
    writing = QuestionWriting(workbench, "written", request)
    writing.write()
    written = writing.store.drafts("written")
    assert len(written) == 2
    assert all(item.status == "draft" or item.reason for item in written)


@pytest.mark.parametrize("prompts", ["one", "four"])
def test_by_drag_an_output_without_a_labelled_answer_is_a_format_failure(
    workbench: Workbench, prompts: Literal["one", "four"]
) -> None:
    drag = recipe(mode="drag", max_new_tokens=60, dialectic=Dialectic(prompts=prompts))
    answer = workbench.ask(QUESTION, "en", drag)
    assert answer.sections is not None
    assert bool(format_failure(answer.sections)) == ("answer" not in answer.sections.present)
    if prompts == "four":  # each part is asked for by itself, so none can be left out
        assert answer.sections.present == ("extraction", "explanation", "argumentation", "answer")


def test_mrag_serve_streams_it_and_its_answer_is_that_of_ask(workbench: Workbench) -> None:
    choices = {"generator": "smollm2", "mode": "multirag", "scope": "en", "k": 2}
    with running(workbench, choices) as service:
        events = service.events({"question": QUESTION, "language": "en"})
    names = [name for name, _ in events]
    pieces = [data["text"] for name, data in events if name == "token"]
    assert names[0] == "evidence" and names[-1] == "done" and len(pieces) > 5
    assert "".join(pieces) == workbench.ask(QUESTION, "en", recipe()).generation.text
    assert not service.failures
