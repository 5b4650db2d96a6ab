"""Abstention: an answer that says nothing but that there is none is recognised; one that goes on to answer is not."""

from __future__ import annotations

from importlib.resources import files

import pytest
import yaml
from hypothesis import given, strategies as st

from tests.metrics.abstention_pairs import ABSTAINS, ANSWERS
from workbench.data.corpora.sample import content
from workbench.languages.catalogue import CHIRKOVA_LANGUAGES, language
from workbench.metrics.answers.abstention import abstains, abstention_error, hallucination
from workbench.metrics.catalogue import MEASURES, scale_of
from workbench.metrics.measure import UNANSWERABLE, Case
from workbench.pipeline.prompts.compose import nothing_retrieved_answer

EN = language("en")


def unanswerable(answer: str) -> Case:
    return Case(answer, (), EN, unanswerable=True)


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_the_sentences_of_the_product_are_recognised(code: str) -> None:
    reader = yaml.safe_load(
        files("workbench.pipeline.reader").joinpath("no_documents.yaml").read_text(encoding="utf-8")
    )
    assert abstains(nothing_retrieved_answer(code))
    assert abstains(reader[code])


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_common_wordings_are_recognised(code: str) -> None:
    assert [answer for answer in ABSTAINS[code] if not abstains(answer)] == []


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_an_answer_that_goes_on_to_answer_is_none(code: str) -> None:
    assert [answer for answer in ANSWERS[code] if abstains(answer)] == []


def test_no_gold_answer_of_the_sample_is_an_abstention() -> None:
    golds = {gold for code in content.languages() for item in content.questions(code) for gold in item.answers}
    assert len(golds) > 100
    assert [gold for gold in golds if abstains(gold)] == []


@pytest.mark.parametrize("answer", ["", "  \n", "—", "...", "?", "\u200b"])
def test_an_empty_answer_is_an_abstention(answer: str) -> None:
    assert abstains(answer)


@pytest.mark.parametrize("answer", ["∞", "7", "€", "無", "I don't know. " * 100])
def test_a_symbol_a_number_and_a_long_text_are_answers(answer: str) -> None:
    assert not abstains(answer)


def test_an_abstention_counts_in_whichever_language_it_is() -> None:
    assert hallucination(Case("Ich weiß es nicht.", (), language("th"), unanswerable=True)).value == 0.0


@given(st.text(max_size=200) | st.text(alphabet="the documents do not say, 不ไม่没有 .", max_size=200))
def test_no_answer_breaks_the_recogniser(answer: str) -> None:
    assert abstains(answer) in (True, False)


def test_hallucination_is_scored_for_unanswerable_questions_alone() -> None:
    assert [hallucination(unanswerable(answer)).value for answer in ("Marconi", "I don't know.", "")] == [1.0, 0.0, 0.0]
    assert not hallucination(Case("Marconi", ("Marconi",), EN)).scored


def test_abstention_error_is_scored_for_answerable_questions_alone() -> None:
    answers = ("Bell", "I don't know.", "")
    assert [abstention_error(Case(answer, ("Marconi",), EN)).value for answer in answers] == [0.0, 1.0, 1.0]
    assert MEASURES["abstention_error"].score([unanswerable("Bell")]) == [UNANSWERABLE]
    assert not abstention_error(Case("", (), EN)).scored


def test_a_gold_that_reads_like_an_abstention_is_an_answer() -> None:
    assert abstention_error(Case("Unknown.", ("unknown",), EN)).value == 0.0


@pytest.mark.parametrize("name", ["hallucination", "abstention_error"])
def test_of_both_rates_the_lower_is_the_better(name: str) -> None:
    assert not scale_of(name).higher_is_better


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "hallucination"])
def test_every_other_metric_is_unscored_where_the_question_is_unanswerable(name: str) -> None:
    cases = [unanswerable("It was certainly Guglielmo Marconi."), Case("Marconi", ("Marconi",), EN)]
    first, second = MEASURES[name].score(cases)
    assert first == UNANSWERABLE
    assert second == MEASURES[name].score(cases[1:])[0]
