"""Abstention: an answer that says nothing but that there is none is recognised; one that goes on to answer is not."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from benchmarks.abstention.learn import golds, labelled, premises, read
from workbench.languages.catalogue import PROMPT_LANGUAGES, language
from workbench.metrics.answers import abstention
from workbench.metrics.answers.abstention import abstains, abstention_error, denies, hallucination
from workbench.metrics.catalogue import MEASURES, scale_of
from workbench.metrics.measure import UNANSWERABLE, Case
from workbench.pipeline.prompts.compose import nothing_retrieved_answer

EN = language("en")


def unanswerable(answer: str) -> Case:
    return Case(answer, (), EN, unanswerable=True)


@pytest.mark.parametrize("code", PROMPT_LANGUAGES)
def test_the_sentences_of_the_product_are_recognised(code: str) -> None:
    reader = yaml.safe_load(
        files("workbench.pipeline.reader").joinpath("no_documents.yaml").read_text(encoding="utf-8")
    )
    assert abstains(nothing_retrieved_answer(code))
    assert abstains(reader[code])


@pytest.mark.parametrize("code", ["en", "zh", "te"])
def test_abstentions_are_told_from_answers_that_it_did_not_learn_from(code: str) -> None:
    rows = labelled({code: read("held_out.yaml")[code]})
    assert sum(abstains(text) is label for text, label in rows) >= 0.9 * len(rows)


@pytest.mark.parametrize("code", ["en", "zh", "te"])
def test_a_denial_of_the_samples_false_premises_is_told_from_an_acceptance(code: str) -> None:
    rows = premises({code: read("held_out.yaml")[code]})
    assert sum(denies(text) is denial for text, denial, _ in rows) >= 0.8 * len(rows)


def test_who_denies_a_false_premise_does_not_hallucinate() -> None:
    answers = ("No canal joins the two.", "It was opened in 1869.", "I don't know.")
    assert [hallucination(replace(unanswerable(answer), false_premise=True)).value for answer in answers] == [
        0.0,
        1.0,
        0.0,
    ]
    assert hallucination(unanswerable("No canal joins the two.")).value == 1.0


def test_without_the_encoder_only_an_empty_answer_is_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abstention, "is_e5_small_installed", lambda: False)
    answers = ("Marconi", "I don't know.", "")
    assert [hallucination(unanswerable(answer)).value for answer in answers] == [None, None, 0.0]
    assert [abstention_error(Case(answer, ("Marconi",), EN)).value for answer in answers] == [0.0, None, 1.0]


def test_bare_names_and_numbers_are_answers() -> None:
    unseen = golds(1)[::40]
    assert len(unseen) > 30
    assert sum(abstains(gold) is False for gold in unseen) >= 0.95 * len(unseen)


@pytest.mark.parametrize("answer", ["", "  \n", "—", "...", "?", "\u200b"])
def test_an_empty_answer_is_an_abstention(answer: str) -> None:
    assert abstains(answer)


@pytest.mark.parametrize("answer", ["∞", "7", "€", "無", "I don't know. " * 100])
def test_a_symbol_a_number_and_a_long_text_are_answers(answer: str) -> None:
    assert not abstains(answer)


def test_an_abstention_counts_in_whichever_language_it_is() -> None:
    assert hallucination(Case("Ich weiß es nicht.", (), language("th"), unanswerable=True)).value == 0.0


@settings(max_examples=40)  # 20 ms each
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
