"""Which metric and which judge to trust, by language: how well each tells what people labelled right from wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

import streamlit as st

from workbench.annotation import (
    LEAST_LABELLED,
    LEAST_OF_EACH,
    AnnotationQueue,
    LabelledScores,
    MetricTrust,
    metric_trust,
    taxonomies,
)
from workbench.languages import is_known, language
from workbench.metrics import metric_help, metric_in
from workbench.ui.annotate.measures import judge_correction_view, judge_language_view
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import access, figure, safe_html
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.interval_chart import NOTHING_STATED, interval_chart, long_rows

if TYPE_CHECKING:
    from pandas import DataFrame

LANGUAGE = "inspect_trust_language"
FIGURES = ("auc", "tau_b", "point_biserial", "kappa")
NO_VALUES = (
    "The labels of this taxonomy do not say which answers are right: write “value: 1” under those of right answers and "
    "“value: 0” under those of wrong ones in its file, and raise its version."
)


def draw(queue: AnnotationQueue) -> None:
    """The folded part of the page; computed only while it is open."""
    with st.expander(
        "Metrics and judges against people", icon=":material/balance:", key="inspect_trust", on_change="rerun"
    ) as part:
        if not part.open:
            return
        scores = LabelledScores(result_frames.store(), queue, taxonomies(access.workbench().settings.home))
        if problem := _problem(scores):
            safe_html.message(problem)
            return
        rows = metric_trust(scores)
        _trust(queue, rows)
        judge_correction_view.draw(queue, scores)
        judge_language_view.draw(queue, scores)


def trust_words(rows: Sequence[MetricTrust], language_code: str) -> str:
    """Which metrics to trust in a language, "" for all of them, in a sentence."""
    where = language(language_code).name if is_known(language_code) else language_code or "all languages together"
    names = [row.metric for row in rows if row.trusted]
    if names:
        others = "" if len(names) == 1 else "; these labels do not tell them apart"
        return f"To trust for {where}: {', '.join(names)}{others}."
    if any(row.auc.value is not None for row in rows):
        return f"For {where} no metric tells right from wrong better than chance, as far as these labels show."
    return (
        f"For {where} nothing can be stated yet: at least {LEAST_LABELLED} answers must be labelled and scored, "
        f"{LEAST_OF_EACH} of them right and {LEAST_OF_EACH} wrong."
    )


def trust_frame(rows: Sequence[MetricTrust]) -> DataFrame:
    """A row per metric with its counts, its figures with their intervals, and why there are none."""
    from pandas import DataFrame

    records = []
    for row in rows:
        record: dict[str, object] = {
            "name": row.metric,
            "language": row.language or "all",
            "kind": "judge" if metric_in(row.metric) else "metric",
            "n": row.n,
            "right": row.right,
            "wrong": row.wrong,
            "unscored": row.unscored,
            "trusted": row.trusted,
        }
        for name in FIGURES:
            record.update(zip((name, f"{name}_low", f"{name}_high"), astuple(getattr(row, name)), strict=True))
        records.append({**record, "note": row.reason, "measures": metric_help(row.metric)})
    return DataFrame(records)


def _problem(scores: LabelledScores) -> str:
    if not scores.taxonomy.has_values:
        return NO_VALUES
    if not scores.metrics:
        return "The runs of this queue are no longer among the results, or no metric was computed for them."
    if not any(item.mark is not None for item in scores.labelled):
        return (
            f"Metrics and judges are compared with people once answers are labelled: from {LEAST_LABELLED} answers of "
            f"a language on, {LEAST_OF_EACH} of them right and {LEAST_OF_EACH} wrong. None is complete yet."
        )
    return ""


def _trust(queue: AnnotationQueue, rows: Sequence[MetricTrust]) -> None:
    codes = list(dict.fromkeys(row.language for row in rows))
    if st.session_state.get(LANGUAGE) not in codes:
        st.session_state[LANGUAGE] = codes[0]
    code = st.selectbox(
        "Language of the answers",
        codes,
        key=LANGUAGE,
        format_func=lambda item: language_option(item) if item else "All languages",
        help="A metric may be good in one language and useless in another.",
    )
    part = [row for row in rows if row.language == code]
    safe_html.message(trust_words(part, code))
    frame = trust_frame(part)
    chart = interval_chart(
        long_rows(frame, {"auc": "AUC"}),
        "Which metric tells right from wrong?",
        f"0.5 is chance; 95 % intervals over questions; n = {max((row.n for row in part), default=0):,} at most",
        "AUC",
        reference=0.5,
        number=".2f",
        empty=NOTHING_STATED,
    )
    figure.draw(chart, frame, "trusted-metrics", (queue.id, code, [row.auc.value for row in part]))
