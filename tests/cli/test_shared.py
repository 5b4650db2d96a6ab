"""Where `--out` may write: a new name or a regular file, nothing that a file cannot replace."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.cli.shared import check_writable
from workbench.core.errors import UsageError


def fifo(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/null")


def link_to_a_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


@pytest.mark.parametrize("make", [fifo, folder, link_to_a_device, link_to_a_pipe])
def test_what_is_not_a_file_is_refused_and_stays(make: Callable[[Path], None], tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    make(out)
    before = out.lstat()
    with pytest.raises(UsageError, match=r"is a (folder|device, a pipe or a socket, not a file)\. Type the path"):
        check_writable(out, "results.csv")
    assert out.lstat() == before


@pytest.mark.parametrize("device", ["/dev/null", "/dev/stdout", "/dev/full"])
def test_a_device_is_refused(device: str) -> None:
    if not Path(device).exists() or Path(device).is_file():
        pytest.skip(f"{device} is not a device here")
    with pytest.raises(UsageError, match="is a device, a pipe or a socket, not a file"):
        check_writable(Path(device), "results.csv")


def test_a_new_name_a_file_and_a_link_to_a_file_are_allowed(tmp_path: Path) -> None:
    old, link = tmp_path / "old.csv", tmp_path / "link.csv"
    old.write_text("old")
    link.symlink_to(old)
    for out in (tmp_path / "new" / "out.csv", old, link):
        check_writable(out, "results.csv")
