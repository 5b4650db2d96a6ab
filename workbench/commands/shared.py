"""What all verbs share: the workspace, progress on stderr, JSON on stdout, and options that recur."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench import settings
from workbench.errors import UsageError, shorten

if TYPE_CHECKING:
    from workbench.workspace.workbench import Workbench

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Lang = Annotated[str, typer.Option("--lang", help="Language of the question, an ISO 639 code such as fi.")]


def open_workbench() -> Workbench:
    """The workspace that the environment names."""
    from workbench.workspace.workbench import Workbench

    return Workbench(settings.load())


def progress() -> Callable[[str, int, int], None]:
    """Progress as lines on stderr."""

    def show(phase: str, done: int, total: int) -> None:
        print(f"{phase} {done:,}/{total:,}" if total else f"{phase} …", file=sys.stderr)

    return show


def check_writable(out: Path, example: str) -> None:
    """Whether a file can be written at `out`, asked before the work whose results it gets.

    Raises UsageError; `example` is a name for such a file.
    """
    folder = out.absolute().parent
    there = next(place for place in (folder, *folder.parents) if place.exists())
    wrong = "is a folder" if out.is_dir() else ""
    if not wrong and not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        wrong = f"cannot be written, since “{shorten(there)}” is no folder that you may write in"
    if wrong:
        raise UsageError(f"“{shorten(out)}” {wrong}. Type the path of a file, for example: --out {example}")


def say(message: str) -> None:
    """A message for people, on stderr."""
    print(message, file=sys.stderr)


def print_json(value: Any) -> None:
    """A value as JSON on stdout."""
    print(json.dumps(value, ensure_ascii=False, indent=2))
