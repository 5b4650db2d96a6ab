"""Checksums: a file that is not as it was written is noticed, in long files by a deep check at the latest."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.workspace import checksum as checksums
from workbench.workspace.checksum import DamagedFile, check_files, sealed, unsealed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "en.faiss"
    path.write_bytes(bytes(range(256)) * 64)
    return path


def changed(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def test_an_unchanged_file_passes(path: Path) -> None:
    expected = checksums.checksums(path.parent, [path])
    assert list(expected) == ["en.faiss"]
    check_files(path.parent, expected)
    check_files(path.parent, expected, deep=True)


@pytest.mark.parametrize("place", [0, 8_000, 16_383])
def test_one_changed_bit_is_noticed(path: Path, place: int) -> None:
    expected = checksums.checksums(path.parent, [path])
    changed(path, place)
    with pytest.raises(DamagedFile, match=r"^en\.faiss is not as it was written$"):
        check_files(path.parent, expected)


def test_a_cut_a_grown_and_a_missing_file_are_noticed(path: Path) -> None:
    expected = checksums.checksums(path.parent, [path])
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(DamagedFile, match="has 16,383 bytes instead of 16,384"):
        check_files(path.parent, expected)
    path.write_bytes(whole + b"x")
    with pytest.raises(DamagedFile, match="16,385 bytes"):
        check_files(path.parent, expected)
    path.unlink()
    with pytest.raises(DamagedFile, match="cannot be read: No such file"):
        check_files(path.parent, expected)


def test_of_a_long_file_head_tail_and_pieces_are_read_and_a_deep_check_reads_all(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checksums, "COMPLETE_LIMIT", 1_000)
    monkeypatch.setattr(checksums, "PIECE", 16)
    expected = checksums.checksums(path.parent, [path])
    for place in (0, 15, 16_383):
        changed(path, place)
        with pytest.raises(DamagedFile):
            check_files(path.parent, expected)
        changed(path, place)
    changed(path, 100)
    check_files(path.parent, expected)
    with pytest.raises(DamagedFile):
        check_files(path.parent, expected, deep=True)


def test_a_manifest_is_sealed_and_one_without_its_seal_is_damaged() -> None:
    facts = {"languages": {"en": 3}, "format": 1}
    assert unsealed(sealed(facts)) == facts
    with pytest.raises(DamagedFile, match="the manifest is not as it was written"):
        unsealed({**sealed(facts), "format": 2})
    with pytest.raises(DamagedFile):
        unsealed(facts)
