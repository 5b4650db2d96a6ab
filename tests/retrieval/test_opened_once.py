"""Indexes that are opened again are not read again, until something of them changes."""

from __future__ import annotations

import gc
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier
from weakref import ref

import numpy as np
import pytest

from workbench.core.errors import DataError, MissingError
from workbench.core.protocols import FloatArray
from workbench.core.records import Passage, Query
from workbench.retrieval import encoded_index, index_files
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.index_files import OpenedOnce, folder_state
from workbench.workspace.checksum import check_files

PASSAGES = [Passage(f"p{n}", f"d{n}", "", "en" if n % 2 else "fi", "ab"[n % 2] * n) for n in range(1, 9)]
QUERY = Query("aab", "en", ("en", "fi"))


class Lengths:
    """Encodes a text by its length; `calls` are those for questions."""

    identity = "lengths"
    dimensions = 2

    def __init__(self) -> None:
        self.calls = 0

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        return self._vectors([passage.text for passage in passages])

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        self.calls += 1
        return self._vectors([query.text for query in queries])

    def _vectors(self, texts: Sequence[str]) -> FloatArray:
        angles = np.array([len(text) / 10 for text in texts])
        vectors: FloatArray = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
        return vectors


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    DenseIndex.build(tmp_path, Lengths(), PASSAGES)
    return tmp_path


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders whose files were compared with their checksums, in order."""
    calls: list[Path] = []

    def counted(directory: Path, expected: Mapping[str, str], *, deep: bool = False) -> None:
        calls.append(directory)
        check_files(directory, expected, deep=deep)

    monkeypatch.setattr(index_files, "check_files", counted)
    return calls


def ids(index: DenseIndex) -> list[str]:
    return [hit.id for hit in index.retrieve([QUERY], 3)[0]]


def test_an_index_is_read_once_however_often_it_is_opened(folder: Path, readings: list[Path]) -> None:
    first = ids(DenseIndex.open(folder, Lengths()))
    assert [ids(DenseIndex.open(folder, Lengths())) for _ in range(5)] == [first] * 5
    assert readings == [folder]


def test_each_opening_asks_the_encoder_that_it_was_given(folder: Path) -> None:
    one, other = Lengths(), Lengths()
    DenseIndex.open(folder, one)
    DenseIndex.open(folder, other).retrieve([QUERY], 3)
    assert (one.calls, other.calls) == (0, 1)


def test_an_index_that_was_built_again_is_read_again(folder: Path) -> None:
    before = DenseIndex.open(folder, Lengths())
    DenseIndex.build(folder, Lengths(), PASSAGES[:2])
    after = DenseIndex.open(folder, Lengths())
    assert after.identity != before.identity
    assert set(ids(after)) == {"p1", "p2"}


def test_passages_that_are_added_are_in_the_next_opening(folder: Path) -> None:
    DenseIndex.open(folder, Lengths()).extend(folder, [Passage("new", "new", "", "en", "bbb")], [8])
    assert "new" in ids(DenseIndex.open(folder, Lengths()))


def test_each_opening_leaves_out_the_rows_that_it_names(folder: Path) -> None:
    everything = ids(DenseIndex.open(folder, Lengths()))
    best = int(everything[0].removeprefix("p")) - 1
    assert everything[0] not in ids(DenseIndex.open(folder, Lengths(), np.array([best])))
    assert ids(DenseIndex.open(folder, Lengths())) == everything


def test_the_mean_of_a_language_is_of_the_passages_that_are_left(folder: Path) -> None:
    whole = DenseIndex.open(folder, Lengths()).mean("en")
    fewer = DenseIndex.open(folder, Lengths(), np.array([0])).mean("en")
    assert (whole[1], fewer[1]) == (4, 3)
    assert not np.allclose(whole[0], fewer[0])


def test_the_mean_of_a_language_is_computed_once(folder: Path) -> None:
    mean, _ = DenseIndex.open(folder, Lengths()).mean("en")
    assert DenseIndex.open(folder, Lengths()).mean("en")[0] is mean


def test_the_mean_of_a_language_keeps_no_index_open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = OpenedOnce(limit=1)
    monkeypatch.setattr(encoded_index, "OPENED", opened)
    index = DenseIndex.open(folder, Lengths())
    index.mean("en")
    part = ref(index._parts["en"]["en"])
    assert part() is not None
    opened.get("another", "state", str)
    del index
    gc.collect()
    assert part() is None


def test_damage_after_an_opening_is_noticed_by_the_next(folder: Path) -> None:
    DenseIndex.open(folder, Lengths())
    path = folder / "en.vectors.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    stat = path.stat()
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    with pytest.raises(DataError, match="damaged"):
        DenseIndex.open(folder, Lengths())


def test_an_index_that_was_deleted_is_missing_although_it_was_opened(folder: Path) -> None:
    DenseIndex.open(folder, Lengths())
    (folder / "dense.json").unlink()
    with pytest.raises(MissingError):
        DenseIndex.open(folder, Lengths())


def test_of_many_values_those_used_last_are_kept() -> None:
    opened = OpenedOnce(limit=2)
    computed: list[str] = []

    def value(key: str) -> str:
        computed.append(key)
        return key

    for key in ("a", "b", "a", "c", "a", "b"):
        assert opened.get(key, "state", partial(value, key)) == key
    assert computed == ["a", "b", "c", "b"]


def test_a_value_of_another_state_is_replaced() -> None:
    opened = OpenedOnce()
    assert [opened.get("key", state, lambda state=state: state) for state in (1, 1, 2)] == [1, 1, 2]  # type: ignore[misc]


def test_a_folder_that_is_not_there_has_no_value_that_is_kept(tmp_path: Path) -> None:
    opened = OpenedOnce()
    state = folder_state(tmp_path / "none")
    assert [opened.get("key", state, lambda number=number: number) for number in (1, 2)] == [1, 2]  # type: ignore[misc]


def test_an_index_whose_folder_cannot_be_listed_is_read_each_time(
    folder: Path, readings: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoded_index, "folder_state", lambda _: ())
    for _ in range(2):
        DenseIndex.open(folder, Lengths())
    assert readings == [folder, folder]


def test_threads_that_open_at_once_all_get_a_value() -> None:
    opened = OpenedOnce(limit=3)
    barrier = Barrier(8)

    def work(number: int) -> list[int]:
        barrier.wait()
        return [opened.get(turn % 5, turn % 2, lambda turn=turn: turn) for turn in range(number, 500)]  # type: ignore[misc]

    with ThreadPoolExecutor(8) as pool:
        for number, values in enumerate(pool.map(work, range(8))):
            expected = range(number, 500)
            assert all(
                value % 5 == turn % 5 and value % 2 == turn % 2 for value, turn in zip(values, expected, strict=True)
            )
