"""A judge asked in English beside the same judge asked in the language of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

import streamlit as st

from workbench.annotation import AnnotationQueue, LabelledScores
from workbench.experiments import Filter, JudgeLanguages, judge_languages
from workbench.metrics import scale_of
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import figure
from workbench.ui.parts.chart_style import language_label
from workbench.ui.parts.interval_chart import NOTHING_STATED, interval_chart, long_rows

if TYPE_CHECKING:
    from pandas import DataFrame

METRIC = "inspect_judge_languages"
SERIES = {"answer": "asked in the answer's language", "english": "asked in English"}
FIGURES = ("english", "answer", "difference", "tau_b", "kappa")


def draw(queue: AnnotationQueue, scores: LabelledScores) -> None:
    """The chart and its table, for results that have both; nothing for others."""
    rows = judge_languages(result_frames.result_view(Filter(runs=tuple(scores.runs))))
    if not rows:
        return
    st.markdown("**One judge, asked in two languages** · over the answers that it scored in both.")
    names = list(dict.fromkeys(row.metric for row in rows))
    if st.session_state.get(METRIC) not in names:
        st.session_state[METRIC] = names[0]
    metric = st.selectbox("Judged metric", names, key=METRIC, help="Its prompts were sent in both languages.")
    frame = judge_language_frame([row for row in rows if row.metric == metric])
    chart = interval_chart(
        long_rows(frame, SERIES),
        "Does the language of the judge's prompt matter?",
        "95 % intervals; the table has the difference and the agreement",
        f"{metric.partition('@')[0]} ({scale_of(metric)})",
        number=".2f",
        empty=NOTHING_STATED,
    )
    figure.draw(chart, frame, "judge-languages", (queue.id, metric, frame["n"].tolist()))


def judge_language_frame(rows: Sequence[JudgeLanguages]) -> DataFrame:
    """A row per language with both means, their difference, and how far the two agree."""
    from pandas import DataFrame

    records = []
    for row in rows:
        record: dict[str, object] = {
            "name": language_label(row.language) if row.language else "All languages",
            "language": row.language or "all",
            "metric": row.metric,
            "n": row.n,
            "english_only": row.english_only,
            "answer_only": row.answer_only,
            "same": row.same,
        }
        for name in FIGURES:
            record.update(zip((name, f"{name}_low", f"{name}_high"), astuple(getattr(row, name)), strict=True))
        records.append(record)
    return DataFrame(records)
