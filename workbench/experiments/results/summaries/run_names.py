"""Runs and their choices in words: “D-RAG, all languages”, with what differs between the runs that are shown.

The words of a choice are those of its field in `Recipe`; what is stored, filtered by and exported are the keys.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal

from workbench.components import choices
from workbench.core import UsageError
from workbench.experiments.results.queries.run_list import StoredRun, varied_fields
from workbench.experiments.results.run_pairs import PAPER_SCOPES, RECIPE_NAMES
from workbench.pipeline import (
    SEARCHED,
    effective,
    field_title,
    make_recipe,
    recipe_fields,
    same_chain,
    stored_words,
)

NO_RETRIEVAL, NO_SCOPE = "baseline", "none"
"""The mode that searches nothing, and what replaces the scope that its runs are stored with."""
Perturbation = Literal["none", "shuffle", "random-noise", "hard-negatives", "english-first", "english-last", "oracle"]
PERTURBATIONS: Mapping[str, str] = {
    "none": "documents as found",
    "shuffle": "documents shuffled",
    "random-noise": "two random documents added",
    "hard-negatives": "two misleading documents added",
    "english-first": "English documents first",
    "english-last": "English documents last",
    "oracle": "gold passages instead of a search",
}
"""What is changed about the documents that an answer is written from, with its name in words."""
IMPORTED = "imported"
EQUAL = "they search and answer alike, so their answers are equal"
SCOPE_NAMES: Mapping[str, str] = {
    NO_SCOPE: "no retrieval",
    **{scope: words.removeprefix("the ") for scope, words in SEARCHED.items()},
}
EVIDENCE: Mapping[str, str] = {
    "en": "in English, not in the question's language",
    "ul": "in the question's language, not in English",
    "both": "in English and in the question's language",
    "other": "in other languages only",
    "conflict": "in sources that disagree",
    "none": "in no document",
}
"""In which languages there are documents that answer a question, in words."""
NAMING = ("dataset", "mode", "scope", "prompt", "model", "k", "perturbation")
"""The choices of the matrix that a run's name is composed of, where they differ."""
TITLES: Mapping[str, str] = {
    "run": "Run",
    "dataset": "Dataset",
    "model": "Model",
    "perturbation": "Change of documents",
    "language": "Question language",
    "evidence_in": "Where the answer lies",
}
"""The choices that are no fields of a recipe, or have another name there."""


def searched(run: StoredRun) -> str:
    """The scope that a run searched: `none` where its mode searches nothing, whatever scope is stored with it."""
    return NO_SCOPE if run.mode == NO_RETRIEVAL else run.scope


def choice_title(choice: str) -> str:
    """What people call a choice in which runs differ.

    >>> choice_title("model"), choice_title("prompt"), choice_title("rrf_k")
    ('Model', 'Prompt variant', 'Constant of RRF')
    """
    return TITLES.get(choice) or field_title(choice)


def choice_name(choice: str, value: str) -> str:
    """The value of a choice in words; one that nothing describes stays as it is.

    >>> choice_name("mode", "drag"), choice_name("scope", "ul"), choice_name("k", "5"), choice_name("dataset", "mkqa")
    ('D-RAG', "user's language", '5 passages', 'mkqa')
    """
    if choice == "scope":
        return SCOPE_NAMES.get(value, value)
    if choice == "k":
        return f"{value} passage{'' if value == '1' else 's'}"
    if choice in ("perturbation", "evidence_in"):
        return (PERTURBATIONS if choice == "perturbation" else EVIDENCE).get(value, value)
    field = recipe_fields().get(RECIPE_NAMES.get(choice, choice))
    if field is None or not value:
        return value or IMPORTED
    return choices(field.about.role).get(value, value) if field.about.role else field.shown(value)


def mode_name(mode: str, scope: str) -> str:
    """A mode's name, with the scope where it is not the one that its paper defines.

    >>> mode_name("trag", "en"), mode_name("trag", "all"), mode_name("", "")
    ('tRAG', 'tRAG, all languages', 'imported')
    """
    name = choice_name("mode", mode)
    return name if not mode or PAPER_SCOPES.get(mode) == scope else f"{name}, {choice_name('scope', scope)}"


def run_names(rows: Sequence[StoredRun]) -> dict[int, str]:
    """A distinct name for each run by its id: the choices in which these runs differ, mode and scope where they do not.

    An imported run has few choices. A run without retrieval has no scope.
    """
    names = [name for name in NAMING if len({getattr(run, name) for run in rows}) > 1]
    fields = [name for name in varied_fields(rows) if name not in NAMING]
    shown = names or ([] if fields else ["mode", "scope"])
    words = {run.id: ", ".join(filter(None, [*_matrix(run, shown), *_varied(run, fields)])) for run in rows}
    named = {run.id: words[run.id] or run.model or run.title for run in rows}
    counts = Counter(named.values())
    return {run: f"{name} (run {run})" if counts[name] > 1 else name for run, name in named.items()}


def same_stored_runs(rows: Sequence[StoredRun]) -> tuple[str, ...]:
    """A sentence for each group of these runs whose chains are equal, so that their answers are."""
    names, groups = run_names(rows), dict[tuple[object, ...], list[str]]()
    for run in rows:
        with suppress(UsageError, ValueError):  # imported, or of a version whose recipes are read no more
            recipe = same_chain(make_recipe(json.loads(run.recipe)))
            key = (run.dataset, run.perturbation, *effective(recipe))
            groups.setdefault(key, []).append(names[run.id])
    return tuple(f"{' and '.join(each)} do the same: {EQUAL}." for each in groups.values() if len(each) > 1)


def _matrix(run: StoredRun, names: Sequence[str]) -> list[str]:
    kept = [name for name in names if name != "scope" or searched(run) != NO_SCOPE]
    return [choice_name(name, str(getattr(run, name))) for name in kept if getattr(run, name)]


def _varied(run: StoredRun, names: Sequence[str]) -> list[str]:
    stored = stored_words(run.recipe)
    return [f"{choice_title(name).lower()} {choice_name(name, stored[name])}" for name in names if name in stored]
