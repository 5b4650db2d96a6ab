"""Atomic writes: the old file or the new one, never half of one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.workspace import atomic


def test_a_file_is_written_and_its_folder_created(tmp_path: Path) -> None:
    atomic.write_text(tmp_path / "a" / "b.txt", "สวัสดี")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "สวัสดี".encode()


def test_a_file_is_replaced(tmp_path: Path) -> None:
    place = tmp_path / "b.txt"
    place.write_text("old")
    atomic.write_bytes(place, b"new")
    assert place.read_bytes() == b"new"


def test_a_failure_leaves_the_old_file_and_no_leftover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "b.txt"
    place.write_text("old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        atomic.write_bytes(place, b"new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["b.txt"]
    assert place.read_text() == "old"


KILLED_BEFORE_THE_RENAME = """
import os, signal, sys
from pathlib import Path
from workbench.workspace import atomic
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
atomic.write_bytes(Path(sys.argv[1]), b"new" * 100)
"""


def test_a_kill_before_the_rename_leaves_the_old_file(tmp_path: Path) -> None:
    place = tmp_path / "b.txt"
    place.write_text("old")
    process = subprocess.run([sys.executable, "-c", KILLED_BEFORE_THE_RENAME, str(place)], check=False)
    assert process.returncode == -signal.SIGKILL
    assert place.read_text() == "old"


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("x")
    atomic.write_text(tmp_path / "b.txt", "x")
    assert (tmp_path / "b.txt").stat().st_mode == plain.stat().st_mode
