"""`doctor`: each component, ready or with its remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, terminal


def test_doctor_names_each_component_as_ready_or_with_its_remedy(run: Terminal, home: Path) -> None:
    checks = {item["name"]: item for item in run("doctor", "--json").json}
    assert checks["workspace"]["ready"] and checks["database"]["ready"] and checks["corpus sample"]["ready"]
    assert checks["package tantivy"]["ready"] and checks["package faiss"]["ready"]
    assert all(item["ready"] or item["remedy"] for item in checks.values())
    (home / "corpora" / "bad").mkdir()
    (home / "corpora" / "bad" / "manifest.json").write_text("{")
    damaged = {item["name"]: item for item in run("doctor", "--json").json}["corpus bad"]
    assert not damaged["ready"] and "import squad" in damaged["remedy"]


def test_doctor_on_a_new_workspace_shows_what_builds_the_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = terminal(tmp_path / "new", capsys, monkeypatch)("doctor")
    assert result.code == 0
    assert "missing  corpus sample" in result.out and "python -m workbench prepare" in result.out
