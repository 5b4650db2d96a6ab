"""Adding, replacing and removing documents: what changes and what stays, versions, kills, results as if built anew."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from workbench.core.errors import DataError, UsageError
from workbench.core.protocols import FloatArray, Retriever
from workbench.core.records import Passage, Query
from workbench.data.corpora import changes
from workbench.data.corpora.build import DENSE, LEXICAL, build_corpus, read_manifest
from workbench.data.corpora.changes import add_documents, remove_documents, replace_documents
from workbench.data.corpora.corpus import Corpus
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.corpora.encoded_indexes import encoders_of, index_dense, is_dense_indexed, open_dense
from workbench.data.corpora.passage_table import ROWS_PER_BATCH, PassageTable
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoders.builtin_encoder import BuiltinEncoder
from workbench.retrieval.hybrid import HybridRetriever
from workbench.retrieval.lexical import LexicalIndex

WORDS = ("ferry", "tram", "harbour", "island", "winter", "timetable", "bridge", "market", "snow", "light")
QUERIES = [Query(text, "en", ("en", "fi")) for text in ("winter ferry timetable", "snow market", "tram to the island")]


def document(name: str, seed: int, passages: int = 2, language: str = "en") -> list[Passage]:
    draw = random.Random(f"{name} {seed}")
    return [
        Passage(f"{name}.{n}", name, name.title(), language, " ".join(draw.choices(WORDS, k=12)), n)
        for n in range(passages)
    ]


BASE = [passage for number in range(12) for passage in document(f"doc{number}", 0)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "mine"
    build_corpus(folder, BASE, source="s", licence="l")
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """A corpus of its own for a test, copied as a former version is."""
    subprocess.run(["cp", "-a", str(built), str(tmp_path / "mine")], check=True)
    return tmp_path / "mine"


def opened(folder: Path, version: str = "") -> Corpus:
    manifest = read_manifest(folder, version)
    assert manifest is not None
    return Corpus(manifest, folder / manifest.version)


def ids(corpus: Corpus) -> list[str]:
    return [passage.id for passage in corpus.table]


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def scores(corpus: Corpus, lexical: LexicalIndex, dense: DenseIndex) -> dict[str, list[list[tuple[str, float]]]]:
    retrievers: dict[str, Retriever] = {"lexical": lexical, "dense": dense, "hybrid": HybridRetriever(lexical, dense)}
    return {
        name: [[(hit.id, hit.score) for hit in ranking] for ranking in retriever.retrieve(QUERIES, 6)]
        for name, retriever in retrievers.items()
    }


def test_after_changes_a_corpus_ranks_as_one_built_anew_with_its_encoder(folder: Path, tmp_path: Path) -> None:
    add_documents(folder, [*document("new", 1), *document("uusi", 2, language="fi")])
    replace_documents(folder, document("doc3", 5, passages=3))
    remove_documents(folder, ["doc0", "uusi"])
    add_documents(folder, document("doc0", 9))
    corpus = opened(folder)
    LexicalIndex.build(tmp_path / LEXICAL, iter(corpus.table))
    DenseIndex.build(tmp_path / DENSE, corpus.encoder, iter(corpus.table))
    anew = scores(corpus, LexicalIndex.open(tmp_path / LEXICAL), DenseIndex.open(tmp_path / DENSE, corpus.encoder))
    for name, rankings in scores(corpus, corpus.lexical, corpus.dense).items():
        for one, other in zip(rankings, anew[name], strict=True):
            assert [score for _, score in one] == pytest.approx([score for _, score in other], abs=2e-4), name
            assert {key for key, _ in one} == {key for key, _ in other}, name


def test_added_documents_come_last_and_a_hit_s_row_leads_to_its_passage(folder: Path) -> None:
    manifest = add_documents(folder, document("new", 1))
    corpus = opened(folder)
    assert ids(corpus) == [*(passage.id for passage in BASE), "new.0", "new.1"]
    assert (manifest.passages, manifest.added, len(corpus.table)) == (26, 2, 26)
    for retriever in (corpus.lexical, corpus.dense):
        for ranking in retriever.retrieve(QUERIES, 26):
            assert [passage.id for passage in corpus.table.passages([hit.row for hit in ranking])] == [
                hit.id for hit in ranking
            ]


def test_the_same_documents_again_change_nothing(folder: Path) -> None:
    before = files(folder)
    assert add_documents(folder, BASE[4:8]) == opened(folder).manifest
    assert replace_documents(folder, BASE[4:8]) == opened(folder).manifest
    assert files(folder) == before


def test_a_change_encodes_its_passages_and_no_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[str] = []
    encode = BuiltinEncoder.encode_passages

    def watched(encoder: BuiltinEncoder, passages: Sequence[Passage]) -> FloatArray:
        encoded.extend(passage.id for passage in passages)
        return encode(encoder, passages)

    monkeypatch.setattr(BuiltinEncoder, "encode_passages", watched)
    replace_documents(folder, [*document("new", 1), *BASE[:2], *document("doc3", 5)])
    remove_documents(folder, ["doc5"])
    assert encoded == ["new.0", "new.1", "doc3.0", "doc3.1"]


def test_a_version_shares_the_files_that_did_not_change(folder: Path) -> None:
    old = opened(folder).folder
    add_documents(folder, document("new", 1))
    new = opened(folder).folder
    for name in ("passages.arrow", "dense/en.vectors.npy", "encoder/encoder.json"):
        shared = (old / name).stat().st_ino == (new / name).stat().st_ino
        assert shared or name.endswith(".json"), name


def test_replacing_a_document_leaves_one_of_it(folder: Path) -> None:
    replace_documents(folder, document("doc3", 5, passages=1))
    corpus = opened(folder)
    rows = corpus.table.rows_of_documents(["doc3"])
    assert corpus.table.passages(rows) == document("doc3", 5, passages=1)
    assert corpus.lexical.rows_of(["doc3.0", "doc3.1"]) == {"doc3.0": rows[0]}
    assert corpus.manifest.passages == len(BASE) - 1


def test_a_document_with_another_text_is_not_added_unless_it_replaces(folder: Path) -> None:
    before = files(folder)
    with pytest.raises(DataError, match="has a document “doc3” with another text"):
        add_documents(folder, document("doc3", 5))
    assert files(folder) == before


def test_the_id_of_another_passage_is_refused(folder: Path) -> None:
    clash = [Passage("doc3.0", "other", "", "en", "a harbour")]
    with pytest.raises(DataError, match=r"The passage “doc3\.0” has the id of another passage"):
        add_documents(folder, clash)


def test_a_document_that_is_not_there_cannot_be_removed(folder: Path) -> None:
    before = files(folder)
    with pytest.raises(UsageError, match=r"has no document “doc99”\. Nothing was removed"):
        remove_documents(folder, ["doc1", "doc99"])
    assert files(folder) == before


def test_a_corpus_keeps_at_least_a_passage(folder: Path) -> None:
    with pytest.raises(UsageError, match="would have no passage left"):
        remove_documents(folder, [f"doc{number}" for number in range(12)])


def test_removed_passages_are_in_no_list_and_no_count(folder: Path) -> None:
    remove_documents(folder, ["doc0", "doc11"])
    table = opened(folder).table
    assert [passage.id for passage in table] == [passage.id for passage in BASE[2:-2]]
    assert len(table) == 20 and table.languages() == {"en": 20} and table.rows_of_documents(["doc0"]) == []
    assert table.rows_where(start=0, limit=3)[0] == [2, 3, 4]
    assert table.document_runs(limit=2) == ([(2, 2), (4, 2)], 10)
    assert table.characters() == sum(len(passage.title) + len(passage.text) for passage in BASE[2:-2])


def test_many_small_additions_make_few_files(folder: Path) -> None:
    for number in range(6):
        add_documents(folder, document(f"new{number}", 1))
    new = opened(folder).folder
    assert len(list(new.glob("passages*.arrow"))) == 2
    # The one built, the one added, and the one before, which the next version does without.
    assert len(list((new / DENSE).glob("*.vectors.npy"))) == 3


def test_a_long_addition_gets_a_file_of_its_own(tmp_path: Path) -> None:
    from workbench.data.corpora.passage_table import append_table, write_table

    passages = [Passage(f"p{n}", "d", "", "en", str(n)) for n in range(ROWS_PER_BATCH + 10)]
    write_table(tmp_path / "passages.arrow", passages[:4])
    append_table(tmp_path, 4, passages[4:9])
    append_table(tmp_path, 9, passages[9:])
    table = PassageTable.open(tmp_path)
    assert list(table) == passages and len(list(tmp_path.iterdir())) == 3
    assert table.passages([3, 4, 8, 9, ROWS_PER_BATCH + 9]) == [passages[n] for n in (3, 4, 8, 9, ROWS_PER_BATCH + 9)]


def test_the_same_changes_give_the_same_fingerprint_and_others_another(folder: Path, tmp_path: Path) -> None:
    subprocess.run(["cp", "-a", str(folder), str(tmp_path / "twin")], check=True)
    one, other = (add_documents(place, document("new", 1)) for place in (folder, tmp_path / "twin"))
    assert one.fingerprint == other.fingerprint
    assert remove_documents(folder, ["new"]).fingerprint != remove_documents(tmp_path / "twin", ["doc1"]).fingerprint


def test_indexes_state_that_passages_were_removed(folder: Path) -> None:
    before = opened(folder)
    remove_documents(folder, ["doc1"])
    after = opened(folder)
    assert before.lexical.identity != after.lexical.identity and before.dense.identity != after.dense.identity


def test_a_former_version_stays_as_it_was_until_it_is_dropped(folder: Path) -> None:
    library = CorpusLibrary(folder.parent)
    first = library.open("mine")
    before = scores(first, first.lexical, first.dense), ids(first)
    library.remove_documents("mine", ["doc1", "doc2"])
    library.add_documents("mine", document("new", 1))
    former = library.version_of("mine", first.manifest.fingerprint)
    assert former is not None and former.manifest == first.manifest
    assert (scores(former, former.lexical, former.dense), ids(former)) == before
    library.drop_version("mine", first.manifest.version)
    assert library.version_of("mine", first.manifest.fingerprint) is None and not first.folder.exists()
    assert len(ids(library.open("mine"))) == 22


def test_versions_are_listed_the_current_one_first(folder: Path) -> None:
    library = CorpusLibrary(folder.parent)
    manifests = [opened(folder).manifest, *(add_documents(folder, document(f"new{n}", 1)) for n in range(2))]
    assert [item.version for item in library.versions("mine")] == [item.version for item in reversed(manifests)]


def test_the_current_version_cannot_be_dropped(folder: Path) -> None:
    add_documents(folder, document("new", 1))
    library = CorpusLibrary(folder.parent)
    with pytest.raises(UsageError, match="is the current version of the corpus"):
        library.drop_version("mine", opened(folder).manifest.version)
    with pytest.raises(UsageError, match="Unknown older version “other”"):
        library.drop_version("mine", "other")


@pytest.mark.parametrize(("is_used", "passages"), [(True, [2, 26, 24]), (False, [2, 24])])
def test_a_corpus_that_is_imported_anew_keeps_its_versions_and_stays_one_where_it_is_used(
    folder: Path, is_used: bool, passages: list[int]
) -> None:
    library = CorpusLibrary(folder.parent, lambda _: is_used)
    add_documents(folder, document("new", 1))
    library.add("mine", document("alone", 1), source="s", licence="l")
    assert [item.passages for item in library.versions("mine")] == passages


def test_all_bytes_of_a_changed_corpus_can_be_checked(folder: Path) -> None:
    add_documents(folder, document("new", 1))
    remove_documents(folder, ["doc1"])
    corpus = opened(folder)
    corpus.check_all_bytes()
    (added,) = corpus.folder.glob("passages-*.arrow")
    added.write_bytes(added.read_bytes()[:-8] + b"damaged!")
    with pytest.raises(DataError, match="are damaged"):
        corpus.check_all_bytes()


def test_the_sample_cannot_be_changed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="its documents can be neither added to nor removed"):
        CorpusLibrary(tmp_path).remove_documents("sample", ["x"])


def test_where_files_cannot_be_linked_they_are_copied(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError("Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    old = opened(folder).folder
    add_documents(folder, document("new", 1))
    corpus = opened(folder)
    corpus.check_all_bytes()
    assert (old / "passages.arrow").stat().st_ino != (corpus.folder / "passages.arrow").stat().st_ino


def test_what_is_advised_depends_on_how_much_changed(folder: Path) -> None:
    manifest = read_manifest(folder)
    assert manifest is not None and not manifest.shall_refit and not manifest.shall_compact
    assert manifest.model_copy(update={"added": 20}).shall_refit
    assert manifest.model_copy(update={"removed": 10}).shall_compact


class Counting:
    """An encoder of three dimensions that remembers what it encoded."""

    identity = "counting"
    dimensions = 3

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        self.texts += [passage.text for passage in passages]
        return self._vectors([passage.text for passage in passages])

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        return self._vectors([query.text for query in queries])

    def _vectors(self, texts: Sequence[str]) -> FloatArray:
        counts = np.array([[text.count(letter) + 1 for letter in "aei"] for text in texts], np.float32).reshape(-1, 3)
        vectors: FloatArray = (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)
        return vectors


@pytest.mark.parametrize("by_sentences", [False, True])
def test_a_further_encoder_encodes_only_what_was_added(folder: Path, by_sentences: bool) -> None:
    index_dense(opened(folder), "counting", Counting(), by_sentences=by_sentences)
    remove_documents(folder, ["doc1"])
    assert encoders_of(opened(folder)) == ("counting",)  # nothing to encode: the index stays complete
    add_documents(folder, document("new", 1))
    corpus, encoder = opened(folder), Counting()
    assert not is_dense_indexed(corpus, encoder, by_sentences=by_sentences)
    assert encoders_of(corpus) == ()
    index_dense(corpus, "counting", encoder, by_sentences=by_sentences)
    assert set(encoder.texts) == {passage.text for passage in document("new", 1)}
    assert encoders_of(corpus) == ("counting",)
    share = 0.5 if by_sentences else 0.0
    (ranking,) = open_dense(corpus, "counting", encoder, sentence_share=share).retrieve(QUERIES[:1], 50)
    assert {hit.id for hit in ranking} == set(ids(corpus))


def test_a_former_version_s_index_by_a_further_encoder_stays_as_it_was(folder: Path) -> None:
    index_dense(opened(folder), "counting", Counting())
    old = opened(folder)
    before = open_dense(old, "counting", Counting()).retrieve(QUERIES, 50)
    add_documents(folder, document("new", 1))
    index_dense(opened(folder), "counting", Counting())
    former = opened(folder, old.manifest.version)
    assert open_dense(former, "counting", Counting()).retrieve(QUERIES, 50) == before


KILLED = """
import os, signal, sys, threading, time
from pathlib import Path
from workbench.data.corpora import changes
from tests.data.corpora.test_changes import document

folder, moment = Path(sys.argv[1]), sys.argv[2]

def die(*_args, **_options):
    os.kill(os.getpid(), signal.SIGKILL)

if moment.replace(".", "").isdigit():
    # from another thread, at whatever it is doing then
    threading.Thread(target=lambda: (time.sleep(float(moment)), die()), daemon=True).start()
else:
    setattr(changes, moment, die)
for number in range(200):
    changes.replace_documents(folder, document("doc3", 100 + number))
    changes.remove_documents(folder, ["doc3"])
"""


@pytest.mark.parametrize("moment", ["append_table", "checksums", "write_version", "write_manifest", "0.05", "0.3"])
def test_a_kill_during_a_change_leaves_a_whole_version(moment: str, folder: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), moment],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stderr=subprocess.PIPE,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    corpus = opened(folder)
    corpus.check_all_bytes()
    others = {passage.id for passage in BASE if passage.document != "doc3"}
    assert others <= set(ids(corpus)) <= others | {"doc3.0", "doc3.1"}
    for retriever in (corpus.lexical, corpus.dense):
        assert {hit.id for hit in retriever.retrieve(QUERIES, 50)[0]} <= set(ids(corpus))
    former = {item.version for item in CorpusLibrary(folder.parent).versions("mine")}
    add_documents(folder, document("new", 1))
    folders = {entry.name for entry in folder.iterdir() if entry.is_dir()}
    assert folders == former | {opened(folder).manifest.version}


def test_changers_wait_for_each_other(folder: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from workbench.data.corpora.changes import add_documents\n"
        "from tests.data.corpora.test_changes import document\n"
        "add_documents(Path(sys.argv[1]), document(sys.argv[2], 1))"
    )
    root = Path(__file__).parents[3]
    names = ("one", "two")
    started = [subprocess.Popen([sys.executable, "-c", script, str(folder), name], cwd=root) for name in names]
    assert [each.wait() for each in started] == [0, 0]
    assert set(ids(opened(folder))[len(BASE) :]) == {f"{name}.{n}" for name in names for n in (0, 1)}


def test_a_change_that_fails_leaves_the_corpus_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files(folder)

    def full(*_: object) -> None:
        raise OSError("no space left on the device")

    monkeypatch.setattr(changes, "write_removed", full)
    with pytest.raises(OSError, match="no space left"):
        remove_documents(folder, ["doc1"])
    assert files(folder) == before
