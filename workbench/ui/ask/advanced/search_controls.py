"""How rankings are fused, which neighbours join the candidates, and which passages a filter drops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import streamlit as st

from workbench.pipeline import NEIGHBOURS_LIMIT, NeighbourSide, Normalisation, RetrieverName
from workbench.workspace import CANDIDATES_LIMIT

KEY = "ask_"
WEIGHTED = ("hybrid", "cc", "dbsf")
FUSING = (*WEIGHTED, "rrf")
NORMALISATIONS: Mapping[Normalisation | None, str] = {
    None: "As usual: min-max",
    "min-max": "Min-max",
    "theoretical-min-max": "Theoretical min-max",
    "z-score": "Z-score",
    "distribution": "By distribution",
}
SIDES: Mapping[NeighbourSide, str] = {"both": "Both sides", "previous": "Before", "next": "After"}


def draw(retriever: RetrieverName) -> None:
    """The controls in four columns; those that the retriever does not use cannot be changed."""
    first, second, third, fourth = st.columns(4, gap="medium")
    with first:
        _share(retriever)
        _normalisation(retriever)
    with second:
        _constant(retriever)
        _depth(retriever)
    with third:
        _neighbours()
    with fourth:
        _filter()


def _share(retriever: RetrieverName) -> None:
    st.number_input(
        "Lexical share",
        0.0,
        1.0,
        value=None,
        step=0.05,
        key=f"{KEY}fusion_weight",
        placeholder="The retriever's own",
        help="How much words count against meaning in Hybrid, CC and DBSF, from 0 to 1.",
        disabled=retriever not in WEIGHTED,
    )


def _normalisation(retriever: RetrieverName) -> None:
    st.selectbox(
        "Normalisation of scores",
        [None, *get_args(Normalisation)],
        key=f"{KEY}normalisation",
        format_func=NORMALISATIONS.__getitem__,
        help="How CC makes the scores of words and of meaning comparable before it adds them.",
        disabled=retriever != "cc",
    )


def _constant(retriever: RetrieverName) -> None:
    st.number_input(
        "Constant of RRF",
        0,
        1_000,
        value=None,
        key=f"{KEY}rrf_k",
        placeholder="60",
        help="The larger it is, the less the first places count more than later ones.",
        disabled=retriever != "rrf",
    )


def _depth(retriever: RetrieverName) -> None:
    st.number_input(
        "Depth of the fusion",
        1,
        CANDIDATES_LIMIT,
        value=None,
        key=f"{KEY}fusion_depth",
        placeholder="100",
        help="The fewest candidates that a fusion takes from words and from meaning each.",
        disabled=retriever not in FUSING,
    )


def _neighbours() -> None:
    st.number_input(
        "Neighbours",
        0,
        NEIGHBOURS_LIMIT,
        key=f"{KEY}neighbours",
        help="Passages next to each candidate in its document that join the candidates. 0: none.",
    )
    st.selectbox(
        "Neighbours from",
        get_args(NeighbourSide),
        key=f"{KEY}neighbour_side",
        format_func=SIDES.__getitem__,
        help="Whether the passages before a candidate join, those after it, or both.",
        disabled=not st.session_state[f"{KEY}neighbours"],
    )


def _filter() -> None:
    st.number_input(
        "Least score",
        value=None,
        step=0.1,
        format="%.3f",
        key=f"{KEY}score_threshold",
        placeholder="No limit",
        help="Passages below this score of the last ranking are dropped. Where none is left, no document was found.",
    )
    st.number_input(
        "Share of passages kept",
        0.01,
        1.0,
        value=None,
        step=0.05,
        key=f"{KEY}score_percentile",
        placeholder="All",
        help="Of the passages to the generator, the best ones are kept: this share of them, and at least one.",
    )
