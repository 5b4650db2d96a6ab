"""With the real components each example shows what its card says. No browser is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.core.records import Question
from workbench.metrics.answers.abstention import abstains
from workbench.ui.ask.examples import EXAMPLES, Example
from workbench.workspace import settings

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def workbench(workspace: Path) -> Workbench:
    """The test's workspace, opened."""
    return Workbench(settings.load(workspace))


def _answer_text(workbench: Workbench, example: Example, **changes: str) -> str:
    recipe = example.choice.recipe.with_(**changes)
    return workbench.ask(example.question.text, example.language, recipe).text


def _golds_in(text: str, question: Question) -> set[str]:
    return {gold for gold in question.answers if gold.casefold() in text.casefold()}


def _of(phenomenon: str) -> list[Example]:
    return [example for example in EXAMPLES if example.phenomenon == phenomenon]


@pytest.mark.parametrize("example", _of("scope"), ids=lambda item: item.language)
def test_the_answer_is_in_the_users_language_and_not_in_english(workbench: Workbench, example: Example) -> None:
    assert _golds_in(_answer_text(workbench, example), example.question)
    assert not _golds_in(_answer_text(workbench, example, scope="en"), example.question)


@pytest.mark.parametrize(
    "example", _of("english-distracts") + _of("translation-misleads"), ids=lambda item: item.language
)
def test_english_misses_the_answer_that_the_users_language_has(workbench: Workbench, example: Example) -> None:
    assert example.mode == "trag"
    assert not _golds_in(_answer_text(workbench, example), example.question)
    assert _golds_in(_answer_text(workbench, example, mode="monorag", scope="ul"), example.question)
    assert _golds_in(_answer_text(workbench, example, mode="multirag", scope="all"), example.question)


@pytest.mark.parametrize(
    "example", [item for item in EXAMPLES if "no answer" in item.look], ids=lambda item: item.language
)
def test_where_a_card_says_that_there_is_no_answer_the_reader_abstains(workbench: Workbench, example: Example) -> None:
    assert abstains(_answer_text(workbench, example, scope="en"))


@pytest.mark.parametrize("example", _of("conflict"), ids=lambda item: item.language)
def test_dialectic_names_several_claims_and_that_they_differ(workbench: Workbench, example: Example) -> None:
    answer = workbench.ask(example.question.text, example.language, example.choice.recipe)
    assert answer.sections is not None
    assert " / " in answer.text
    assert "These claims differ." in answer.sections.argumentation
