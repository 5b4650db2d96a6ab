"""What a process in the background is given."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.workspace import detached


def test_a_process_in_the_background_uses_half_of_the_processors_at_least_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in detached.THREAD_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    threads = {}
    for count in (1, 2, 9):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        threads[count] = set(detached.background_environment().values())
    assert threads == {1: {"1"}, 2: {"1"}, 9: {"4"}}


def test_a_number_of_threads_that_is_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert detached.background_environment()["OMP_NUM_THREADS"] == "7"


def test_a_process_in_the_background_lets_others_go_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lowered: list[int] = []
    monkeypatch.setattr(os, "nice", lowered.append)
    monkeypatch.setattr(detached, "AUTOGROUP", tmp_path / "autogroup")
    detached.stand_back()
    assert lowered == [detached.NICE] and detached.NICE > 0
    assert (tmp_path / "autogroup").read_text() == str(detached.NICE)


def test_a_system_without_groups_of_processes_is_no_obstacle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "nice", lambda _step: 0)
    monkeypatch.setattr(detached, "AUTOGROUP", tmp_path / "none" / "autogroup")
    detached.stand_back()
    assert list(tmp_path.iterdir()) == []
