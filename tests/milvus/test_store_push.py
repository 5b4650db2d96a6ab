"""Pushing a corpus: kills, resuming, changes, and the collections that are dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.data.corpora.test_changes import BASE, QUERIES, document
from tests.milvus.milvus_server import server
from workbench.app.workbench import Workbench
from workbench.core.errors import DataError, UsageError
from workbench.data.corpora import corpus
from workbench.data.corpora.build import quiet
from workbench.data.corpora.corpus import (
    LEFT,
    PUSHING,
    STORE,
    IndexStore,
    StoredCollection,
    drop,
    dropping,
    left,
    places_of,
    read_store,
    remember,
    write_store,
)
from workbench.data.corpora.encoded_indexes import store_state
from workbench.experiments.data_changes import delete_corpus, drop_corpus_version
from workbench.jobs.indexing import store_push
from workbench.jobs.indexing.store_push import check_switch, push, return_to_files
from workbench.retrieval.milvus import connection
from workbench.retrieval.milvus.collection import MilvusCollection
from workbench.retrieval.milvus.connection import MilvusAddress, MilvusUnreachable
from workbench.retrieval.milvus.indexes import MilvusDenseIndex, MilvusLexicalIndex
from workbench.workspace import settings

NOWHERE = "milvus://127.0.0.1:1"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A workspace with a small corpus of its own, “mine”."""
    bench = Workbench(settings.load(tmp_path / "workspace"))
    bench.library.add("mine", BASE, source="s", licence="l")
    return bench


def names_in(address: str) -> set[str]:
    return set(connection.client(MilvusAddress.of(address)).list_collections())


def names_of(bench: Workbench) -> set[str]:
    return {name for _, name in places_of(bench.settings.corpora / "mine")}


def test_a_pushed_corpus_is_searched_in_milvus_at_once_and_by_an_opened_one_too(bench: Workbench, lite: str) -> None:
    corpus = bench.corpus("mine")
    before = corpus.lexical.retrieve(QUERIES, 5), corpus.dense.retrieve(QUERIES, 5)
    assert not isinstance(corpus.lexical, MilvusLexicalIndex)
    push(bench, "mine", lite, quiet)
    assert isinstance(corpus.lexical, MilvusLexicalIndex) and isinstance(corpus.dense, MilvusDenseIndex)
    assert (corpus.lexical.retrieve(QUERIES, 5), corpus.dense.retrieve(QUERIES, 5)) == before


def test_a_kill_midway_leaves_the_files_in_use_and_the_next_push_goes_on(
    bench: Workbench, lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_push, "BATCH", 5)
    seen: list[tuple[str, int]] = []

    def die(phase: str, done: int, _total: int) -> None:
        seen.append((phase, done))
        if phase.startswith("pushing built-in") and done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        push(bench, "mine", lite, die)
    folder = bench.corpus("mine").folder
    assert read_store(folder) is None and (folder / PUSHING).is_file()
    assert not isinstance(bench.corpus("mine").lexical, MilvusLexicalIndex)
    written: list[int] = []
    put = MilvusCollection.put

    def counted(collection: MilvusCollection, items: Sequence[tuple[str, int, Any]]) -> None:
        written.append(len(items))
        put(collection, items)

    monkeypatch.setattr(MilvusCollection, "put", counted)
    push(bench, "mine", lite, quiet)
    assert sum(written) == len(BASE) - 10
    assert isinstance(bench.corpus("mine").lexical, MilvusLexicalIndex) and not (folder / PUSHING).exists()
    assert len(bench.corpus("mine").dense.retrieve(QUERIES, 5)[0]) == 5


def test_a_kill_just_after_a_push_began_its_use_leaves_screens_with_the_truth(
    bench: Workbench, lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(folder: Path, store: IndexStore, name: str = STORE) -> None:
        write_store(folder, store, name)
        if (bench.corpus("mine").folder / STORE).exists():
            raise KeyboardInterrupt

    monkeypatch.setattr(store_push, "write_store", killed)
    with pytest.raises(KeyboardInterrupt):
        push(bench, "mine", lite, quiet)
    corpus = bench.corpus("mine")
    state = store_state(corpus)
    assert isinstance(corpus.lexical, MilvusLexicalIndex)
    assert state is not None and state.words == f"searched in {lite}"


def test_collections_of_a_push_that_was_given_up_are_dropped_with_the_next(bench: Workbench, lite: str) -> None:
    folder, corpora = bench.corpus("mine").folder, bench.settings.corpora
    abandoned = MilvusCollection(MilvusAddress.of(lite), "mrag_given_up")
    abandoned.create(2)
    item = StoredCollection(name=abandoned.name, identity="b", rows=3, exact=True)
    write_store(folder, IndexStore(address=lite, collections={"dense": item}), PUSHING)

    def die(_phase: str, _done: int, _total: int) -> None:
        assert (lite, abandoned.name) in left(corpora)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        push(bench, "mine", lite, die)
    assert (lite, abandoned.name) in left(corpora)
    push(bench, "mine", lite, quiet)
    delete_corpus(bench, "mine")
    assert abandoned.name not in names_in(lite) and left(corpora) == []


def test_a_change_that_fails_writes_down_what_no_version_names_any_more(bench: Workbench, lite: str) -> None:
    push(bench, "mine", lite, quiet)
    folder, corpora = bench.corpus("mine").folder, bench.settings.corpora
    places = places_of(folder.parent)
    with pytest.raises(KeyboardInterrupt), dropping(corpora, "mine"):
        (folder / STORE).unlink()
        raise KeyboardInterrupt
    assert set(left(corpora)) == places


def test_what_was_left_and_is_in_use_again_is_not_dropped(bench: Workbench, lite: str) -> None:
    push(bench, "mine", lite, quiet)
    corpora = bench.settings.corpora
    remember(corpora, places_of(corpora / "mine"))
    assert drop(corpora, ()) == left(corpora) == [] and names_of(bench) <= names_in(lite)


def test_pushing_again_writes_nothing(bench: Workbench, lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = push(bench, "mine", lite, quiet)

    def refuse(*_: object) -> None:
        raise AssertionError("written again")

    monkeypatch.setattr(MilvusCollection, "put", refuse)
    assert push(bench, "mine", lite, quiet) == first


def test_an_unreachable_milvus_leaves_no_file(bench: Workbench) -> None:
    with pytest.raises(MilvusUnreachable, match="cannot be reached"):
        push(bench, "mine", NOWHERE, quiet)
    folder = bench.corpus("mine").folder
    assert not (folder / PUSHING).exists() and store_state(bench.corpus("mine")) is None


def test_a_new_version_is_searched_in_its_files_until_it_is_pushed(bench: Workbench, lite: str) -> None:
    push(bench, "mine", lite, quiet)
    bench.library.add_documents("mine", document("new", 3))
    bench.library.remove_documents("mine", ["doc1"])
    corpus = bench.corpus("mine")
    assert not isinstance(corpus.lexical, MilvusLexicalIndex)
    state = store_state(corpus)
    assert state is not None and state.pushed == () and state.behind == ("words (BM25)", "built-in encoder")
    assert state.command == f"python -m workbench corpora index mine --store {lite}"
    expected = corpus.lexical.retrieve(QUERIES, 30), corpus.dense.retrieve(QUERIES, 30)
    push(bench, "mine", lite, quiet)
    assert isinstance(corpus.lexical, MilvusLexicalIndex)
    assert (corpus.lexical.retrieve(QUERIES, 30), corpus.dense.retrieve(QUERIES, 30)) == expected
    state = store_state(corpus)
    assert state is not None and state.behind == () and state.words == f"searched in {lite}"


def test_a_former_version_keeps_its_collections_until_it_is_dropped(bench: Workbench, lite: str) -> None:
    push(bench, "mine", lite, quiet)
    former, names = bench.corpus("mine").manifest, names_of(bench)
    bench.library.add_documents("mine", document("new", 3))
    as_of = bench.corpus_as_of("mine", former.fingerprint)
    assert isinstance(as_of.lexical, MilvusLexicalIndex) and as_of.lexical.retrieve(QUERIES, 3)[0]
    assert names <= names_in(lite)
    drop_corpus_version(bench, "mine", former.version)
    assert not names & names_in(lite)


def test_deleting_a_corpus_drops_its_collections(bench: Workbench, lite: str) -> None:
    push(bench, "mine", lite, quiet)
    names = names_of(bench)
    assert names and names <= names_in(lite)
    delete_corpus(bench, "mine")
    assert not names & names_in(lite)


def test_building_a_corpus_anew_drops_its_collections_and_a_new_name_does_not(bench: Workbench, lite: str) -> None:
    push(bench, "mine", lite, quiet)
    names = names_of(bench)
    bench.library.rename("mine", "yours")
    assert names <= names_in(lite)
    assert bench.corpus("yours").lexical.retrieve(QUERIES, 3)[0]
    bench.library.index("yours")
    assert not names & names_in(lite)
    state = store_state(bench.corpus("yours"))
    assert state is not None and state.words == f"searched in its files, not yet in {lite}"


def test_returning_to_files_drops_the_collections(bench: Workbench, lite: str) -> None:
    push(bench, "mine", lite, quiet)
    names, corpus = names_of(bench), bench.corpus("mine")
    return_to_files(bench, "mine")
    assert not names & names_in(lite)
    assert not isinstance(corpus.lexical, MilvusLexicalIndex) and store_state(corpus) is None


def test_another_store_needs_a_yes_and_the_same_one_none(bench: Workbench, lite: str) -> None:
    push(bench, "mine", lite, quiet)
    corpus = bench.corpus("mine")
    check_switch(corpus, lite, confirmed=False)
    for address in ("", "milvus://host:19530"):
        with pytest.raises(UsageError, match=r"its 2 collections there would be deleted\. To do so, add --yes"):
            check_switch(corpus, address, confirmed=False)
        check_switch(corpus, address, confirmed=True)


def test_collections_that_cannot_be_dropped_are_dropped_with_the_next_ones(bench: Workbench, lite: str) -> None:
    corpora = bench.settings.corpora
    push(bench, "mine", lite, quiet)
    (name, *_) = sorted(names_of(bench))
    assert drop(corpora, [(NOWHERE, "mrag_a"), (NOWHERE, "mrag_b")]) == [(NOWHERE, "mrag_a"), (NOWHERE, "mrag_b")]
    assert drop(corpora, [(lite, name)]) == [(NOWHERE, "mrag_a"), (NOWHERE, "mrag_b")]
    assert name not in names_in(lite)
    assert corpus.left_words(left(corpora)).startswith("2 collections could not be deleted at milvus://127")
    (corpora / LEFT).write_text("[]")
    assert drop(corpora, ()) == [] and not (corpora / LEFT).exists()


def test_an_index_that_changed_since_is_searched_in_its_files(bench: Workbench, lite: str) -> None:
    push(bench, "mine", lite, quiet)
    corpus = bench.corpus("mine")
    store = read_store(corpus.folder)
    assert store is not None
    other = {key: item.model_copy(update={"identity": "another"}) for key, item in store.collections.items()}
    write_store(corpus.folder, store.model_copy(update={"collections": other}))
    assert not isinstance(corpus.lexical, MilvusLexicalIndex) and not isinstance(corpus.dense, MilvusDenseIndex)


def test_a_damaged_file_is_reported_with_what_to_do(bench: Workbench) -> None:
    folder = bench.corpus("mine").folder
    write_store(folder, IndexStore(address=NOWHERE))
    (folder / STORE).write_text((folder / STORE).read_text().replace("127", "128"))
    with pytest.raises(DataError, match=r"is damaged\. Delete it: the corpus is then searched in its files"):
        _ = bench.corpus("mine").lexical


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with server(tmp_path_factory.mktemp("hosted") / "data") as (address, _):
        yield address


def test_a_server_gives_the_same_results_as_the_files(bench: Workbench, hosted: str) -> None:
    corpus = bench.corpus("mine")
    before = corpus.lexical.retrieve(QUERIES, 5), corpus.dense.retrieve(QUERIES, 5)
    identity = corpus.dense.identity
    push(bench, "mine", hosted, quiet)
    assert isinstance(corpus.lexical, MilvusLexicalIndex)
    assert (corpus.lexical.retrieve(QUERIES, 5), corpus.dense.retrieve(QUERIES, 5)) == before
    assert corpus.dense.identity == identity


def test_a_large_index_on_a_server_is_approximate_and_has_an_identity_of_its_own(
    bench: Workbench, hosted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_push, "EXACT_ROWS", 10)
    corpus = bench.corpus("mine")
    exact = corpus.dense
    store = push(bench, "mine", hosted, quiet)
    assert [item.exact for item in store.collections.values()] == [True, False]
    assert corpus.dense.identity != exact.identity and "milvus-hnsw" in corpus.dense.identity
    (one,), (other,) = exact.retrieve(QUERIES[:1], 5), corpus.dense.retrieve(QUERIES[:1], 5)
    assert {hit.id: hit.score for hit in other} == {hit.id: hit.score for hit in one}


def test_a_collection_with_rows_missing_is_not_used(
    bench: Workbench, lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MilvusCollection, "finish", lambda _: 3)
    with pytest.raises(Exception, match=r"has 3 of 24 rows. Type the command again"):
        push(bench, "mine", lite, quiet)
    assert read_store(bench.corpus("mine").folder) is None


def test_the_record_of_a_collection_is_what_was_written(tmp_path: Path) -> None:
    store = IndexStore(
        address=NOWHERE, collections={"dense": StoredCollection(name="a", identity="b", rows=3, exact=False)}
    )
    write_store(tmp_path, store)
    assert read_store(tmp_path) == store
    assert store.collection("dense", "b", "mine") is not None and store.collection("dense", "c", "mine") is None
