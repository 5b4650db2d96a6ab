"""Building a corpus: complete or not at all, whatever happens meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import FORKED
from tests.trees import tree
from workbench.core.records import Passage, Query
from workbench.data.corpora.build import build_corpus, read_manifest
from workbench.data.corpora.corpus_library import CorpusLibrary

OLD, NEW = "The ferry to Suomenlinna leaves at nine.", "The tram to Kallio leaves at ten."


def passages(text: str, count: int = 3, language: str = "en") -> list[Passage]:
    return [
        Passage(f"p{number}.{language}", "d", "Timetable", language, f"{text} Row {number}.", number)
        for number in range(count)
    ]


def build(folder: Path, text: str, count: int = 3) -> None:
    build_corpus(folder, passages(text, count), source="a test", licence="none")


def test_the_manifest_states_what_a_corpus_holds(tmp_path: Path) -> None:
    rows = [*passages(OLD, 2), *passages("Lautta lähtee yhdeksältä.", 1, "fi")]
    manifest = build_corpus(tmp_path / "mine", rows, source="a test", licence="CC0")
    assert (manifest.name, manifest.passages, dict(manifest.languages)) == ("mine", 3, {"en": 2, "fi": 1})
    assert (manifest.source, manifest.licence, manifest.aligned) == ("a test", "CC0", False)
    assert read_manifest(tmp_path / "mine") == manifest
    assert sorted(entry.name for entry in (tmp_path / "mine").iterdir()) == sorted([manifest.version, "manifest.json"])


def test_the_fingerprint_is_the_contents(tmp_path: Path) -> None:
    one, same, other = (
        build_corpus(tmp_path / str(number), passages(text), source="s", licence="l").fingerprint
        for number, text in enumerate([OLD, OLD, NEW])
    )
    assert one == same != other


def test_groups_of_two_languages_make_it_aligned(tmp_path: Path) -> None:
    rows = [
        Passage("p0.en", "d", "", "en", "The ferry leaves at nine.", group="p0"),
        Passage("p0.fi", "d", "", "fi", "Lautta lähtee yhdeksältä.", group="p0"),
    ]
    assert build_corpus(tmp_path / "mine", rows, source="s", licence="l").aligned
    assert not build_corpus(tmp_path / "one", rows[:1], source="s", licence="l").aligned


def test_progress_names_each_phase_and_ends_at_the_total(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    build_corpus(
        tmp_path / "mine", passages(OLD), source="s", licence="l", progress=lambda *report: seen.append(report)
    )
    assert [phase for phase, _, _ in seen] == [
        "reading passages",
        "lexical index",
        "fitting the encoder",
        "dense index",
    ]
    assert ("lexical index", 3, 3) in seen and ("dense index", 3, 3) in seen


def broken() -> Iterator[Passage]:
    yield from passages(NEW)
    raise RuntimeError("the wire was cut")


def test_a_failure_leaves_a_corpus_as_it_was(tmp_path: Path) -> None:
    build(tmp_path / "mine", OLD)
    before = tree(tmp_path)
    with pytest.raises(RuntimeError):
        build_corpus(tmp_path / "mine", broken(), source="s", licence="l")
    assert tree(tmp_path) == before


def test_a_failure_of_a_first_build_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        build_corpus(tmp_path / "mine", broken(), source="s", licence="l")
    assert list(tmp_path.iterdir()) == []


def test_an_opened_corpus_answers_on_while_it_is_replaced(tmp_path: Path) -> None:
    build(tmp_path / "mine", OLD)
    corpus = CorpusLibrary(tmp_path).open("mine")
    queries = [Query("Suomenlinna ferry", "en", ("en",))]
    before = corpus.lexical.retrieve(queries, 3), corpus.dense.retrieve(queries, 3), corpus.table.passages([0])
    build(tmp_path / "mine", NEW)
    assert (
        corpus.lexical.retrieve(queries, 3),
        corpus.dense.retrieve(queries, 3),
        corpus.table.passages([0]),
    ) == before
    assert "Kallio" in CorpusLibrary(tmp_path).open("mine").table.passages([0])[0].text


KILLED = """
import os, signal, sys
from itertools import count
from pathlib import Path
from workbench.data.corpora import build
from workbench.retrieval.encoders.builtin_encoder import BuiltinEncoder
from tests.data.corpora.test_build import NEW, passages

folder, moment = Path(sys.argv[1]), sys.argv[2]
seen = []

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def watch(phase, done, total):
    seen.append(phase)
    if phase == moment and seen.count(phase) > 1 or phase == moment == "fitting the encoder":
        die()

def stream():
    for number, passage in enumerate(passages(NEW, 3000)):
        if moment == "in the table" and number == 2000:
            die()
        yield passage

BuiltinEncoder.fit = classmethod(lambda cls, texts, groups=(), fit=BuiltinEncoder.fit: fit(list(texts)[:200], groups))
if moment == "before the manifest":
    build.write_manifest = die
if moment == "before the sweep":
    keep, calls = build.sweep, []
    build.sweep = lambda *given: die() if calls else calls.append(keep(*given))
build.build_corpus(folder, stream(), source="s", licence="l", progress=watch)
"""
MOMENTS = ("in the table", "lexical index", "fitting the encoder", "dense index", "before the manifest")


def kill_at(moment: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), moment],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stderr=subprocess.PIPE,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_build_leaves_the_old_corpus_and_a_new_build_sweeps(moment: str, tmp_path: Path) -> None:
    build(tmp_path / "mine", OLD)
    (old,) = CorpusLibrary(tmp_path).list()
    kill_at(moment, tmp_path / "mine")

    library = CorpusLibrary(tmp_path)
    assert library.list() == [old]
    corpus = library.open("mine")
    for retriever in (corpus.lexical, corpus.dense):
        (ranking,) = retriever.retrieve([Query("Suomenlinna ferry", "en", ("en",))], 3)
        assert "Suomenlinna" in corpus.table.passages([ranking[0].row])[0].text

    build(tmp_path / "mine", NEW)
    (new,) = library.list()
    assert sorted(entry.name for entry in (tmp_path / "mine").iterdir()) == sorted(["manifest.json", new.version])


def test_a_first_build_that_is_killed_is_not_listed_and_the_next_one_works(tmp_path: Path) -> None:
    kill_at("dense index", tmp_path / "mine")
    assert CorpusLibrary(tmp_path).list() == []
    build(tmp_path / "mine", NEW)
    assert [manifest.name for manifest in CorpusLibrary(tmp_path).list()] == ["mine"]


def test_a_kill_after_the_manifest_leaves_the_new_corpus_whole(tmp_path: Path) -> None:
    build(tmp_path / "mine", OLD)
    kill_at("before the sweep", tmp_path / "mine")
    corpus = CorpusLibrary(tmp_path).open("mine")
    assert corpus.manifest.passages == 3000
    (ranking,) = corpus.lexical.retrieve([Query("Kallio tram", "en", ("en",))], 3)
    assert len(ranking) == 3


def _build_in_a_process(folder: str, text: str) -> str:
    build(Path(folder), text)
    return text


def test_two_builders_of_one_corpus_wait_for_each_other(tmp_path: Path) -> None:
    with FORKED.Pool(2) as pool:
        pool.starmap(_build_in_a_process, [(str(tmp_path / "mine"), OLD), (str(tmp_path / "mine"), NEW)], chunksize=1)
    corpus = CorpusLibrary(tmp_path).open("mine")
    assert len(corpus.table) == 3
    assert len(corpus.lexical.retrieve([Query("leaves", "en", ("en",))], 5)[0]) == 3
    assert len(list((tmp_path / "mine").iterdir())) == 2
