"""The command line in the workspace of a test; a module that needs another workspace overrides `home`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, terminal


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Runs commands in the workspace `home`."""
    return terminal(home, capsys, monkeypatch)
