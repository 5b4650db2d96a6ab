"""The controls of what an experiment varies beside its matrix: chunkings, and any other field of a recipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import streamlit as st

from workbench.data import sisters_of
from workbench.experiments import ORIGINAL, Experiment, variable_fields
from workbench.pipeline import field_title, from_words, words
from workbench.ui.parts import access, recipe_form

KEY = "matrix_vary_"
FIELDS, CHUNKINGS = "matrix_vary_fields", "matrix_chunkings"


def values_of(experiment: Experiment) -> dict[str, object]:
    """What each control holds for an experiment, by its key."""
    listed = {f"{KEY}{name}": [words(value) for value in experiment.vary.get(name, ())] for name in variable_fields()}
    return {FIELDS: list(experiment.vary), CHUNKINGS: list(experiment.chunkings), **listed}


def draw(corpora: Sequence[str]) -> None:
    """The controls; `corpora` are those that the experiment's datasets are over."""
    _chunkings(corpora)
    names = st.multiselect(
        "Also vary",
        list(dict.fromkeys([*variable_fields(), *st.session_state.get(FIELDS, [])])),
        key=FIELDS,
        persist_state="session",
        format_func=field_title,
        placeholder="Any other choice of a recipe",
        help="Every combination becomes a run: a reranker, the number of candidates, the constant of a fusion …",
    )
    for name in names:
        recipe_form.several(name, f"{KEY}{name}", persist_state="session")


def experiment_choices() -> dict[str, Any]:
    """What the controls add to an experiment."""
    state = st.session_state
    fields = {name: [from_words(name, text) for text in state.get(f"{KEY}{name}", [])] for name in state[FIELDS]}
    # A field without a value yet is on its way.
    return {"vary": {name: each for name, each in fields.items() if each}, "chunkings": state.get(CHUNKINGS, [])}


def _chunkings(corpora: Sequence[str]) -> None:
    library = access.workbench().library
    names = {name for corpus in corpora for name in sisters_of(library, corpus)}
    current = cast(list[str], st.session_state.get(CHUNKINGS, []))
    if not names and not current:
        return
    st.multiselect(
        "Chunkings",
        list(dict.fromkeys([ORIGINAL, *sorted(names), *current])),
        key=CHUNKINGS,
        persist_state="session",
        placeholder="The corpus as it is",
        help="Ways in which the documents were split; gold passages are those with the same text.",
    )
