"""The controls of a judge, for experiments and for answers from elsewhere: which model, asked in which language."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.metrics import DEFAULT_JUDGE_LANGUAGE, NAMES as JUDGED
from workbench.pipeline import EXTRACTIVE
from workbench.ui.runs import model_select

JUDGE_LANGUAGE_TITLES = {"answer": "The answer's language", "en": "English", "both": "Both, to compare them"}


def needs_judge(metrics: Sequence[str]) -> bool:
    """Whether any of the metrics is judged."""
    return any(name in JUDGED for name in metrics)


def judge_select(key: str) -> str:
    """The box for the model that judges; returns "" where none is selected."""
    return model_select.draw(
        "Judge",
        "generator",
        key,
        without=EXTRACTIVE,
        help_="The model that scores the judged metrics; its name becomes part of theirs. Select one, or type another "
        "as `openai-like:MODEL@ENDPOINT`. It is called once for each distinct answer and aspect.",
    )


def judge_language_select(key: str) -> str:
    """The box for the language that a judge is asked in."""
    if st.session_state.get(key) not in JUDGE_LANGUAGE_TITLES:
        st.session_state[key] = DEFAULT_JUDGE_LANGUAGE
    return st.selectbox(
        "Language of the judge's prompts",
        list(JUDGE_LANGUAGE_TITLES),
        key=key,
        persist_state="session",
        format_func=JUDGE_LANGUAGE_TITLES.__getitem__,
        help="There are prompts in the thirteen languages; for answers in others the English ones are used. Names of "
        "metrics end in +ul where the prompts follow the answer's language.",
    )
