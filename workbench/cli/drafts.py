"""What reviewing drafts has in common on the command line, of questions and of demonstrations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.core import UsageError, unknown_name

if TYPE_CHECKING:
    from workbench.jobs import DraftProgress, ReviewStore, Status

DRAFTS_SHOWN = 20
"""Drafts that are printed unless --limit says otherwise."""

Accept = Annotated[list[int] | None, typer.Option(help="A draft's number; repeat for several.")]
Reject = Annotated[list[int] | None, typer.Option(help="A draft's number; repeat for several.")]
Undo = Annotated[list[int] | None, typer.Option(help="A draft whose decision is taken back.")]
By = Annotated[str, typer.Option(help="Your name, which is stored with each decision.")]
Show = Annotated[str, typer.Option(help="draft, filtered, accepted, edited, rejected or unwritten.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many to print.")]


def status_named(name: str) -> Status:
    """The status of this name. Raises UsageError for a name that no status has."""
    from workbench.jobs import STATUSES

    status = next((item for item in STATUSES if item == name), None)
    if status is None:
        raise unknown_name("status", name, STATUSES)
    return status


def decide(
    store: ReviewStore[Any, Any],
    name: str,
    person: str,
    accept: Sequence[int] | None,
    reject: Sequence[int] | None,
    undo: Sequence[int] | None,
) -> None:
    """Accepts, rejects and takes back by number. All are looked up before the first is decided."""
    decisions = [
        *((store.accept, number) for number in accept or ()),
        *((store.reject, number) for number in reject or ()),
    ]
    for number in [number for _, number in decisions] + list(undo or ()):
        store.draft(name, number)
    for decision, number in decisions:
        decision(name, number, person)
    for number in undo or ():
        store.undo(name, number)


def delete_set(store: ReviewStore[Any, Any], name: str, *, confirmed: bool) -> str:
    """Deletes a set and says so. Raises UsageError where that is not confirmed."""
    if not confirmed:
        raise UsageError(f"The set “{name}” with all decisions would be deleted. To do so, add --yes")
    store.remove(name)
    return f"The set “{name}” is deleted."


def print_progress(name: str, state: DraftProgress) -> None:
    """How far a set is, on one line."""
    counts = ", ".join(f"{count:,} {status}" for status, count in state.by_status.items())
    filters = ", ".join(f"{count:,} {filter_}" for filter_, count in state.by_filter.items())
    print(f"{name}\t{counts or 'nothing'}" + (f"\tfiltered: {filters}" if filters else ""))
