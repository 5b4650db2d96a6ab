"""`ask`: a question goes in, an answer with its trace comes out."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from workbench.app.background_answer import StreamObserver
from workbench.app.question import checked_question
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Passage
from workbench.data.corpora import sample
from workbench.pipeline.choices import MODES
from workbench.pipeline.recipe import Balance, RetrieverName, make_recipe
from workbench.workspace import settings

QUESTIONS_PER_LANGUAGE = 3


def test_opening_a_workbench_touches_nothing(tmp_path: Path) -> None:
    Workbench(settings.load(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []


def test_white_space_around_a_question_goes() -> None:
    assert checked_question("  Who invented radio?\n") == "Who invented radio?"


@pytest.mark.parametrize("length", [1, 2_000])
def test_a_question_of_up_to_two_thousand_characters_is_taken(length: int) -> None:
    assert len(checked_question("ก" * length)) == length


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("", "The question is empty"),
        (" \n\t\u3000", "The question is empty"),
        ("x" * 10_000, "has 10,000 characters (“xxx"),
        ("?!…", "holds no letter or digit"),
        ("🙂", "holds no letter or digit"),
        ("Who \udcff?", "an invalid character"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_in_one_sentence(question: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_question(question)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 250
    str(caught.value).encode()


def test_a_question_is_answered_with_its_evidence_its_prompt_and_its_steps(workbench: Workbench) -> None:
    answer = workbench.ask("Who is named as the inventor of radio?", "en", make_recipe({}))
    assert answer.text and answer.answer_language == "en"
    assert len(answer.evidence) == 5 and [item.rank for item in answer.evidence] == [1, 2, 3, 4, 5]
    parts = {"lexical", "dense", "hybrid", "passage", "sentence", "level", "built-in"}
    assert parts >= set(answer.evidence[0].scores) >= {"hybrid"}
    assert answer.question in answer.prompt.user
    assert [step.name for step in answer.steps][:2] == ["retrieve", "rerank"]


def test_what_was_changed_elsewhere_shows_in_the_next_answer(workbench: Workbench) -> None:
    elsewhere, recipe = Workbench(workbench.settings), make_recipe({"corpus": "mine", "encoder": "builtin", "k": 1})

    def texts() -> list[str]:
        answer = workbench.ask("When does the ferry leave?", "en", recipe)
        return [item.passage.text for item in answer.evidence]

    for text in ("The ferry leaves at nine.", "The ferry leaves at noon."):  # a corpus that is replaced
        passages = [Passage("a", "a", "Ferry", "en", text)]
        elsewhere.library.add("mine", passages, source="test", licence="none")
        assert texts() == [text]
    added = [Passage("b", "b", "Ferry", "en", "When does the ferry leave? When the ferry is full, the ferry leaves.")]
    elsewhere.library.add_documents("mine", added)
    assert texts() == [added[0].text]
    elsewhere.library.remove_documents("mine", ["b"])
    assert texts() == [text]


def test_a_setting_that_was_changed_counts_in_the_next_answer(workbench: Workbench) -> None:
    recipe = make_recipe({})
    workbench.ask("Who is named as the inventor of radio?", "en", recipe)
    (workbench.settings.home / "settings.yaml").write_text("identifier: nowhere\n", encoding="utf-8")
    with pytest.raises(UsageError, match="nowhere"):
        workbench.ask("Who is named as the inventor of radio?", "en", recipe)


def test_a_repeated_question_is_answered_from_the_cache_also_in_another_session(workbench: Workbench) -> None:
    first = workbench.ask("Who is named as the inventor of radio?", "en", make_recipe({}))
    second = Workbench(workbench.settings).ask("Who is named as the inventor of radio?", "en", make_recipe({}))
    # To compose a prompt and to read an answer takes less time than to read either from a database.
    assert all(step.cached for step in second.steps if step.name not in ("compose", "read answer"))
    assert not any(step.cached for step in first.steps)
    assert (second.text, second.evidence, second.prompt) == (first.text, first.evidence, first.prompt)


def test_without_the_cache_nothing_is_read_from_or_written_to_it(workbench: Workbench) -> None:
    answer = workbench.ask("Who invented radio?", "en", make_recipe({}), cached=False)
    assert not any(step.cached for step in answer.steps)
    assert workbench.cache.count() == 0


def test_a_replaced_corpus_shows_its_new_texts(workbench: Workbench) -> None:
    def put(word: str) -> None:
        passages = [Passage("p0.en", "d", "", "en", f"The ferry leaves from the {word} quay.")]
        workbench.library.add("mine", passages, source="s", licence="l")

    recipe = make_recipe({"corpus": "mine", "retriever": "lexical"})
    put("north")
    assert "north" in workbench.ask("When does the ferry leave?", "en", recipe).evidence[0].text
    put("south")
    assert "south" in workbench.ask("When does the ferry leave?", "en", recipe).evidence[0].text


def test_two_corpora_with_the_same_ids_and_scores_are_not_mixed_up(workbench: Workbench) -> None:
    for word in ("north", "south"):
        passages = [Passage("p0.en", "d", "", "en", f"The ferry leaves from the {word} quay.")]
        workbench.library.add(word, passages, source="s", licence="l")
    for word in ("north", "south"):
        recipe = make_recipe({"corpus": word, "retriever": "lexical"})
        assert word in workbench.ask("When does the ferry leave?", "en", recipe).evidence[0].text


def test_an_unknown_language_or_corpus_is_refused(sample_workbench: Workbench) -> None:
    with pytest.raises(UsageError, match="Unknown language"):
        sample_workbench.ask("Who?", "klingon", make_recipe({}))
    with pytest.raises(UsageError, match="Unknown corpus"):
        sample_workbench.ask("Who?", "en", make_recipe({"corpus": "nosuch"}))


def test_a_language_that_the_corpus_lacks_can_search_all_but_not_itself(sample_workbench: Workbench) -> None:
    with pytest.raises(UsageError, match="no passages in Turkish"):
        sample_workbench.ask("Radyoyu kim icat etti?", "tr", make_recipe({"mode": "monorag"}))
    answer = sample_workbench.ask("Radyoyu kim icat etti?", "tr", make_recipe({}), cached=False)
    assert len(answer.evidence) == 5


@pytest.mark.parametrize("name", ["reranker", "translator", "generator"])
def test_an_unknown_component_is_answered_with_those_there_are(name: str, sample_workbench: Workbench) -> None:
    with pytest.raises(UsageError, match=f"Unknown {name} “nosuch”. Allowed: "):
        sample_workbench.ask("Who?", "en", make_recipe({name: "nosuch"}))


@pytest.mark.usefixtures("answers_unread")
@pytest.mark.parametrize("mode", [item.name for item in MODES])
@pytest.mark.parametrize("scope", ["en", "ul", "en+ul"])
def test_no_passage_lies_outside_the_scope(mode: str, scope: str, sample_workbench: Workbench) -> None:
    recipe = make_recipe({"mode": mode, "scope": scope})
    for code in sample.languages():
        allowed = {"en": {"en"}, "ul": {code}, "en+ul": {"en", code}}[scope]
        questions = [
            question.text
            for question in sample.questions(code)[:: len(sample.questions(code)) // QUESTIONS_PER_LANGUAGE]
        ]
        for answer in sample_workbench.ask_all(questions, code, recipe):
            languages = {item.passage.language for item in answer.evidence}
            assert languages <= allowed, (code, answer.question)
            assert bool(languages) == (mode != "baseline"), (code, answer.question)


@pytest.mark.slow
@pytest.mark.usefixtures("answers_unread")
@pytest.mark.parametrize("mode", [item.name for item in MODES if item.name != "baseline"])
def test_under_all_the_samples_questions_bring_several_languages(mode: str, sample_workbench: Workbench) -> None:
    recipe = make_recipe({"mode": mode, "scope": "all"})
    for code in sample.languages():
        questions = [
            question.text
            for question in sample.questions(code)[:: len(sample.questions(code)) // QUESTIONS_PER_LANGUAGE]
        ]
        answers = sample_workbench.ask_all(questions, code, recipe)
        by_answer = [{item.passage.language for item in answer.evidence} for answer in answers]
        assert all(len(languages) >= 2 for languages in by_answer), (code, by_answer)
        assert len(set().union(*by_answer)) >= 4, (code, by_answer)


@pytest.mark.usefixtures("answers_unread")
def test_the_passages_of_a_question_score_the_same_whatever_questions_come_with_it(
    sample_workbench: Workbench,
) -> None:
    questions = [question.text for question in sample.questions("th")[:8]]
    together = sample_workbench.ask_all(questions, "th", make_recipe({}), cached=False)
    for question, answer in zip(questions, together, strict=True):
        alone = sample_workbench.ask(question, "th", make_recipe({}), cached=False)
        assert [item.scores for item in alone.evidence] == [item.scores for item in answer.evidence]


# Learned sparse vectors need a model that is not here.
@pytest.mark.usefixtures("answers_unread")
@pytest.mark.parametrize("retriever", [name for name in get_args(RetrieverName) if name != "sparse"])
@pytest.mark.parametrize("balance", get_args(Balance))
def test_every_retriever_and_balance_stays_within_the_scope(
    retriever: str, balance: str, sample_workbench: Workbench
) -> None:
    recipe = make_recipe({"retriever": retriever, "balance": balance, "scope": "en+ul"})
    questions = [question.text for question in sample.questions("ar")[:3]]
    for answer in sample_workbench.ask_all(questions, "ar", recipe):
        assert {item.passage.language for item in answer.evidence} <= {"en", "ar"}


@pytest.mark.parametrize("mode", [item.name for item in MODES])
def test_an_observer_gets_the_evidence_of_the_answer_once_and_before_its_text(
    mode: str, sample_workbench: Workbench
) -> None:
    events: list[tuple[str, object]] = []
    observer = StreamObserver(
        lambda piece: events.append(("piece", piece)),
        on_evidence=lambda evidence: events.append(("evidence", tuple(evidence))),
    )
    recipe = make_recipe({"mode": mode, "k": 2})
    answer = sample_workbench.ask("Kuka keksi radion?", "fi", recipe, observer=observer, cached=False)
    assert events[0] == ("evidence", answer.evidence)
    assert {name for name, _ in events[1:]} == {"piece"}


@pytest.mark.parametrize("mode", [item.name for item in MODES if item.name != "crossrag"])
def test_a_search_gives_the_evidence_of_the_answer(mode: str, sample_workbench: Workbench) -> None:
    recipe = make_recipe({"mode": mode, "k": 3, "neighbours": 1})
    evidence = sample_workbench.search("Kuka keksi radion?", "fi", recipe)
    assert evidence == sample_workbench.ask("Kuka keksi radion?", "fi", recipe).evidence
    assert bool(evidence) == (mode != "baseline")
