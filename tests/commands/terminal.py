"""The command line run within the test's process: its exit code, stdout and stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main


@dataclass(frozen=True)
class Said:
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout, all of it, as JSON."""
        assert self.code == 0, self.err
        return json.loads(self.out)


Terminal = Callable[..., Said]


def terminal(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Runs commands in the workspace `home`."""
    monkeypatch.setenv("WORKBENCH_HOME", str(home))

    def run(*words: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["workbench", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return Said(int(ended.value.code or 0), said.out, said.err)

    return run
