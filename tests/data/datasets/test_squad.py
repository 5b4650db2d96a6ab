"""SQuAD-format files: paragraphs become passages, and errors are one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from workbench.core.errors import DataError, UsageError
from workbench.core.records import Passage
from workbench.data.datasets.dataset_format import Collection
from workbench.data.datasets.formats.squad import read_squad


def qa(name: str, question: str = "Who?", *answers: str) -> dict[str, Any]:
    return {"id": name, "question": question, "answers": [{"text": text, "answer_start": 0} for text in answers]}


def squad(*articles: dict[str, Any]) -> dict[str, Any]:
    return {"version": "1.1", "data": list(articles)}


def article(title: str, *paragraphs: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {"title": title, "paragraphs": [{"context": text, "qas": qas} for text, qas in paragraphs]}


TWO = squad(
    article(
        "Night_train",
        ("The train leaves at nine.", [qa("q1", " When? ", "at nine", "nine", "nine")]),
        ("It has beds.", []),
    ),
    article("Day train", ("It has windows.", [qa("q2", "What has it?", "windows")])),
)


def write(folder: Path, data: Any, name: str = "file.json") -> Path:
    place = folder / name
    place.write_bytes(data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False).encode())
    return place


def _passages(read: Collection) -> list[Passage]:
    assert read.passages is not None
    return list(read.passages())


def test_a_paragraph_becomes_a_passage_with_title_place_and_neighbours(tmp_path: Path) -> None:
    passages = _passages(read_squad([write(tmp_path, TWO)], "en"))
    assert [passage.id for passage in passages] == ["p000000.en", "p000001.en", "p000002.en"]
    assert [passage.title for passage in passages] == ["Night train", "Night train", "Day train"]
    assert [passage.position for passage in passages] == [0, 1, 0]
    assert [(passage.previous, passage.next) for passage in passages] == [
        ("", "p000001.en"),
        ("p000000.en", ""),
        ("", ""),
    ]
    assert len({passage.document for passage in passages}) == 2
    assert {passage.group for passage in passages} == {""}


def test_a_question_keeps_its_answers_once_and_its_paragraph_as_gold(tmp_path: Path) -> None:
    first, second = read_squad([write(tmp_path, TWO)], "en").questions
    assert (first.id, first.text, first.answers, first.gold) == ("q1", "When?", ("at nine", "nine"), ("p000000.en",))
    assert (second.language, second.gold) == ("en", ("p000002.en",))


def test_aligned_files_give_groups_to_passages_and_questions(tmp_path: Path) -> None:
    read = read_squad([write(tmp_path, TWO)], "fi", aligned=True)
    assert [passage.group for passage in _passages(read)] == ["p000000", "p000001", "p000002"]
    assert [question.gold for question in read.questions] == [("p000000",), ("p000002",)]


def test_several_files_in_one_language_are_counted_through(tmp_path: Path) -> None:
    one, two = write(tmp_path, squad(TWO["data"][0]), "1.json"), write(tmp_path, squad(TWO["data"][1]), "2.json")
    several, single = read_squad([one, two], "en"), read_squad([write(tmp_path, TWO)], "en")
    assert (_passages(several), several.questions) == (_passages(single), single.questions)


def test_a_byte_order_mark_is_not_text(tmp_path: Path) -> None:
    place = write(tmp_path, b"\xef\xbb\xbf" + json.dumps(TWO).encode())
    assert len(_passages(read_squad([place], "en"))) == 3


def test_a_question_without_answers_is_a_question(tmp_path: Path) -> None:
    data = squad(article("T", ("Text.", [{"id": 7, "question": "Why?"}])))
    (question,) = read_squad([write(tmp_path, data)], "en").questions
    assert (question.id, question.answers) == ("7", ())


def test_an_article_without_a_title_has_none(tmp_path: Path) -> None:
    data = {"data": [{"title": None, "paragraphs": [{"context": "Text."}]}, {"paragraphs": [{"context": "More."}]}]}
    assert [passage.title for passage in _passages(read_squad([write(tmp_path, data)], "en"))] == ["", ""]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfe{\x00", "is not UTF-8 (byte 0)"),
        (json.dumps(TWO).encode()[:-20], "is not complete JSON"),
        (b"", "is not complete JSON"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"data": ' + b"9" * 5_000 + b"}", "contains a number that is too long"),
        ([], "is not a JSON object"),
        ({"data": {}}, "lacks a list of objects “data”"),
        ({"data": [1]}, "lacks a list of objects “data”"),
        ({"data": []}, "contains no paragraphs"),
        ({"data": [{"title": "T"}]}, "file.json, article 1 lacks a list of objects “paragraphs”"),
        (squad(article("T", ("Text.", []), ("  \n", []))), "article 1, paragraph 2 has an empty “context”"),
        (squad({"title": "T", "paragraphs": [{"context": 3}]}), "paragraph 1 lacks a text “context”"),
        (squad({"title": "T", "paragraphs": ["text"]}), "article 1 lacks a list of objects “paragraphs”"),
        (squad({"title": "T", "paragraphs": [{"context": "x", "qas": {"a": 1}}]}), "lacks a list of objects “qas”"),
        (squad(article("T", ("Text.", [{"id": "q"}]))), "paragraph 1 lacks a text “question”"),
        (squad(article("T", ("Text.", [{"question": "Why?"}]))), "paragraph 1 lacks an id “id”"),
        (
            squad(article("T", ("One.", [qa("q")]), ("Two.", [qa("q")]))),
            "is already in file.json, article 1, paragraph 1",
        ),
        (b'{"data": [{"paragraphs": [{"context": "half \\ud800 a pair"}]}]}', "an invalid character"),
        (
            b'{"data": [{"paragraphs": [{"context": "x", "qas": [{"id": "q", "question": "\\udfff?"}]}]}]}',
            "an invalid character",
        ),
    ],
)
def test_an_error_is_one_sentence_with_its_place(data: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_squad([write(tmp_path, data)], "en")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_the_same_id_in_two_files_of_one_language_is_refused(tmp_path: Path) -> None:
    places = [write(tmp_path, TWO, "1.json"), write(tmp_path, TWO, "2.json")]
    with pytest.raises(DataError, match=r"“q1” in 2.json, article 1, paragraph 1 is already in 1.json"):
        read_squad(places, "en")


@pytest.mark.parametrize("name", ["missing.json", "is/a/file.json", "x" * 300])
def test_a_path_that_leads_nowhere_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "is").write_text("a file")
    with pytest.raises(UsageError, match="Type the path of a file, for example: train"):
        read_squad([tmp_path / name], "en")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        read_squad([tmp_path], "en")


def test_an_unknown_language_is_refused_before_the_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Unknown language “klingon”"):
        read_squad([tmp_path / "missing.json"], "klingon")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["data", "paragraphs", "context", "qas", "id", "question", "answers", "title"]), inner
        )
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(json_values)
def test_any_json_is_read_or_refused_with_a_sentence(tmp_path: Path, data: Any) -> None:
    try:
        read = read_squad([write(tmp_path, {"data": [{"paragraphs": [data]}]})], "en")
    except DataError as error:
        assert "\n" not in str(error)
    else:
        passages = _passages(read)
        assert passages and all(passage.text for passage in passages)


def test_an_impossible_question_of_squad_2_is_unanswerable_and_has_no_gold(tmp_path: Path) -> None:
    impossible = {**qa("q1", "When does it return?", "nine"), "is_impossible": True}
    possible = {**qa("q2", "When does it leave?", "nine"), "is_impossible": False}
    first, second = read_squad(
        [write(tmp_path, squad(article("Train", ("It leaves at nine.", [impossible, possible]))))], "en"
    ).questions
    assert first.unanswerable and (first.answers, first.gold) == ((), ())
    assert not second.unanswerable and (second.answers, second.gold) == (("nine",), ("p000000.en",))
