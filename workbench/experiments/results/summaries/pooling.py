"""What a figure pools: runs that differ in a choice which the figure does not show, and which of them belong together.

A mode's scores depend on the scope that it searches, so runs of different scopes are not pooled unasked: each mode is
shown in the scope that its paper defines, and in each of its other scopes separately where it has no run there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from workbench.experiments.results.queries.recipe_columns import varied_fields
from workbench.experiments.results.queries.run_list import StoredRun
from workbench.experiments.results.run_pairs import PAPER_SCOPES
from workbench.pipeline import stored_words

NO_RETRIEVAL, NO_SCOPE = "baseline", "none"
"""The mode that searches nothing, and what replaces the scope that its runs are stored with."""

PLURALS: Mapping[str, str] = {
    "experiment_id": "experiments",
    "dataset": "datasets",
    "mode": "modes",
    "scope": "scopes",
    "prompt": "prompts",
    "model": "models",
    "k": "values of k",
    "perturbation": "perturbations",
}
"""The choices that can be pooled, with the word for several values of each."""
NAMED = 7
"""Values of a choice that are named; of more, only the number is stated."""


def in_paper_scope(runs: Iterable[StoredRun]) -> list[StoredRun]:
    """The runs in the scope that their mode's paper defines, and every run of a mode that has none there.

    Which of a mode's runs are kept is settled for each dataset separately.
    """
    groups: dict[tuple[str, str], list[StoredRun]] = defaultdict(list)
    for run in runs:
        groups[run.dataset, run.mode].append(run)
    kept: list[StoredRun] = []
    for (_, mode), group in groups.items():
        kept += [run for run in group if run.scope == PAPER_SCOPES.get(mode)] or group
    return sorted(kept, key=lambda run: run.id)


def mode_label(mode: str, scope: str) -> str:
    """A mode's name, with the scope where it is not the one that its paper defines.

    >>> mode_label("trag", "en"), mode_label("trag", "all"), mode_label("", "")
    ('trag', 'trag · all', 'imported')
    """
    if not mode:
        return "imported"
    return mode if PAPER_SCOPES.get(mode) == scope else f"{mode} · {scope}"


def searched(run: StoredRun) -> str:
    """The scope that a run searched: `none` where its mode searches nothing, whatever scope is stored with it."""
    return NO_SCOPE if run.mode == NO_RETRIEVAL else run.scope


def pooled_choices(runs: Sequence[StoredRun], shown: Collection[str]) -> dict[str, list[str]]:
    """The choices that some figure averages over, each with the values that are pooled, in order.

    `shown` are the choices that a figure distinguishes: runs that are alike in all of them are in one figure.
    """
    names = (*PLURALS, *varied_fields(runs))
    groups: dict[tuple[object, ...], list[StoredRun]] = defaultdict(list)
    for run in runs:
        groups[tuple(_value(run, name) for name in names if name in shown)].append(run)
    pooled: dict[str, list[str]] = {}
    for name in names:
        values = [
            str(_value(run, name))
            for group in groups.values()
            if len({_value(run, name) for run in group}) > 1
            for run in group
        ]
        if name not in shown and values:
            pooled[name] = list(dict.fromkeys(values))
    return pooled


def pooled_words(runs: Sequence[StoredRun], shown: Collection[str]) -> str:
    """A sentence that names what the figures pool, and that nothing is pooled where that is so."""
    parts = []
    for name, values in pooled_choices(runs, shown).items():
        names = "" if len(values) > NAMED or name == "experiment_id" else f" ({', '.join(filter(None, values))})"
        parts.append(f"{len(values):,} {PLURALS.get(name, f'values of {name}')}{names}")
    if not parts:
        return "Nothing is pooled: each figure is of one run in each dataset."
    words = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"Each figure pools {words}. Use the filters to see one of them alone."


def _value(run: StoredRun, name: str) -> object:
    if name == "scope":
        return searched(run)
    return getattr(run, name) if name in PLURALS else stored_words(run.recipe).get(name, "")
