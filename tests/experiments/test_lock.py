"""A lock that is handed to a process and let go when it dies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.experiments.jobs import lock


def test_a_lock_is_held_by_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "WAIT", 0.0)
    path = tmp_path / "folder" / "a.lock"
    assert not lock.held(path)
    with lock.taken(path) as mine:
        assert mine is not None and lock.held(path)
        with lock.taken(path) as second:
            assert second is None
    assert not lock.held(path)
    with lock.taken(path) as again:
        assert again is not None


def test_a_process_that_was_given_the_lock_holds_it_until_it_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with lock.taken(path) as mine:
        assert mine is not None
        process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(mine,))
    assert lock.held(path)
    process.kill()
    process.communicate()
    assert not lock.held(path)


def test_what_a_holder_starts_does_not_inherit_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with lock.taken(path) as mine:
        assert mine is not None
        os.set_inheritable(mine, True)  # as a process finds a lock that it was handed
        lock.keep(mine)
        words = [sys.executable, "-c", "print(flush=True); input()"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False)
        assert process.stdout is not None and process.stdout.readline()
    assert not lock.held(path)
    process.communicate(b"\n")
