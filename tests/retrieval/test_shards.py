"""What dense and sparse indexes share on disk, shown on an index of lengths."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from workbench.core.errors import DataError, MissingError, UsageError
from workbench.core.protocols import FloatArray
from workbench.core.records import Passage
from workbench.retrieval.encoded_index import IndexLayout
from workbench.retrieval.index_files import ShardPassages
from workbench.workspace.checksum import sealed

LAYOUT = IndexLayout("length", ("lengths.npy",), sizes=("longest",))
PASSAGES = (Passage("a", "d", "", "fi", "aaa"), Passage("b", "d", "", "en", "b"), Passage("ü", "d", "", "fi", "cc"))


class Lengths:
    """An encoder that counts letters, and a writer of its counts."""

    identity = "lengths"

    def __init__(self) -> None:
        self.parts: list[FloatArray] = []

    def encode(self, _number: int, passages: list[Passage]) -> FloatArray:
        return np.array([len(passage.text) for passage in passages], dtype=np.float32)

    def add(self, encoded: FloatArray) -> None:
        self.parts.append(encoded)

    def write(self, directory: Path, language: str) -> None:
        np.save(directory / f"{language}.lengths.npy", np.concatenate(self.parts))


class Other:
    identity = "other"


def build(directory: Path, passages: Iterable[Passage] = PASSAGES, batch: int = 2) -> None:
    encoder = Lengths()
    LAYOUT.build(directory, encoder, passages, encoder.encode, Lengths, sizes={"longest": 3}, batch=batch)


def test_each_language_has_a_shard_of_its_passages_in_order(tmp_path: Path) -> None:
    build(tmp_path)
    assert np.load(tmp_path / "fi.lengths.npy").tolist() == [3, 2]
    assert np.load(tmp_path / "en.lengths.npy").tolist() == [1]


def test_a_hit_has_the_row_and_id_of_its_place(tmp_path: Path) -> None:
    build(tmp_path)
    hit = ShardPassages.open(tmp_path, "fi").hit(1, "fi", 0.123456789, "length")
    assert (hit.id, hit.row, hit.language, hit.score, hit.scores) == ("ü", 2, "fi", 0.12346, {"length": 0.12346})


def test_the_manifest_names_the_encoder(tmp_path: Path) -> None:
    build(tmp_path)
    manifest = LAYOUT.manifest(tmp_path, Lengths())
    assert (manifest.encoder, manifest.languages, manifest.sizes) == ("lengths", ("en", "fi"), {"longest": 3})


def test_the_fingerprint_does_not_depend_on_the_batches(tmp_path: Path) -> None:
    build(tmp_path / "one", batch=1)
    build(tmp_path / "two", batch=2)
    one, two = (LAYOUT.manifest(tmp_path / name, Lengths()).fingerprint for name in ("one", "two"))
    assert one == two


def test_another_encoders_index_is_refused(tmp_path: Path) -> None:
    build(tmp_path)
    with pytest.raises(DataError, match="was made by the encoder “lengths”, not by “other”"):
        LAYOUT.manifest(tmp_path, Other())


def test_a_missing_index_is_reported_with_the_command_that_builds_it(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"no length index .* corpora index"):
        LAYOUT.manifest(tmp_path, Lengths())


def test_a_manifest_without_its_sizes_cannot_be_read(tmp_path: Path) -> None:
    build(tmp_path)
    facts = json.loads((tmp_path / "length.json").read_text(encoding="utf-8"))
    del facts["longest"], facts["checksum"]
    (tmp_path / "length.json").write_text(json.dumps(sealed(facts)), encoding="utf-8")
    with pytest.raises(DataError, match="cannot be read"):
        LAYOUT.manifest(tmp_path, Lengths())


def test_the_shards_of_an_older_index_are_removed(tmp_path: Path) -> None:
    build(tmp_path)
    build(tmp_path, PASSAGES[1:2])
    assert {path.name for path in tmp_path.iterdir()} == {
        "en.ids.npy",
        "en.lengths.npy",
        "en.rows.npy",
        "length.json",
    }


def test_rows_without_their_ids_are_damage(tmp_path: Path) -> None:
    build(tmp_path)
    np.save(tmp_path / "fi.ids.npy", np.array([b"a"]))
    with pytest.raises(DataError, match=r"length index .* is damaged"), LAYOUT.reading(tmp_path):
        ShardPassages.open(tmp_path, "fi")


def test_a_language_that_is_not_a_code_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Unknown language"):
        build(tmp_path, [Passage("a", "d", "", "Suomi", "a")])
