"""What reviewing drafts has in common on the command line, of questions and of demonstrations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.shared import print_json, say
from workbench.core import UsageError, unknown_name

if TYPE_CHECKING:
    from workbench.jobs import DraftProgress, ReviewStore

DRAFTS_SHOWN = 20
"""Drafts that are printed unless --limit says otherwise."""

Reviewed = Annotated[str, typer.Argument(metavar="NAME", help="A set's name; without it, all sets are listed.")]
Accept = Annotated[list[int] | None, typer.Option(help="A draft's number; repeat for several.")]
Reject = Annotated[list[int] | None, typer.Option(help="A draft's number; repeat for several.")]
Undo = Annotated[list[int] | None, typer.Option(help="A draft whose decision is taken back.")]
By = Annotated[str, typer.Option(help="Your name, which is stored with each decision.")]
Show = Annotated[str, typer.Option(help="draft, filtered, accepted, edited, rejected or unwritten.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many to print.")]
Delete = Annotated[bool, typer.Option("--delete", help="Delete the set; a dataset made from it stays.")]
ConfirmDelete = Annotated[bool, typer.Option("--yes", help="Confirm --delete.")]


def review(
    store: ReviewStore[Any, Any],
    name: str,
    decide: Callable[[], None],
    print_draft: Callable[[Any], None],
    *,
    show: str,
    limit: int,
    delete: bool,
    confirmed: bool,
    as_json: bool,
) -> None:
    """Lists all sets, or deletes one, or decides and lists its drafts with a status. Raises UsageError."""
    from pydantic import TypeAdapter

    from workbench.jobs import STATUSES

    if not name:
        sets = store.sets()
        if as_json:
            plain = TypeAdapter(Any).dump_python
            print_json([{**plain(item, mode="json"), "counts": store.counts(item.name)} for item in sets])
        for item in () if as_json else sets:
            print_progress(item.name, store.progress(item.name))
        return
    draft_set = store.set_called(name)
    if delete:
        if not confirmed:
            raise UsageError(f"The set “{name}” with all decisions would be deleted. To do so, add --yes")
        store.remove(name)
        say(f"The set “{name}” is deleted.")
        return
    status = next((item for item in STATUSES if item == show), None)
    if status is None:
        raise unknown_name("status", show, STATUSES)
    decide()
    drafts, state = store.drafts(name, (status,), limit=limit), store.progress(name)
    if as_json:
        plain = TypeAdapter(Any).dump_python
        counts = {"progress": plain(state), "counts": store.counts(name)}
        print_json({**plain(draft_set, mode="json"), **counts, "drafts": plain(drafts, mode="json")})
        return
    for item in drafts:
        print_draft(item)
    print_progress(name, state)


def decide_by_number(
    store: ReviewStore[Any, Any],
    name: str,
    person: str,
    accept: Sequence[int] | None,
    reject: Sequence[int] | None,
    undo: Sequence[int] | None,
) -> None:
    """Accepts, rejects and takes back. All are looked up before the first is decided."""
    for number in (*(accept or ()), *(reject or ()), *(undo or ())):
        store.draft(name, number)
    for number in accept or ():
        store.accept(name, number, person)
    if reject:
        store.reject(name, reject, person)
    for number in undo or ():
        store.undo(name, number)


def print_written(store: ReviewStore[Any, Any], name: str, state: DraftProgress, *, as_json: bool) -> None:
    """How far a set is after writing, and why drafts of it are unwritten."""
    from dataclasses import asdict

    from workbench.jobs import WAITING

    if as_json:
        print_json({**asdict(state), "counts": store.counts(name)})
    else:
        print_progress(name, state)
    if state.failed:
        failure = next(item.reason for item in store.drafts(name, WAITING) if item.reason)
        say(f"{state.failed:,} are unwritten, because calls failed: repeat the command to try again. {failure}")


def print_progress(name: str, state: DraftProgress) -> None:
    """How far a set is, on one line."""
    counts = ", ".join(f"{count:,} {status}" for status, count in state.by_status.items())
    filters = ", ".join(f"{count:,} {filter_}" for filter_, count in state.by_filter.items())
    print(f"{name}\t{counts or 'nothing'}" + (f"\tfiltered: {filters}" if filters else ""))
