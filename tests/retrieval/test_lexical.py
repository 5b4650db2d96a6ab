"""Lexical search: exact scope, stable order, nothing of a question read as a query language."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from workbench.core.errors import DataError, MissingError, UsageError
from workbench.core.protocols import Retriever
from workbench.core.records import Passage, Query
from workbench.retrieval.lexical import LexicalIndex
from workbench.workspace.checksum import sealed


def passage(id: str, language: str, text: str) -> Passage:
    return Passage(id, "document", "", language, text)


PASSAGES = (
    passage("cat.en", "en", "the cat sat on the mat"),
    passage("katze.de", "de", "die Katze saß auf der Matte im radio"),
    passage("dog.en", "en", "dogs bark at night"),
    passage("radio.en", "en", "radio waves carry speech"),
    passage("cat.en.again", "en", "the cat sat on the mat"),
    passage("radio.it", "it", "la radio porta la voce"),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> LexicalIndex:
    folder = tmp_path_factory.mktemp("lexical")
    LexicalIndex.build(folder, iter(PASSAGES))
    return LexicalIndex.open(folder)


def hit_ids(index: LexicalIndex, text: str, *languages: str, k: int = 10) -> list[str]:
    return [hit.id for hit in index.retrieve([Query(text, languages[0], languages)], k)[0]]


def test_the_index_is_a_retriever(index: LexicalIndex) -> None:
    assert isinstance(index, Retriever)


def test_the_passage_with_the_words_comes_first(index: LexicalIndex) -> None:
    assert hit_ids(index, "which dogs bark?", "en")[0] == "dog.en"


@pytest.mark.parametrize("question", ["臺北在哪裡？", "台北在哪里？"])
def test_traditional_and_simplified_chinese_find_each_other(question: str, tmp_path: Path) -> None:
    texts = {"simplified": "台北是城市。", "traditional": "臺北是城市。", "other": "头发与后来。"}
    LexicalIndex.build(tmp_path / "index", [passage(name, "zh", text) for name, text in texts.items()])
    assert hit_ids(LexicalIndex.open(tmp_path / "index"), question, "zh") == ["simplified", "traditional"]


def test_rows_count_the_passages_in_their_order(index: LexicalIndex) -> None:
    (hits,) = index.retrieve([Query("radio", "en", ("en", "de", "it"))], 10)
    assert {hit.row: hit.language for hit in hits} == {1: "de", 3: "en", 5: "it"}


def test_no_hit_is_outside_the_scope(index: LexicalIndex) -> None:
    assert hit_ids(index, "radio", "it") == ["radio.it"]
    assert set(hit_ids(index, "radio", "en", "it")) == {"radio.en", "radio.it"}


def test_a_language_without_passages_adds_nothing(index: LexicalIndex) -> None:
    assert hit_ids(index, "radio", "fi") == []
    assert hit_ids(index, "radio", "fi", "it") == ["radio.it"]


def test_a_language_named_twice_is_searched_once(index: LexicalIndex) -> None:
    assert hit_ids(index, "radio", "it", "it") == ["radio.it"]


def test_equal_passages_come_in_order_of_row_even_at_the_cut(index: LexicalIndex) -> None:
    assert hit_ids(index, "cat mat", "en") == ["cat.en", "cat.en.again"]
    assert hit_ids(index, "cat mat", "en", k=1) == ["cat.en"]


def test_the_tie_at_the_cut_is_kept_complete_however_long(tmp_path: Path) -> None:
    LexicalIndex.build(tmp_path, (passage(f"p{n}", "en", "same words here") for n in range(300)))
    assert hit_ids(LexicalIndex.open(tmp_path), "same words", "en", k=3) == ["p0", "p1", "p2"]


def test_a_score_is_named_and_orders_the_hits(index: LexicalIndex) -> None:
    (hits,) = index.retrieve([Query("the cat and the radio", "en", ("en",))], 10)
    assert [hit.scores for hit in hits] == [{"lexical": hit.score} for hit in hits]
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]


def test_a_language_scores_the_same_alone_and_among_others(index: LexicalIndex, tmp_path: Path) -> None:
    LexicalIndex.build(tmp_path, (p for p in PASSAGES if p.language == "en"))
    query = Query("radio speech at night", "en", ("en",))
    alone, among = LexicalIndex.open(tmp_path).retrieve([query], 5)[0], index.retrieve([query], 5)[0]
    assert [(hit.id, hit.score) for hit in alone] == [(hit.id, hit.score) for hit in among]


@pytest.mark.parametrize("text", ["", "?!", "…", "zzz qqq"])
def test_nothing_known_in_a_question_gives_no_hits(index: LexicalIndex, text: str) -> None:
    assert hit_ids(index, text, "en", "de") == []


@pytest.mark.parametrize("text", ['title:"x" AND (', "cat^1000 OR *", "id:cat.en", '+-!(){}[]^"~*?:\\/'])
def test_query_syntax_is_plain_text(index: LexicalIndex, text: str) -> None:
    assert set(hit_ids(index, text, "en")) <= {p.id for p in PASSAGES if p.language == "en"}


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_no_question_breaks_the_search(index: LexicalIndex, text: str) -> None:
    index.retrieve([Query(text, "en", ("en", "de"))], 3)


def test_a_question_of_ten_thousand_words_is_answered(index: LexicalIndex) -> None:
    text = " ".join(f"word{n}" for n in range(10_000)) + " radio"
    assert hit_ids(index, text, "en")[0] == "radio.en"


def test_at_most_k_hits_come_back(index: LexicalIndex) -> None:
    assert len(hit_ids(index, "radio cat dogs", "en", "de", "it", k=2)) == 2
    assert hit_ids(index, "radio", "en", k=0) == []


def test_rankings_keep_the_order_of_the_questions(index: LexicalIndex) -> None:
    queries = [Query("dogs", "en", ("en",)), Query("?", "en", ("en",)), Query("voce", "it", ("it",))]
    assert [[hit.id for hit in hits] for hits in index.retrieve(queries, 5)] == [["dog.en"], [], ["radio.it"]]


def test_match_share_is_one_where_the_best_hit_holds_every_token(index: LexicalIndex) -> None:
    query = Query("dogs bark", "en", ("en",))
    assert index.match_share(query, index.retrieve([query], 5)[0]) == pytest.approx(1.0)


def test_match_share_counts_unknown_tokens_in_full(index: LexicalIndex) -> None:
    query = Query("bark zzz", "en", ("en",))
    # Four English passages. "bark" and "bar" in one of them: idf ln(1 + 3.5 / 1.5) = 1.204 each;
    # "zzz" in none: ln(1 + 4.5 / 0.5) = 2.303.
    expected = 2 * 1.20397 / (2 * 1.20397 + 2.30259)
    assert index.match_share(query, index.retrieve([query], 5)[0]) == pytest.approx(expected, abs=1e-4)


def test_match_share_is_zero_without_a_hit(index: LexicalIndex) -> None:
    assert index.match_share(Query("zzz", "en", ("en",)), ()) == 0.0


def test_rows_are_looked_up_by_id(index: LexicalIndex) -> None:
    assert index.rows_of(["radio.it", "cat.en", "missing"]) == {"radio.it": 5, "cat.en": 0}
    assert index.rows_of([]) == {}


def test_the_same_passages_give_the_same_identity_and_others_another(index: LexicalIndex, tmp_path: Path) -> None:
    LexicalIndex.build(tmp_path / "a", PASSAGES)
    LexicalIndex.build(tmp_path / "b", PASSAGES[:-1])
    assert LexicalIndex.open(tmp_path / "a").identity == index.identity
    assert LexicalIndex.open(tmp_path / "b").identity != index.identity


def test_building_again_replaces_the_index(tmp_path: Path) -> None:
    LexicalIndex.build(tmp_path, PASSAGES)
    LexicalIndex.build(tmp_path, [passage("new", "it", "la luna")])
    assert LexicalIndex.open(tmp_path).languages == ("it",)


def test_an_empty_corpus_finds_nothing(tmp_path: Path) -> None:
    LexicalIndex.build(tmp_path, [])
    assert hit_ids(LexicalIndex.open(tmp_path), "radio", "en") == []


def test_progress_ends_with_the_number_of_passages(tmp_path: Path) -> None:
    counts: list[int] = []
    LexicalIndex.build(tmp_path, PASSAGES, counts.append)
    assert counts[-1] == len(PASSAGES)


def test_a_build_that_was_cut_off_is_not_an_index(tmp_path: Path) -> None:
    def broken() -> Iterator[Passage]:
        yield PASSAGES[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LexicalIndex.build(tmp_path, broken())
    with pytest.raises(MissingError, match="Build it again"):
        LexicalIndex.open(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"languages": 3}'])
def test_a_broken_manifest_is_reported_in_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "lexical.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"cannot be read|is damaged"):
        LexicalIndex.open(tmp_path)


def test_an_index_of_another_segmenter_is_refused(tmp_path: Path) -> None:
    LexicalIndex.build(tmp_path, PASSAGES)
    facts = json.loads((tmp_path / "lexical.json").read_text(encoding="utf-8"))
    del facts["checksum"]
    (tmp_path / "lexical.json").write_text(json.dumps(sealed(facts | {"segmenter": 0})), encoding="utf-8")
    with pytest.raises(DataError, match="segmenter"):
        LexicalIndex.open(tmp_path)


def test_a_language_that_is_not_a_code_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Unknown language"):
        LexicalIndex.build(tmp_path, [passage("x", "../etc", "text")])
