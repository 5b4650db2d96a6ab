"""The answer in what a generator wrote: without thinking, with D-RAG's labels, and where nothing was retrieved."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.pipeline.fakes import FakeGenerator, FakeParts
from workbench.core.records import Generation, Prompt
from workbench.languages.catalogue import CHIRKOVA_LANGUAGES, PROMPT_LANGUAGES
from workbench.languages.detection import detect
from workbench.pipeline.chain import build_chain
from workbench.pipeline.choices import MODES
from workbench.pipeline.executor import Executor, OnError, TracedState
from workbench.pipeline.prompts.compose import nothing_retrieved_answer
from workbench.pipeline.prompts.dialectic import format_failure
from workbench.pipeline.recipe import make_recipe
from workbench.pipeline.stage import State

SCOPE = ("en", "fi", "th")
SEARCHING = [item.name for item in MODES if item.name != "baseline"]
THINKING = "<think>It is [1].\n#Answer: no</think>\n\n"
LABELLED = "#Extraction: a\n#Explanation: b\n#Dialectic Argumentation: c\n#Answer: d"


def traced(mode: str, fakes: FakeParts, scope: tuple[str, ...] = SCOPE, language: str = "fi") -> TracedState:
    return Executor().run(build_chain(make_recipe({"mode": mode}), fakes.parts), [State("Mikä?", language, scope)])[0]


@pytest.mark.parametrize("mode", ["baseline", "monorag", "multirag", "trag", "crossrag"])
def test_what_a_model_thinks_is_shown_but_is_no_part_of_its_answer(mode: str) -> None:
    done = traced(mode, FakeParts(generator=FakeGenerator(text=f"{THINKING}Marconi")))
    assert done.state.answer == "Marconi"
    assert done.state.generation is not None and done.state.generation.text.startswith("<think>")
    facts = next(step.facts for step in done.steps if step.name == "read answer")
    assert facts == {"thinking left out": f"{len(THINKING)} characters"}


def test_pivot_translates_the_answer_without_the_thinking() -> None:
    fakes = FakeParts(generator=FakeGenerator(text=f"{THINKING}Marconi"))
    assert traced("pivot", fakes).state.answer == "[en>fi] Marconi"


def test_a_label_inside_a_thought_is_none() -> None:
    state = traced("drag", FakeParts(generator=FakeGenerator(text=THINKING + LABELLED))).state
    assert state.answer == "d" and format_failure(state.sections) == ""
    unlabelled = traced("drag", FakeParts(generator=FakeGenerator(text=f"{THINKING}Marconi"))).state
    assert format_failure(unlabelled.sections).startswith("The output has none of the labels")


@pytest.mark.parametrize(
    ("output", "answer", "failure"),
    [
        (LABELLED, "d", ""),
        ("As [1] says, Marconi did it.", "As [1] says, Marconi did it.", "The output has none of the labels"),
        (LABELLED.partition("#Answer")[0], "", "The output ends before the label #Answer."),
        (LABELLED.removesuffix(" d"), "", "The output ends before the label #Answer."),
    ],
)
def test_a_dialectic_output_without_a_labelled_answer_is_a_format_failure(
    output: str, answer: str, failure: str
) -> None:
    done = traced("drag", FakeParts(generator=FakeGenerator(text=output)))
    assert done.state.answer == answer
    assert format_failure(done.state.sections).startswith(failure) and bool(failure) == bool(
        format_failure(done.state.sections)
    )
    facts = next(step.facts for step in done.steps if step.name == "parse sections")
    assert ("format failure" in facts) == bool(failure)


@pytest.mark.parametrize("mode", SEARCHING)
@pytest.mark.parametrize("language", CHIRKOVA_LANGUAGES)
def test_an_empty_retrieval_is_no_closed_book_question(mode: str, language: str) -> None:
    fakes = FakeParts()
    done = traced(mode, fakes, ("xx",), language)
    assert fakes.generator.prompts == []
    assert done.state.evidence == () and done.state.prompt is None
    assert done.state.answer == nothing_retrieved_answer(language)
    assert any("not found" in step.facts for step in done.steps)


@pytest.mark.parametrize("on_error", ["raise", "isolate"])
def test_one_empty_retrieval_leaves_the_others_of_a_batch_alone(on_error: OnError) -> None:
    chain = build_chain(make_recipe({}), FakeParts().parts)
    states = [State("A?", "fi", SCOPE), State("B?", "fi", ("xx",)), State("C?", "fi", SCOPE)]
    answers = [item.state.answer for item in Executor(on_error=on_error).run(chain, states)]
    assert answers == ["answer to A?", nothing_retrieved_answer("fi"), "answer to C?"]


def test_the_baseline_gets_no_documents() -> None:
    fakes = FakeParts()
    assert traced("baseline", fakes, ()).state.answer == "answer to Mikä?"


@pytest.mark.parametrize("language", PROMPT_LANGUAGES)
def test_the_sentence_for_an_empty_retrieval_is_in_the_language(language: str) -> None:
    assert detect(nothing_retrieved_answer(language), PROMPT_LANGUAGES) == language


def test_the_sentence_for_an_empty_retrieval_is_in_english_where_there_is_no_translation() -> None:
    assert nothing_retrieved_answer("sv") == nothing_retrieved_answer("en")


class AbstainingGenerator(FakeGenerator):
    """Abstains from every prompt."""

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        self.prompts.extend(prompts)
        return [Generation("", note="Nothing bears on it.", abstains=True) for _ in prompts]


@pytest.mark.parametrize("mode", SEARCHING)
@pytest.mark.parametrize("language", ["en", "fi", "th"])
def test_a_generator_that_abstains_is_answered_for_in_the_users_language(mode: str, language: str) -> None:
    done = traced(mode, FakeParts(generator=AbstainingGenerator()), language=language)
    assert done.state.answer == nothing_retrieved_answer(language)
    assert done.state.evidence and format_failure(done.state.sections) == ""
    assert [step.facts["not found"] for step in done.steps if "not found" in step.facts] == [
        "no document that was retrieved bears on the question"
    ]


def test_a_generator_that_abstains_from_one_part_is_not_given_the_next() -> None:
    generator = AbstainingGenerator()
    recipe = make_recipe({"mode": "drag", "dialectic": {"prompts": "four"}})
    (done,) = Executor().run(build_chain(recipe, FakeParts(generator=generator).parts), [State("Mikä?", "fi", SCOPE)])
    assert done.state.answer == nothing_retrieved_answer("fi") and len(generator.prompts) == 1
