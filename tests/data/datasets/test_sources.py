"""Each source's files become questions with their answers, and passages if the source has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.data.datasets.forms import (
    NULL,
    autorag,
    beir,
    borderlines,
    jsonl,
    mkqa_row,
    mlqa,
    squad_form,
    tydi_row,
    write,
    xor_row,
)
from workbench.core.errors import DataError, UsageError
from workbench.core.records import Question
from workbench.data.datasets.dataset_format import Collection
from workbench.data.datasets.formats.autorag import read_autorag
from workbench.data.datasets.formats.beir import read_beir
from workbench.data.datasets.formats.borderlines import read_borderlines
from workbench.data.datasets.formats.mkqa import read_mkqa
from workbench.data.datasets.formats.mlqa import read_mlqa
from workbench.data.datasets.formats.natural_questions import read_natural_questions
from workbench.data.datasets.formats.tydi_qa import read_gold_passages, read_tydi_qa
from workbench.data.datasets.formats.xor_tydi import read_xor_tydi

SHARED = Path(__file__).parents[4] / "shared" / "data"


def real(*parts: str) -> Path:
    """Return a real sample next to the repository; without it the test is skipped."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no {'/'.join(parts)} next to the repository")
    return path


def by_id(collection: Collection, language: str) -> dict[str, tuple[str, ...]]:
    return {question.id: question.answers for question in collection.questions if question.language == language}


def texts(collection: Collection) -> dict[str, str]:
    assert collection.passages
    return {passage.id: passage.text for passage in collection.passages()}


# MKQA


def test_mkqa_takes_every_language_with_answers_and_aliases(tmp_path: Path) -> None:
    read = read_mkqa(write(tmp_path, "mkqa.jsonl.gz", jsonl([mkqa_row(7), mkqa_row(-8)])))
    assert read.languages() == {"en": 2, "fi": 2, "zh": 2} and read.parallel
    assert by_id(read, "fi") == {"7": ("fi 7", "fi alias"), "-8": ("fi -8", "fi alias")}
    assert next(question.text for question in read.questions if question.language == "zh") == "zh_cn question 7?"


def test_mkqa_without_aliases_has_the_answers_alone_and_states_so(tmp_path: Path) -> None:
    read = read_mkqa(write(tmp_path, "mkqa.jsonl", jsonl([mkqa_row(7)])), aliases=False)
    assert by_id(read, "fi") == {"7": ("fi 7",)}
    assert read.source == "MKQA without aliases: mkqa.jsonl"


def test_mkqa_leaves_out_and_counts_questions_whose_answers_are_null(tmp_path: Path) -> None:
    mixed = [*NULL, {"type": "date", "text": "2017", "aliases": ["2017", " "]}]
    rows = [mkqa_row(1, fi=NULL), mkqa_row(2, fi=mixed), mkqa_row(3, fi=[])]
    read = read_mkqa(write(tmp_path, "mkqa.jsonl", jsonl(rows)), ["fi"])
    assert by_id(read, "fi") == {"2": ("2017",)}
    assert read.left_out == {"without an answer": 2}


def test_mkqa_with_a_file_of_kilt_has_the_questions_of_both(tmp_path: Path) -> None:
    path = write(tmp_path, "mkqa.jsonl", jsonl([mkqa_row(1), mkqa_row(-2), mkqa_row(3)]))
    outputs = [{"answer": "x", "provenance": [{"wikipedia_id": "9"}]}]
    kilt = write(tmp_path, "kilt.jsonl", jsonl([{"id": "-2", "input": "q", "output": outputs}, {"id": "4"}]))
    read = read_mkqa(path, ["en", "fi"], kilt=kilt)
    assert [(item.id, item.language) for item in read.questions] == [("-2", "en"), ("-2", "fi")]
    assert read.left_out == {"without an answer": 0, "not in the KILT file": 4}
    assert read.source == "MKQA: mkqa.jsonl, kilt.jsonl"


def test_mkqa_with_a_file_of_kilt_that_shares_nothing_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "mkqa.jsonl", jsonl([mkqa_row(1)]))
    with pytest.raises(DataError, match=r"not in the KILT file"):
        read_mkqa(path, kilt=write(tmp_path, "kilt.jsonl", jsonl([{"id": "2"}])))


def test_mkqa_gives_another_variety_of_chinese_by_name(tmp_path: Path) -> None:
    path = write(tmp_path, "mkqa.jsonl", jsonl([mkqa_row(1)]))
    assert read_mkqa(path, ["zh_tw"]).questions[0].text == "zh_tw question 1?"
    with pytest.raises(UsageError, match="named twice"):
        read_mkqa(path, ["zh", "zh_tw"])
    with pytest.raises(UsageError, match=r"Unknown language of this file “sw”\. Allowed: en, fi, zh"):
        read_mkqa(path, ["sw"])


def test_mkqa_real_sample() -> None:
    read = read_mkqa(real("mkqa", "test_mkqa.jsonl.gz"))
    assert len(read.languages()) == 24 and set(read.languages().values()) == {3}
    assert "Sir Ridley Scott" in by_id(read, "en")["7631360939705650347"]


# XOR-TyDi QA


def test_xor_tydi_full_answers_are_in_the_questions_language(tmp_path: Path) -> None:
    rows = [xor_row(1), xor_row(2, "ja"), xor_row(3, answers=[]), xor_row(4, has_eng_answer_only=True)]
    read = read_xor_tydi(write(tmp_path, "xor_dev_full_v1_1.jsonl", jsonl(rows)))
    assert read.languages() == {"fi": 1, "ja": 1} and read.answers_in == "" and read.kind == "xor-tydi"
    assert read.left_out == {"without an answer": 1, "with an English answer only": 1}


def test_xor_tydi_english_span_has_english_answers(tmp_path: Path) -> None:
    path = write(tmp_path, "xor_dev_retrieve_eng_span_v1_1.jsonl", jsonl([xor_row(1), xor_row(2, "ja")]))
    read = read_xor_tydi(path, ["ja"])
    assert read.languages() == {"ja": 1} and read.answers_in == "en" and read.questions[0].evidence_in == "en"
    assert read_xor_tydi(path, english_span=False).answers_in == ""


# TyDi QA


def test_tydi_qa_offsets_count_bytes(tmp_path: Path) -> None:
    rows = [
        tydi_row(1, "finnish", "Äiti näki jänön.\n\nJäälautta lähtee yöllä.", "yöllä"),
        tydi_row(2, "thai", "รถไฟ\nสามทุ่ม", ""),
    ]
    read = read_tydi_qa(write(tmp_path, "dev.jsonl.gz", jsonl(rows)))
    (question,) = read.questions
    assert (question.language, question.answers) == ("fi", ("yöllä",))
    assert texts(read)[question.gold[0]] == "Jäälautta lähtee yöllä."
    assert sorted(texts(read).values()) == ["Jäälautta lähtee yöllä.", "Äiti näki jänön.", "รถไฟ", "สามทุ่ม"]
    assert read.left_out == {"that no annotator found a passage for": 1}


def test_tydi_qa_passages_know_their_neighbours_and_come_once(tmp_path: Path) -> None:
    first = tydi_row(1, "finnish", "Yksi.\nKaksi.", "Kaksi")
    again = {**first, "example_id": 2, "question_text": "Entä?"}
    read = read_tydi_qa(write(tmp_path, "dev.jsonl", jsonl([first, again])))
    assert read.passages
    one, two = read.passages()
    assert (one.next, two.previous, one.position, two.position) == (two.id, one.id, 0, 1)
    assert {question.gold for question in read.questions} == {(two.id,)}


def test_tydi_qa_takes_only_the_languages_named(tmp_path: Path) -> None:
    rows = [tydi_row(1, "finnish", "Yksi.", "Yksi"), tydi_row(2, "swahili", "Moja.", "Moja")]
    read = read_tydi_qa(write(tmp_path, "dev.jsonl", jsonl(rows)), ["sw"])
    assert read.languages() == {"sw": 1} and list(texts(read).values()) == ["Moja."]


def test_tydi_qa_yes_or_no_keeps_the_passage_without_an_answer(tmp_path: Path) -> None:
    row = tydi_row(1, "finnish", "Yksi.\nKaksi.", "Kaksi")
    row["annotations"][0]["minimal_answer"] = {"plaintext_start_byte": -1, "plaintext_end_byte": -1}
    row["annotations"][0]["yes_no_answer"] = "YES"
    (question,) = read_tydi_qa(write(tmp_path, "dev.jsonl", jsonl([row]))).questions
    assert question.answers == () and len(question.gold) == 1


def test_tydi_qa_real_sample() -> None:
    read = read_tydi_qa(real("tydiqa", "tiny_dev.jsonl.gz"))
    assert read.languages() == {"ar": 1, "en": 1, "fi": 1, "id": 1, "ru": 1, "te": 1}
    assert by_id(read, "fi") == {"-7549932681071767572": ("1869",)}
    passages = texts(read)
    assert all(answer in "".join(passages[gold] for gold in q.gold) for q in read.questions for answer in q.answers)


def test_tydi_gold_passages_have_their_language_in_the_id(tmp_path: Path) -> None:
    body = squad_form(
        "Juna", ("Se lähtee.", [("finnish-1-0", "Mikä?", "Se")]), ("Treni.", [("swahili-2-0", "Nini?", "Treni")])
    )
    read = read_gold_passages(write(tmp_path, "goldp.json", json.dumps(body)))
    assert read.languages() == {"fi": 1, "sw": 1}
    assert {texts(read)[question.gold[0]] for question in read.questions} == {"Se lähtee.", "Treni."}


# MLQA


def test_mlqa_gold_is_the_passage_in_every_context_language(tmp_path: Path) -> None:
    read = read_mlqa(mlqa(tmp_path))
    assert read.languages() == {"de": 1, "en": 2} and read.parallel and read.answers_in == ""
    assert by_id(read, "de") == {"q1": ("um neun",)} and by_id(read, "en")["q1"] == ("at nine",)
    german = next(question for question in read.questions if question.language == "de")
    assert {texts(read)[gold] for gold in german.gold} == {"Der Zug fährt um neun.", "The train leaves at nine."}
    assert len(texts(read)) == 2


def test_mlqa_over_one_other_language_has_its_answers_in_that(tmp_path: Path) -> None:
    read = read_mlqa(mlqa(tmp_path), languages=["de"], contexts=["en"])
    assert read.answers_in == "en" and by_id(read, "de") == {"q1": ("at nine",)}
    assert list(texts(read).values()) == ["The train leaves at nine."]


# Natural Questions


def test_natural_questions_of_kilt(tmp_path: Path) -> None:
    output = [
        {"answer": "Ridley", "provenance": []},
        {"answer": "Ridley"},
        {"provenance": [{"title": "x"}]},
        {"answer": "R. S."},
    ]
    rows = [{"id": "5", "input": "who?", "output": output}, {"id": "6", "input": "when?"}]
    read = read_natural_questions(write(tmp_path, "nq-dev-kilt.jsonl", jsonl(rows)))
    assert by_id(read, "en") == {"5": ("Ridley", "R. S.")} and read.left_out == {"without an answer": 1}


def test_natural_questions_open_is_numbered_by_line(tmp_path: Path) -> None:
    rows = [{"question": "who?", "answer": ["A", "B"]}, {"question": "when?", "answer": ["C"]}]
    read = read_natural_questions(write(tmp_path, "NQ-open.dev.jsonl", jsonl(rows)))
    assert by_id(read, "en") == {"nq000001": ("A", "B"), "nq000002": ("C",)}


# BORDERLINES


def test_borderlines_gold_is_the_controller_in_the_questions_language(tmp_path: Path) -> None:
    read = read_borderlines(borderlines(tmp_path))
    assert by_id(read, "en") == {"Long_Island": ("Freedonia",), "Far_Rock": ("Formosa",)}
    assert by_id(read, "fr") == {"Long_Island": ("Fridonie",)}
    assert read.parallel and {question.evidence_in for question in read.questions} == {"conflict"}


def test_borderlines_keeps_the_claimants_their_languages_and_the_region(tmp_path: Path) -> None:
    folder = borderlines(tmp_path)
    questions = {(item.id, item.language): item for item in read_borderlines(folder).questions}
    assert questions["Far_Rock", "zh"].choices == ("国泰", "福尔摩沙", "弗里多尼亚")
    assert questions["Far_Rock", "en"].choice_languages == ("zh", "zh", "fr")
    assert questions["Long_Island", "fr"].choice_languages == ("fr", "")
    assert {item.region for item in questions.values()} == {"Sea"}
    assert read_borderlines(folder).description.startswith("1 of 3 territories have no controller")
    assert not read_borderlines(folder).warnings
    (folder / "countries_info.json").unlink()
    read = read_borderlines(folder)
    assert {item.choice_languages for item in read.questions} == {("", ""), ("", "", "")}
    assert "languages are not known" in read.warnings[0]


def test_questions_with_choices_come_back_from_their_file_and_others_are_stored_as_before(tmp_path: Path) -> None:
    for question in (*read_borderlines(borderlines(tmp_path)).questions, Question("q", "?", "en", ("a",))):
        assert Question.from_stored(json.loads(json.dumps(question.to_stored()))) == question
    assert "choices" not in Question("q", "?", "en").to_stored()


def test_borderlines_asks_once_in_a_language_of_two_varieties(tmp_path: Path) -> None:
    read = read_borderlines(borderlines(tmp_path), ["zh"])
    assert by_id(read, "zh") == {"Far_Rock": ("福尔摩沙",), "Long_Island": ("弗里多尼亞",)}
    assert read.left_out == {
        "without a controller among the claimants": 2,
        "in a second variety of the same language": 1,
    }


# BEIR and AutoRAG


def test_beir_gold_are_documents_judged_above_zero(tmp_path: Path) -> None:
    read = read_beir(beir(tmp_path), "en")
    assert {question.id: question.gold for question in read.questions} == {"q1": ("d1",), "q2": ("d2",)}
    assert read.left_out == {"without a relevant document in this split": 1}
    assert texts(read) == {
        "d1": "The ferry leaves from the market square.",
        "d2": "Line six ends at Arabia.",
        "d3": "Only a title",
    }


def test_beir_may_be_gzipped(tmp_path: Path) -> None:
    plain = beir(tmp_path / "plain")
    packed = tmp_path / "packed"
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        write(packed, f"{name}.gz", (plain / name).read_bytes())
    assert read_beir(packed, "en").questions == read_beir(plain, "en").questions


def test_beir_judgements_may_be_next_to_the_corpus_but_those_in_qrels_come_first(tmp_path: Path) -> None:
    folder = beir(tmp_path)
    (folder / "qrels" / "test.tsv").rename(folder / "test.tsv")
    assert [question.id for question in read_beir(folder, "en").questions] == ["q1", "q2"]
    write(folder, "qrels/test.tsv", "query-id\tcorpus-id\tscore\nq3\td3\t1\n")
    assert [question.id for question in read_beir(folder, "en").questions] == ["q3"]


def test_autorag_gold_is_every_id_and_neighbours_are_existing_ones(tmp_path: Path) -> None:
    read = read_autorag(autorag(tmp_path), "en")
    assert [(q.id, q.answers, q.gold) for q in read.questions] == [
        ("a", ("the square",), ("p1",)),
        ("b", ("line six", "the tram"), ("p1", "p2")),
    ]
    assert read.passages
    assert [(p.title, p.previous, p.next) for p in read.passages()] == [("Ferry", "", "p2"), ("Tram", "p1", "")]


def test_autorag_takes_a_single_id_and_a_single_answer(tmp_path: Path) -> None:
    read = read_autorag(autorag(tmp_path, {"retrieval_gt": ["p1", "p2"], "generation_gt": ["x", "y"]}), "en")
    assert [(q.answers, q.gold) for q in read.questions] == [(("x",), ("p1",)), (("y",), ("p2",))]
