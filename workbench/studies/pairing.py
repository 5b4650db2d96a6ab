"""Which runs to set beside each other when a choice is compared, such as two modes: those that differ in it alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from workbench.pipeline.mode import MODES
from workbench.studies.results import StoredRun

Choice = Literal["mode", "scope", "prompt", "model", "k", "perturbation"]
"""What runs of one experiment can differ in."""

ALIKE = ("experiment", "dataset", "corpus", "mode", "scope", "prompt", "model", "k", "perturbation")
OWN = {mode.name: mode.scope for mode in MODES}

Rest = tuple[object, ...]
Pair = tuple[int, int]
"""The stored ids of a run with the first value and of its counterpart with the second."""


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
