"""What can be compared with what: single runs, or all runs of one value of a choice with those of another."""

from __future__ import annotations

from typing import Literal, get_args

from sqlalchemy import Engine

from workbench.studies import results
from workbench.studies.filters import Filter
from workbench.studies.intervals import ranked
from workbench.studies.pairing import Pair, pairs

Compared = Literal["run", "mode", "scope", "prompt", "model", "k", "perturbation"]
COMPARED: tuple[Compared, ...] = get_args(Compared)


def candidates(engine: Engine, chosen: Filter, metric: str, what: Compared) -> list[str]:
    """What can be compared, the best first: values of a choice as text, runs by their stored ids."""
    return [str(item.key[0]) for item in ranked(engine, chosen, metric, what)]


def comparable(engine: Engine, chosen: Filter, what: Compared, first: str, others: list[str]) -> dict[str, list[Pair]]:
    """Those of `others` that `first` can be compared with, and the runs that are then set beside each other.

    Runs can be where they were asked the same dataset; values of a choice where some runs differ in it alone.
    """
    runs = results.runs(engine, chosen)
    rest = [name for name in others if name != first]
    if what == "run":
        about = {str(run.id): run.dataset for run in runs}
        return {name: [(int(first), int(name))] for name in rest if about[name] == about[first]}
    found = {name: pairs(runs, what, first, name) for name in rest}
    return {name: beside for name, beside in found.items() if beside}
