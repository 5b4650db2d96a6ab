"""What can be compared with what: single runs, or all runs of one value of a choice with those of another.

A choice is one of the matrix, or any field of a recipe in which runs differ, `corpus` for chunkings among them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from workbench.experiments.results.queries.recipe_columns import varied_fields
from workbench.experiments.results.queries.run_list import StoredRun
from workbench.experiments.results.result_store import ResultView
from workbench.pipeline import MODES, stored_words

Choice = str
"""What runs of one experiment can differ in: a choice of the matrix, or a field of a recipe."""
Comparison = str
COMPARISONS: tuple[Comparison, ...] = ("run", "mode", "scope", "prompt", "model", "k", "perturbation")
"""What is always compared: single runs, or the values of a choice of the matrix."""

CHOICES = ("experiment_id", "dataset", "corpus", "mode", "scope", "prompt", "model", "k", "perturbation")
"""What two runs must share, as their recipes' other fields, but for the choice that is compared."""
RECIPE_NAMES = {"model": "generator"}
"""The names of choices in a recipe, where they are others."""
PAPER_SCOPES = {mode.name: mode.scope for mode in MODES}
"""The scope that each mode's paper defines for it."""

OtherChoices = tuple[object, ...]
Pair = tuple[int, int]
"""The stored ids of a run with the first value and of its counterpart with the second."""


def candidates(view: ResultView, metric: str, what: Comparison) -> list[str]:
    """What can be compared, the best first: values of a choice as text, runs by their stored ids."""
    return [str(item.key[0]) for item in view.ranked_means(metric, what)]


def comparable(view: ResultView, what: Comparison, first: str, others: Sequence[str]) -> dict[str, list[Pair]]:
    """Those of `others` that `first` can be compared with, and the pairs of runs that the comparison is over.

    Runs can be compared where they answered the same dataset; values of a choice where some runs differ in it alone.
    """
    runs = view.runs()
    rest = [name for name in others if name != first]
    if what == "run":
        datasets = {str(run.id): run.dataset for run in runs}
        return {name: [(int(first), int(name))] for name in rest if datasets[name] == datasets[first]}
    pairs_of = {name: pair_runs(runs, what, first, name) for name in rest}
    return {name: pairs for name, pairs in pairs_of.items() if pairs}


def comparisons(runs: Sequence[StoredRun]) -> tuple[Comparison, ...]:
    """What can be compared among some runs: each run, the choices of the matrix, and the fields that were varied."""
    fields = tuple(varied_fields(runs))
    return (*COMPARISONS, *(name for name in fields if name not in COMPARISONS))


def pair_runs(runs: Sequence[StoredRun], choice: Choice, first: str, second: str) -> list[Pair]:
    """Each run whose `choice` is `first` with the run of its experiment that has `second` and is alike in all else.

    Two modes that were run in no scope in common, as tRAG in English and CrossRAG in all languages, are paired in the
    scopes that their papers define for them.
    """
    pairs = _pairs(*(_by_other_choices(runs, choice, value, ()) for value in (first, second)))
    if pairs or choice != "mode":
        return pairs
    in_paper_scope = [run for run in runs if run.scope == PAPER_SCOPES.get(run.mode)]
    return _pairs(*(_by_other_choices(in_paper_scope, choice, value, ("scope",)) for value in (first, second)))


def _by_other_choices(
    runs: Iterable[StoredRun], choice: Choice, value: str, left_out: tuple[str, ...]
) -> dict[OtherChoices, int]:
    names = [name for name in CHOICES if name != choice and name not in left_out]
    apart = {RECIPE_NAMES.get(name, name) for name in (choice, *left_out)}
    return {
        (*(getattr(run, name) for name in names), _rest_of_recipe(run, apart)): run.id
        for run in runs
        if _value(run, choice) == value
    }


def _value(run: StoredRun, choice: Choice) -> str:
    return str(getattr(run, choice)) if choice in CHOICES else stored_words(run.recipe).get(choice, "")


def _rest_of_recipe(run: StoredRun, apart: Collection[str]) -> frozenset[tuple[str, str]]:
    """The choices of a run's recipe but some."""
    return frozenset(item for item in stored_words(run.recipe).items() if item[0] not in apart)


def _pairs(one: Mapping[OtherChoices, int], other: Mapping[OtherChoices, int]) -> list[Pair]:
    return [(run, other[choices]) for choices, run in one.items() if choices in other]
