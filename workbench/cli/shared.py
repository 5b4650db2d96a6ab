"""What the verbs share: the workspace, progress on stderr, JSON on stdout, and common options."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.core import UsageError, shorten
from workbench.workspace import settings

if TYPE_CHECKING:
    from workbench.app import Workbench

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Lang = Annotated[str, typer.Option("--lang", help="Language of the question, an ISO 639 code such as fi.")]


def open_workbench() -> Workbench:
    """The workbench over the workspace that the environment names."""
    from workbench.app import Workbench

    return Workbench(settings.load())


def progress() -> Callable[[str, int, int], None]:
    """A callback that prints phase, items done and their total to stderr."""

    def show(phase: str, done: int, total: int) -> None:
        print(f"{phase} {done:,}/{total:,}" if total else f"{phase} …", file=sys.stderr)

    return show


def check_writable(out: Path, example: str) -> None:
    """Checks that a file can be written at `out`, before the work whose results it receives.

    A new name and a regular file are allowed: not a folder, a device or a pipe, which cannot be replaced by a file, nor
    a link to one. `example` is a name to suggest. Raises UsageError.
    """
    folder = out.absolute().parent
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    problem = "is a folder" if out.is_dir() else ""
    if not problem and out.exists() and not out.is_file():
        problem = "is a device, a pipe or a socket, not a file"
    if not problem and not (existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)):
        problem = f"cannot be written, since “{shorten(existing)}” is not a folder that you can write to"
    if problem:
        raise UsageError(f"“{shorten(out)}” {problem}. Type the path of a file, for example: --out {example}")


def say(message: str) -> None:
    """Prints a message for people to stderr."""
    print(message, file=sys.stderr)


def print_json(value: Any) -> None:
    """Prints a value as JSON to stdout."""
    print(json.dumps(value, ensure_ascii=False, indent=2))
