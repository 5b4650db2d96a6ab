"""The examples are true to the sample."""

from workbench.data.corpora import sample
from workbench.ui.ask.examples import EXAMPLES, FIRST, PHENOMENA, of


def test_every_phenomenon_has_an_example_among_the_first() -> None:
    assert [example.phenomenon for example in FIRST] == list(PHENOMENA)


def test_every_example_is_a_question_of_the_sample() -> None:
    assert all(example.question.text for example in EXAMPLES)


def test_the_sample_marks_an_examples_question_with_its_phenomenon() -> None:
    marked = {(item.id, item.phenomenon) for item in sample.questions("en")}
    assert {(example.question_id, example.phenomenon) for example in EXAMPLES} <= marked


def test_an_example_is_known_by_its_question_whatever_the_recipe() -> None:
    example = EXAMPLES[0]
    assert of(example.choice) is example


def test_the_examples_are_in_different_languages() -> None:
    assert len({example.language for example in EXAMPLES}) == len(EXAMPLES)
