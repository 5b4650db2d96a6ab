"""What the verbs on drafts have in common, of questions and of demonstrations: their review by number."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.shared import Assignments, Json, assigned, open_workbench, print_json, say
from workbench.core import UsageError, unknown_name

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.jobs import DraftProgress, ReviewStore

Numbers = list[int] | None


def review_verb(
    store_of: Callable[[Workbench], ReviewStore[Any, Any]], print_draft: Callable[[Any], None], noun: str
) -> Callable[..., None]:
    """The verb that lists and decides drafts of one kind, whose store is `store_of` a workbench."""

    def review(
        name: Annotated[str, typer.Argument(metavar="NAME", help="A set's name; without it, all are listed.")] = "",
        accept: Annotated[Numbers, typer.Option(help="A draft's number; repeat for several.")] = None,
        reject: Annotated[Numbers, typer.Option(help="A draft's number; repeat for several.")] = None,
        undo: Annotated[Numbers, typer.Option(help="A draft whose decision is taken back.")] = None,
        edit: Annotated[int, typer.Option(min=0, help="A draft to accept with other texts, which --set gives.")] = 0,
        texts: Assignments = None,
        by: Annotated[str, typer.Option(help="Your name, which is stored with each decision.")] = "",
        show: Annotated[str, typer.Option(help="draft, filtered, accepted, edited, rejected or unwritten.")] = "draft",
        limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many to print.")] = 20,
        delete: Annotated[bool, typer.Option("--delete", help="Delete the set; a dataset made from it stays.")] = False,
        yes: Annotated[bool, typer.Option("--yes", help="Confirm --delete.")] = False,
        as_json: Json = False,
    ) -> None:
        from pydantic import TypeAdapter

        from workbench.jobs import STATUSES

        store, plain = store_of(open_workbench()), TypeAdapter(Any).dump_python
        if not name:
            sets = store.sets()
            if as_json:
                print_json([{**plain(item, mode="json"), "counts": store.counts(item.name)} for item in sets])
            for item in () if as_json else sets:
                print_progress(item.name, store.progress(item.name))
            return
        draft_set = store.set_called(name)
        if delete:
            if not yes:
                raise UsageError(f"The set “{name}” with all decisions would be deleted. To do so, add --yes")
            store.remove(name)
            say(f"The set “{name}” is deleted.")
            return
        status = next((item for item in STATUSES if item == show), None)
        if status is None:
            raise unknown_name("status", show, STATUSES)
        # All are looked up before the first is decided.
        for number in (*(accept or ()), *(reject or ()), *(undo or ())):
            store.draft(name, number)
        for number in accept or ():
            store.accept(name, number, by)
        if reject:
            store.reject(name, reject, by)
        for number in undo or ():
            store.undo(name, number)
        if edit:
            before, changes = store.draft(name, edit), assigned(texts, store.item.TEXTS)
            store.edit(name, edit, by, *(changes.get(text, getattr(before, text)) for text in store.item.TEXTS))
        drafts, state = store.drafts(name, (status,), limit=limit), store.progress(name)
        if as_json:
            counts = {"progress": plain(state), "counts": store.counts(name)}
            print_json({**plain(draft_set, mode="json"), **counts, "drafts": plain(drafts, mode="json")})
            return
        for draft in drafts:
            print_draft(draft)
        print_progress(name, state)

    review.__doc__ = f"List {noun}, and accept, edit or reject them by number."
    return review


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
