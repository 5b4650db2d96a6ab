"""The command line run within the test's process: its exit code, stdout and stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from workbench.cli.command_line import main


@dataclass(frozen=True)
class CommandResult:
    """The exit code of a command, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """All of stdout as JSON."""
        assert self.code == 0, self.err
        return json.loads(self.out)


Terminal = Callable[..., CommandResult]


def terminal(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Runs commands in the workspace `home`."""
    monkeypatch.setenv("WORKBENCH_HOME", str(home))

    def run(*words: object) -> CommandResult:
        monkeypatch.setattr(sys, "argv", ["workbench", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main()
        printed = capsys.readouterr()
        return CommandResult(int(caught.value.code or 0), printed.out, printed.err)

    return run


def refused(result: CommandResult, *expected: str, code: int = 2) -> None:
    """Asserts one sentence on stderr with these words, an exit code, and nothing on stdout."""
    assert result.code == code, result.err
    assert result.out == ""
    assert result.err.startswith("Error: ") and result.err.count("\n") == 1, result.err
    assert len(result.err) < 500
    for words in expected:
        assert words in result.err
