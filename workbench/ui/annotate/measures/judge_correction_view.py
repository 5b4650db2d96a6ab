"""A judge's mean, or a metric's, corrected by what people labelled, beside what the labels alone say, by language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.annotation import AnnotationQueue, JudgeCorrection, LabelledScores, check_sample, judge_corrections
from workbench.metrics import LABELS_AT_LEAST, metric_in
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.chart_style import language_label
from workbench.ui.parts.interval_chart import NOTHING_STATED, interval_chart, long_rows

if TYPE_CHECKING:
    from pandas import DataFrame

METRIC = "inspect_correction_metric"
SERIES = {"corrected": "judge and labels together", "labels": "labels alone"}


def draw(queue: AnnotationQueue, scores: LabelledScores) -> None:
    """The controls, the sentence, the chart and the files."""
    st.markdown("**What people would say of all answers** · a judge's marks, corrected by the labelled sample.")
    names = sorted(scores.metrics, key=lambda name: not metric_in(name))
    if st.session_state.get(METRIC) not in names:
        st.session_state[METRIC] = names[0]
    metric = st.selectbox(
        "Judge or metric",
        names,
        key=METRIC,
        help="Its values of all answers are corrected by people's labels of a random sample (prediction-powered "
        "inference). The better it agrees with people, the shorter the interval.",
    )
    store = result_frames.store()
    rows = judge_corrections(scores, metric, check_sample(store, queue, list(scores.runs)))
    if problem := correction_problem(rows):
        safe_html.message(problem)
        return
    frame = correction_frame(rows)
    chart = interval_chart(
        long_rows(frame, SERIES),
        "Share that people would find right",
        "95 % intervals; n counts labelled answers",
        "mean of people's marks, 0 wrong to 1 right",
        number=".2f",
        empty=NOTHING_STATED,
    )
    figure.draw(chart, frame, "corrected-judge", (queue.id, metric, [row.labelled for row in rows]))


def correction_problem(rows: Sequence[JudgeCorrection]) -> str:
    """Why no mean can be stated in any language, in a sentence; "" where one can."""
    if any(row.mean is not None for row in rows):
        return ""
    reasons = list(dict.fromkeys(row.reason for row in rows if row.language)) or [""]
    most = max((row.labelled for row in rows if row.language), default=0)
    if len(reasons) == 1 and most >= LABELS_AT_LEAST:
        return reasons[0]
    return (
        f"A judge can be corrected from {LABELS_AT_LEAST} labelled and scored answers of a language on; the most in "
        f"one language are {most:,}. {reasons[0] if most >= LABELS_AT_LEAST else ''}"
    ).strip()


def correction_frame(rows: Sequence[JudgeCorrection]) -> DataFrame:
    """A row per language with the judge's plain mean, the corrected one and that of the labels alone."""
    from pandas import DataFrame

    records = []
    for row in rows:
        mean = row.mean
        records.append(
            {
                "name": language_label(row.language) if row.language else "All languages",
                "language": row.language or "all",
                "metric": row.metric,
                "n": row.labelled,
                "undecided": row.undecided,
                "judged": row.judged,
                "judge_mean": mean.judge_mean if mean else None,
                "corrected": mean.value if mean else None,
                "corrected_low": mean.low if mean else None,
                "corrected_high": mean.high if mean else None,
                "labels": mean.labels_mean if mean else None,
                "labels_low": mean.labels_low if mean else None,
                "labels_high": mean.labels_high if mean else None,
                "power": mean.power if mean else None,
                "note": row.reason,
            }
        )
    return DataFrame(records)
