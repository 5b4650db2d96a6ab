"""What all verbs share: the workspace, progress on stderr, JSON on stdout, and options that recur."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench import settings

if TYPE_CHECKING:
    from workbench.pipeline.workbench import Workbench

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Lang = Annotated[str, typer.Option("--lang", help="Language of the question, an ISO 639 code such as fi.")]


def open_workbench() -> Workbench:
    """The workspace that the environment names."""
    from workbench.pipeline.workbench import Workbench

    return Workbench(settings.load())


def progress() -> Callable[[str, int, int], None]:
    """Progress as lines on stderr."""

    def show(phase: str, done: int, total: int) -> None:
        print(f"{phase} {done:,}/{total:,}" if total else f"{phase} …", file=sys.stderr)

    return show


def say(message: str) -> None:
    """A message for people, on stderr."""
    print(message, file=sys.stderr)


def print_json(value: Any) -> None:
    """A value as JSON on stdout."""
    print(json.dumps(value, ensure_ascii=False, indent=2))
