"""A lock that is handed to a process and released when it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.workspace import lock


def test_one_process_at_a_time_has_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "WAIT", 0.0)
    path = tmp_path / "folder" / "a.lock"
    assert not lock.is_locked(path)
    with lock.acquired(path) as number:
        assert number is not None and lock.is_locked(path)
        with lock.acquired(path) as second:
            assert second is None
    assert not lock.is_locked(path)
    with lock.acquired(path) as again:
        assert again is not None


def test_a_process_that_was_given_the_lock_has_it_until_it_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with lock.acquired(path) as number:
        assert number is not None
        process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(number,))
    assert lock.is_locked(path)
    process.kill()
    process.communicate()
    assert not lock.is_locked(path)


def test_what_a_holder_starts_does_not_inherit_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with lock.acquired(path) as number:
        assert number is not None
        os.set_inheritable(number, True)  # as a process finds a lock that it was handed
        lock.keep(number)
        words = [sys.executable, "-c", "print(flush=True); input()"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False)
        assert process.stdout is not None and process.stdout.readline()
    assert not lock.is_locked(path)
    process.communicate(b"\n")


def test_a_lock_that_was_handed_over_can_be_released_before_the_process_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with lock.acquired(path) as number:
        assert number is not None
        handed = os.dup(number)
    assert lock.is_locked(path)
    lock.release(handed)
    assert not lock.is_locked(path)
