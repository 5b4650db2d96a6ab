"""Gold pages: which passages are of them, and rankings counted by page; by hand, then by an evaluator."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings, strategies as st

from workbench.core.records import Hit, Passage, is_gold, page_key, page_name
from workbench.data.corpora.passage_table import GoldPlaces, PassageTable, write_table
from workbench.metrics.ranking import RANKING_MEASURES, RankedList, score_lists
from workbench.retrieval.lexical import LexicalIndex

ARTICLES = {("en:1", "en", "en:1"): 3, ("fi:9", "fi", "en:1"): 2, ("en:2", "en", "en:2"): 2, ("en:3", "en", ""): 1}
"""The number of passages of each article: its document, language and group."""
PASSAGES = [
    Passage(f"{document}#{number}", document, "T", code, f"text {number}", number, group=group)
    for (document, code, group), count in ARTICLES.items()
    for number in range(count)
]
ROWS = {passage.id: row for row, passage in enumerate(PASSAGES)}


def no_index() -> LexicalIndex:
    raise AssertionError("gold pages are looked up without the index")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> GoldPlaces:
    path = tmp_path_factory.mktemp("table") / "passages.arrow"
    write_table(path, PASSAGES)
    return GoldPlaces(PassageTable(path), no_index)


def hits(*ids: str) -> tuple[Hit, ...]:
    return tuple(Hit(name, ROWS[name], "en", -float(rank)) for rank, name in enumerate(ids))


def scores(places: GoldPlaces, golds: Sequence[str], *ids: str) -> dict[str, float]:
    (values,) = score_lists([RankedList(places.units(golds, hits(*ids)), tuple(golds))])
    assert values is not None
    return values


def test_a_page_is_there_in_the_languages_of_its_linked_articles(places: GoldPlaces) -> None:
    golds = [page_name(key) for key in ("en:1", "en:2", "en:3", "en:404")]
    assert places.languages(golds) == {
        "page::en:1": {"en", "fi"},
        "page::en:2": {"en"},
        "page::en:3": {"en"},
    }


def test_the_passages_of_a_page_are_those_of_its_articles_in_the_languages_asked_for(places: GoldPlaces) -> None:
    names = [passage.id for _, passage in places.passages("page::en:1", ["fi"])]
    assert names == ["fi:9#0", "fi:9#1"]
    rows = [row for row, _ in places.passages("page::en:1", ["en", "fi"], 4)]
    assert rows == [0, 1, 2, 3]


def test_a_page_counts_once_in_the_place_of_its_first_passage(places: GoldPlaces) -> None:
    # By passages the second gold page is at rank 5; by pages at rank 3.
    ids = ("en:3#0", "en:1#2", "en:1#0", "fi:9#1", "en:2#1")
    values = scores(places, ["page::en:1", "page::en:2"], *ids)
    assert values["mrr"] == 0.5
    assert values["map"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert values["hit@1"] == 0 and values["hit@3"] == 1
    assert values["recall@5"] == 1 and values["p@5"] == pytest.approx(2 / 5)


def test_a_passage_in_another_language_hits_the_page_that_it_is_linked_to(places: GoldPlaces) -> None:
    assert scores(places, ["page::en:1"], "fi:9#1", "en:2#0")["mrr"] == 1


def test_other_passages_of_one_page_push_a_gold_page_down_once(places: GoldPlaces) -> None:
    assert scores(places, ["page::en:3"], "en:1#0", "en:1#1", "fi:9#0", "en:3#0")["mrr"] == 0.5


def test_golds_that_are_passages_are_counted_as_passages(places: GoldPlaces) -> None:
    assert places.units(["en:1#0"], hits("en:1#1", "en:1#0")) == ("en:1#1", "en:1#0")


def test_a_passage_is_gold_by_its_id_its_document_or_its_group() -> None:
    passage = PASSAGES[ROWS["fi:9#0"]]
    assert is_gold(passage, ["fi:9#0"]) and is_gold(passage, ["page::fi:9"]) and is_gold(passage, ["page::en:1"])
    assert not is_gold(passage, ["en:1", "fi:9#1", "page::en:2"])
    assert page_key("fi:9#0") == ""


NAMES = [f"d{number}" for number in range(12)]


@settings(max_examples=40)
@given(st.lists(st.sampled_from(NAMES), unique=True, min_size=1), st.sets(st.sampled_from(NAMES), min_size=1))
def test_with_one_passage_per_page_the_figures_are_those_of_passages(
    tmp_path_factory: pytest.TempPathFactory, ids: list[str], gold: set[str]
) -> None:
    table = tmp_path_factory.getbasetemp() / "one-passage-per-page.arrow"
    if not table.exists():
        write_table(table, (Passage(name, f"page of {name}", "T", "en", name) for name in NAMES))
    places = GoldPlaces(PassageTable(table), no_index)
    golds = tuple(page_name(f"page of {name}") for name in sorted(gold))
    ranking = tuple(Hit(name, NAMES.index(name), "en", 1.0) for name in ids)
    by_page = RankedList(places.units(golds, ranking), golds)
    by_passage = RankedList(tuple(ids), tuple(sorted(gold)))
    assert score_lists([by_page]) == score_lists([by_passage])


@settings(max_examples=40)
@given(st.permutations(sorted(ROWS)), st.sets(st.sampled_from(["en:1", "en:2", "en:3"]), min_size=1))
def test_they_are_the_figures_of_an_evaluator_that_takes_a_pages_best_passage(ids: list[str], keys: set[str]) -> None:
    import ir_measures

    page_of = {passage.id: page_name(passage.group or passage.document) for passage in PASSAGES}
    best: dict[str, float] = {}
    for rank, name in enumerate(ids):
        best[page_of[name]] = max(best.get(page_of[name], -1e9), -float(rank))
    golds = sorted(map(page_name, keys))
    named = {ir_measures.parse_measure(text): name for name, text in RANKING_MEASURES.items()}
    theirs = ir_measures.calc_aggregate(
        list(named),
        [ir_measures.Qrel("q", name, 1) for name in golds],
        [ir_measures.ScoredDoc("q", page, score) for page, score in best.items()],
    )
    (ours,) = score_lists([RankedList(tuple(page_of[name] for name in ids), tuple(golds))])
    assert ours is not None
    assert {named[measure]: value for measure, value in theirs.items()} == pytest.approx(ours)
