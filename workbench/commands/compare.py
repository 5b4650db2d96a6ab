"""`runs compare`: which run beats which, by how much, in which languages, and whether chance would do as much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands.shared import Json, open_workbench, print_json
from workbench.errors import UsageError, shorten, unknown_name

if TYPE_CHECKING:
    from workbench.metrics.scale import Scale
    from workbench.results.paired_comparison import Delta

SIGNIFICANT = 0.05
LISTED = 12
WORDS = "words of its title that no other has, for example: crossrag"


def register(runs: typer.Typer) -> None:
    """Adds the verb to the group."""
    runs.command("compare")(compare)


def compare(
    identities: Annotated[list[str], typer.Argument(metavar="ID...", help="Experiments by their ids, from: runs list")],
    metric: Annotated[str, typer.Option(help="The metric to compare by.")],
    what: Annotated[str, typer.Option(help="run, mode, scope, prompt, model, k or perturbation.")] = "run",
    first: Annotated[str, typer.Option(help=f"What to compare with: a mode or the like; a run by {WORDS}.")] = "",
    second: Annotated[
        str, typer.Option(help="The other that is looked at in each language. Left out: all others.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Differences from one run (the best where none is named), or from one mode, scope …, question by question.

    With 95 % intervals and p after Holm's correction. Of modes and the like, runs are paired that differ in it alone.
    """
    from workbench.metrics.scale import scale_of
    from workbench.results.paired_comparison import language_deltas, run_deltas
    from workbench.results.result_store import ResultStore
    from workbench.results.run_pairs import COMPARISONS, candidates, comparable

    store = ResultStore.at(open_workbench().settings.database_url)
    for identity in identities:
        store.experiment(identity)
    view = store.of(*identities)
    if metric not in (known := view.metrics()):
        raise unknown_name("metric", metric, known)
    if what not in COMPARISONS:
        raise unknown_name("comparison", what, COMPARISONS)
    there = candidates(view, metric, what)
    titles = {name: name for name in there}
    if what == "run":
        titles = {str(run.id): run.title for run in view.runs()}
    called = {name: titles[name] for name in there}
    rival = _named(second, called) if second else ""
    # Of one that is the best itself, the difference from the next is asked for.
    base = _named(first, called) if first else next((name for name in there if name != rival), rival)
    others = comparable(view, what, base, there)
    if not others:
        raise UsageError(
            f"Nothing can be compared with “{titles[base]}”. Type the ids of experiments with another {what}."
        )
    if second:
        told = titles[rival]
        if rival not in others:
            raise UsageError(
                f"“{told}” cannot be compared with “{titles[base]}”: they share no dataset, or are the same."
            )
        rows = [(item.language or "all", item.delta) for item in language_deltas(view, metric, others[rival])]
    else:
        told = f"each other {what}"
        rows = list(
            zip((titles[name] for name in others), run_deltas(view, metric, list(others.values())), strict=True)
        )
    if as_json:
        differences = [{"language" if second else what: name, **asdict(item)} for name, item in rows]
        print_json(
            {"metric": metric, "first": titles[base], "second": told if second else None, "differences": differences}
        )
        return
    print(f"{metric}: {told} minus {titles[base]}")
    for name, item in rows:
        print(_line(name, item, scale_of(metric)))


def _named(words: str, titles: Mapping[str, str]) -> str:
    """The one whose title has all these words. Raises UsageError."""
    wanted = set(words.casefold().split())
    # A mode's name is part of others' (rag), so words are whole ones.
    found = [name for name, title in titles.items() if wanted <= set(title.casefold().split())]
    if len(found) == 1:
        return found[0]
    there = [titles[name] for name in found or titles]
    listed = "; ".join(there[:LISTED]) + (f"; and {len(there) - LISTED:,} more" if len(there) > LISTED else "")
    many = "Several have" if found else "None has"
    raise UsageError(f"{many} “{shorten(words)}” in the title. Type words that only one of these has: {listed}.")


def _line(name: str, item: Delta, scale: Scale) -> str:
    if item.mean is None:
        return f"nothing to compare\t{item.left_out:,} left out\t{name}"
    between = "" if item.low is None else f"95 %: {item.low:+.4f} to {item.high:+.4f}"
    surely = item.p is not None and item.p < SIGNIFICANT
    unsure = "not told apart" + ("" if item.detectable is None else f" (so many would show {item.detectable:.4f})")
    verdict = unsure if not surely else "better" if (item.mean > 0) == scale.higher_is_better else "worse"
    p = "" if item.p is None else f"p {item.p:.4f}"
    return f"{item.mean:+.4f}\t{between}\t{p}\t{verdict}\tn {item.n:,} of {item.questions:,} questions\t{name}"
