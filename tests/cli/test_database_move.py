"""`mrag database move`: what the copy's own audit says."""

from pathlib import Path

import pytest

from tests.cli.terminal import terminal
from workbench.workspace import AuditLog, open_store


def test_the_move_stands_in_the_audit_of_the_new_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'new.db'}"
    run = terminal(tmp_path / "home", capsys, monkeypatch)
    assert run("accounts", "add", "Ada", "--role", "admin", "--email", "ada@example.org").code == 0
    assert run("database", "move", url).code == 0
    entries = AuditLog(open_store(url)).page()
    assert "database.move" in [entry.verb for entry in entries]
