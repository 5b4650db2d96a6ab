"""`runs compare`: which run beats which, by how much, in which languages, and whether chance would do as much."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands.shared import Json, open_workbench, print_json
from workbench.errors import UsageError, shorten, unknown

if TYPE_CHECKING:
    from workbench.metrics.scale import Scale
    from workbench.studies.deltas import Delta
    from workbench.studies.results import StoredRun

SIGNIFICANT = 0.05
LISTED = 12
WORDS = "words of its title that no other has, for example: crossrag"


def register(runs: typer.Typer) -> None:
    """Adds the verb to the group."""
    runs.command("compare")(compare)


def compare(
    identities: Annotated[list[str], typer.Argument(metavar="ID...", help="Experiments by their ids, from: runs list")],
    metric: Annotated[str, typer.Option(help="The metric to compare by.")],
    first: Annotated[str, typer.Option(help=f"The run to compare with: {WORDS}. Left out: the best.")] = "",
    second: Annotated[str, typer.Option(help=f"The run to look at in each language: {WORDS}.")] = "",
    as_json: Json = False,
) -> None:
    """Differences from one run, question by question, with 95 % intervals and p after Holm's correction."""
    from workbench.metrics.scale import scale_of
    from workbench.storage.store import opened_store
    from workbench.studies import results
    from workbench.studies.deltas import against
    from workbench.studies.filters import Filter
    from workbench.studies.intervals import best
    from workbench.studies.language_deltas import by_language

    engine = opened_store(open_workbench().settings.database_url)
    for identity in identities:
        results.experiment(engine, identity)
    chosen = Filter(experiments=tuple(identities))
    if metric not in (known := results.metrics(engine, chosen)):
        raise unknown("metric", metric, known)
    runs = {run.id: run for run in results.runs(engine, chosen)}
    base = _named(first, runs.values()) if first else runs[int(best(engine, chosen, metric, 1)[0][0].key[0])]
    others = [run for run in runs.values() if run.dataset == base.dataset and run.id != base.id]
    if not others:
        raise UsageError(f"No other run was asked “{base.dataset}”. Type the ids of two experiments that were.")
    if second:
        rival = _named(second, others)
        told = rival.title
        rows = [(item.language or "all", item.delta) for item in by_language(engine, metric, base.id, rival.id)]
    else:
        told = "each other run"
        found = against(engine, metric, base.id, [run.id for run in others])
        rows = [(runs[item.run].title, item) for item in found]
    if as_json:
        differences = [{"language" if second else "run": name, **_fields(item)} for name, item in rows]
        print_json(
            {"metric": metric, "first": base.title, "second": told if second else None, "differences": differences}
        )
        return
    print(f"{metric}: {told} minus {base.title}")
    for name, item in rows:
        print(_line(name, item, scale_of(metric)))


def _named(words: str, runs: Collection[StoredRun]) -> StoredRun:
    """The one run whose title has all these words. Raises UsageError."""
    wanted = words.casefold().split()
    # A mode's name is part of others' (rag), so words are whole ones; titles part them by dots.
    found = [run for run in runs if set(wanted) <= {word.casefold() for word in run.title.split()}]
    if len(found) == 1:
        return found[0]
    there = [run.title for run in found or runs]
    listed = "; ".join(there[:LISTED]) + (f"; and {len(there) - LISTED:,} more" if len(there) > LISTED else "")
    many = "Several runs have" if found else "No run has"
    raise UsageError(f"{many} “{shorten(words)}” in the title. Type words that only one of these has: {listed}.")


def _fields(item: Delta) -> dict[str, object]:
    return {name: value for name, value in asdict(item).items() if name != "run"}


def _line(name: str, item: Delta, scale: Scale) -> str:
    if item.mean is None:
        return f"nothing to compare\t{item.left_out:,} left out\t{name}"
    between = "" if item.low is None else f"95 %: {item.low:+.4f} to {item.high:+.4f}"
    surely = item.p is not None and item.p < SIGNIFICANT
    verdict = "not told apart" if not surely else "better" if (item.mean > 0) == scale.higher_is_better else "worse"
    p = "" if item.p is None else f"p {item.p:.4f}"
    return f"{item.mean:+.4f}\t{between}\t{p}\t{verdict}\tn {item.n:,} of {item.questions:,} questions\t{name}"
