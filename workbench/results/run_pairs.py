"""What can be compared with what: single runs, or all runs of one value of a choice with those of another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from sqlalchemy import Engine

from workbench.recipes.mode import MODES
from workbench.results import result_store
from workbench.results.filters import Filter
from workbench.results.mean_intervals import ranked
from workbench.results.result_store import StoredRun

Compared = Literal["run", "mode", "scope", "prompt", "model", "k", "perturbation"]
COMPARED: tuple[Compared, ...] = get_args(Compared)


Choice = Literal["mode", "scope", "prompt", "model", "k", "perturbation"]
"""What runs of one experiment can differ in."""

ALIKE = ("experiment", "dataset", "corpus", "mode", "scope", "prompt", "model", "k", "perturbation")
OWN = {mode.name: mode.scope for mode in MODES}

Rest = tuple[object, ...]
Pair = tuple[int, int]
"""The stored ids of a run with the first value and of its counterpart with the second."""


def candidates(engine: Engine, chosen: Filter, metric: str, what: Compared) -> list[str]:
    """What can be compared, the best first: values of a choice as text, runs by their stored ids."""
    return [str(item.key[0]) for item in ranked(engine, chosen, metric, what)]


def comparable(engine: Engine, chosen: Filter, what: Compared, first: str, others: list[str]) -> dict[str, list[Pair]]:
    """Those of `others` that `first` can be compared with, and the runs that are then set beside each other.

    Runs can be where they were asked the same dataset; values of a choice where some runs differ in it alone.
    """
    runs = result_store.runs(engine, chosen)
    rest = [name for name in others if name != first]
    if what == "run":
        about = {str(run.id): run.dataset for run in runs}
        return {name: [(int(first), int(name))] for name in rest if about[name] == about[first]}
    found = {name: pairs(runs, what, first, name) for name in rest}
    return {name: beside for name, beside in found.items() if beside}


def values(runs: Iterable[StoredRun], choice: Choice) -> list[str]:
    """What the runs chose, as text, in order."""
    return list(dict.fromkeys(str(getattr(run, choice)) for run in runs))


def pairs(runs: Iterable[StoredRun], choice: Choice, first: str, second: str) -> list[Pair]:
    """Each run whose `choice` is `first` with the run of its experiment that chose `second` and all else alike.

    Two modes that were run in no scope in common, as tRAG in English and CrossRAG in all languages, are paired in the
    scopes that their papers define for them.
    """
    runs = list(runs)
    found = _paired(*(_by_rest(runs, choice, value, ()) for value in (first, second)))
    if found or choice != "mode":
        return found
    at_home = [run for run in runs if run.scope == OWN.get(run.mode)]
    return _paired(*(_by_rest(at_home, choice, value, ("scope",)) for value in (first, second)))


def _by_rest(runs: Iterable[StoredRun], choice: Choice, value: str, left_out: tuple[str, ...]) -> dict[Rest, int]:
    names = [name for name in ALIKE if name != choice and name not in left_out]
    return {tuple(getattr(run, name) for name in names): run.id for run in runs if str(getattr(run, choice)) == value}


def _paired(one: Mapping[Rest, int], other: Mapping[Rest, int]) -> list[Pair]:
    return [(run, other[rest]) for rest, run in one.items() if rest in other]
