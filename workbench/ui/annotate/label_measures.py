"""What labels say about metrics, about judges and about the labels themselves: charts, tables and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields, is_dataclass
from typing import TYPE_CHECKING

import streamlit as st

from workbench.annotation import (
    LEAST_LABELLED,
    LEAST_MERGED,
    LEAST_OF_EACH,
    AnnotationQueue,
    JudgeCorrection,
    LabelledScores,
    LabelMerging,
    LabelPair,
    LabelStore,
    MetricTrust,
    QueueStore,
    Taxonomy,
    check_sample,
    judge_corrections,
    label_merging,
    metric_trust,
    taxonomies,
)
from workbench.experiments import Filter, JudgeLanguages, judge_languages
from workbench.languages import is_known, language
from workbench.metrics import LABELS_AT_LEAST, AssociationFigure, metric_help, metric_in, scale_of
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import access, figure, safe_html
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.chart_style import language_label
from workbench.ui.parts.folds import folded
from workbench.ui.parts.interval_chart import NOTHING_STATED, interval_chart, long_rows

if TYPE_CHECKING:
    from pandas import DataFrame


CORRECTION_METRIC = "inspect_correction_metric"
CORRECTION_SERIES = {"corrected": "judge and labels together", "labels": "labels alone"}
CORRECTION_FIGURES = {
    "judge_mean": "judge_mean",
    "corrected": "value",
    "corrected_low": "low",
    "corrected_high": "high",
    "labels": "labels_mean",
    "labels_low": "labels_low",
    "labels_high": "labels_high",
    "power": "power",
}
"""The columns of a corrected mean, and the fields that they are."""


def draw_corrections(queue: AnnotationQueue, scores: LabelledScores) -> None:
    """The controls, the sentence, the chart and the files."""
    st.markdown("**What people would say of all answers** · a judge's marks, corrected by the labelled sample.")
    names = sorted(scores.metrics, key=lambda name: not metric_in(name))
    if st.session_state.get(CORRECTION_METRIC) not in names:
        st.session_state[CORRECTION_METRIC] = names[0]
    metric = st.selectbox(
        "Judge or metric",
        names,
        key=CORRECTION_METRIC,
        help="Its scores for all answers are corrected by people's labels for a random sample (prediction-powered "
        "inference). The better it agrees with people, the shorter the interval.",
    )
    store = result_frames.store()
    rows = judge_corrections(scores, metric, check_sample(store, queue, list(scores.runs)))
    if problem := correction_problem(rows):
        safe_html.message(problem)
        return
    frame = correction_frame(rows)
    chart = interval_chart(
        long_rows(frame, CORRECTION_SERIES),
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
        f"A judge can be corrected once one language has at least {LABELS_AT_LEAST} labelled and scored answers; "
        f"the most in one language is {most:,}. {reasons[0] if most >= LABELS_AT_LEAST else ''}"
    ).strip()


def correction_frame(rows: Sequence[JudgeCorrection]) -> DataFrame:
    """A row per language with the judge's plain mean, the corrected one and that of the labels alone."""
    from pandas import DataFrame

    records = []
    for row in rows:
        means = {column: getattr(row.mean, name, None) for column, name in CORRECTION_FIGURES.items()}
        records.append({**_record(row, _language_name(row.language)), "n": row.labelled, **means})
    return DataFrame(records)


JUDGE_METRIC = "inspect_judge_languages"
JUDGE_SERIES = {"answer": "asked in the answer's language", "english": "asked in English"}


def draw_judge_languages(queue: AnnotationQueue, scores: LabelledScores) -> None:
    """The chart and its table, for results that have both; nothing for others."""
    rows = judge_languages(result_frames.result_view(Filter(runs=tuple(scores.runs))))
    if not rows:
        return
    st.markdown("**One judge, asked in two languages** · over the answers that it scored in both.")
    names = list(dict.fromkeys(row.metric for row in rows))
    if st.session_state.get(JUDGE_METRIC) not in names:
        st.session_state[JUDGE_METRIC] = names[0]
    metric = st.selectbox("Judged metric", names, key=JUDGE_METRIC, help="Its prompts were sent in both languages.")
    frame = judge_language_frame([row for row in rows if row.metric == metric])
    chart = interval_chart(
        long_rows(frame, JUDGE_SERIES),
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

    return DataFrame([_record(row, _language_name(row.language)) for row in rows])


TRUST_LANGUAGE = "inspect_trust_language"
NO_VALUES = (
    "The labels of this taxonomy do not say which answers are right: write “value: 1” under those of right answers and "
    "“value: 0” under those of wrong ones in its file, and raise its version."
)


@folded("Metrics and judges against people", "balance", "inspect_trust")
def draw_trust(queue: AnnotationQueue) -> None:
    """What people's labels say about metrics and judges."""
    scores = LabelledScores(result_frames.store(), queue, taxonomies(access.workbench().settings.home))
    if problem := _problem(scores):
        safe_html.message(problem)
        return
    rows = metric_trust(scores)
    _trust(queue, rows)
    draw_corrections(queue, scores)
    draw_judge_languages(queue, scores)


def trust_words(rows: Sequence[MetricTrust], language_code: str) -> str:
    """Which metrics to trust in a language, "" for all of them, in a sentence."""
    where = language(language_code).name if is_known(language_code) else language_code or "all languages together"
    names = [row.metric for row in rows if row.trusted]
    if names:
        others = "" if len(names) == 1 else "; these labels do not tell them apart"
        return f"Most reliable for {where}: {', '.join(names)}{others}."
    if any(row.auc.value is not None for row in rows):
        return f"For {where} no metric tells right from wrong better than chance, as far as these labels show."
    return (
        f"For {where} nothing can be stated yet: at least {LEAST_LABELLED} answers must be labelled and scored, "
        f"{LEAST_OF_EACH} of them right and {LEAST_OF_EACH} wrong."
    )


def trust_frame(rows: Sequence[MetricTrust]) -> DataFrame:
    """A row per metric with its counts, its figures with their intervals, and why there are none."""
    from pandas import DataFrame

    kinds = ["judge" if metric_in(row.metric) else "metric" for row in rows]
    helps = [metric_help(row.metric) for row in rows]
    return DataFrame([_record(row, row.metric) for row in rows]).assign(kind=kinds, measures=helps)


def _problem(scores: LabelledScores) -> str:
    if not scores.taxonomy.has_values:
        return NO_VALUES
    if not scores.metrics:
        return "The runs of this queue are no longer among the results, or no metric was computed for them."
    if not any(item.mark is not None for item in scores.labelled):
        return (
            f"Metrics and judges are compared with people once one language has at least {LEAST_LABELLED} labelled "
            f"answers, {LEAST_OF_EACH} of them right and {LEAST_OF_EACH} wrong. None is complete yet."
        )
    return ""


def _trust(queue: AnnotationQueue, rows: Sequence[MetricTrust]) -> None:
    codes = list(dict.fromkeys(row.language for row in rows))
    code = choose_language(TRUST_LANGUAGE, codes, "A metric may be good in one language and useless in another.")
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


MERGING_LANGUAGE = "inspect_merging_language"
MERGING_SERIES = {"before": "α as it is", "after": "α with both as one label"}
ADVICE = (
    "Merge two labels if nobody needs their difference; otherwise define them better. A higher α alone is no reason: "
    "fewer labels are easier to agree on (docs/annotation.md)."
)


@folded("Labels that people confuse", "merge", "inspect_merging")
def draw_merging(queue: AnnotationQueue) -> None:
    """What people's labels say about the labels."""
    store = result_frames.store()
    queues = QueueStore(store)
    codes = ["", *sorted({item.language for item in queues.items(queue.id)})]
    code = choose_language(MERGING_LANGUAGE, codes, "A definition may be clear in one language and not in another.")
    result = label_merging(queues, LabelStore(store), queue.id, code)
    taxonomy = queues.taxonomy_of(queue.id)
    safe_html.message(merging_words(result, taxonomy))
    if not result.pairs:
        return
    frame = merging_frame(result.pairs, taxonomy)
    chart = interval_chart(
        long_rows(frame, MERGING_SERIES),
        "Would people agree more with one label instead of two?",
        f"95 % intervals; n = {result.n:,} answers labelled by two or more",
        "Krippendorff's α",
        number=".2f",
        empty=NOTHING_STATED,
    )
    figure.draw(chart, frame, "label-merging", (queue.id, code, [astuple(row.after) for row in result.pairs]))


def merging_words(result: LabelMerging, taxonomy: Taxonomy) -> str:
    """What the exchanges say, in a few sentences."""
    if not result.n:
        return f"This needs at least {LEAST_MERGED} answers that two people have completed. There are none yet."
    if not result.pairs:
        return f"Nobody confused two labels on the {result.n:,} answers that two people or more completed."
    first = result.pairs[0]
    names = [taxonomy.label(key).name for key in (first.first, first.second)]
    words = (
        f"Most often confused: “{names[0]}” and “{names[1]}”, on {first.exchanged:,} of the {first.together:,} "
        "answers that got one of them from somebody."
    )
    few = f" α needs at least {LEAST_MERGED} such answers; there are {result.n:,}." if result.n < LEAST_MERGED else ""
    return f"{words}{few} {ADVICE}"


def merging_frame(rows: Sequence[LabelPair], taxonomy: Taxonomy) -> DataFrame:
    """A row per pair of labels with its exchanges, and α before and after with the change."""
    from pandas import DataFrame

    names = [" / ".join(taxonomy.label(key).name for key in (row.first, row.second)) for row in rows]
    return DataFrame([_record(row, name) for row, name in zip(rows, names, strict=True)])


def _record(row: MetricTrust | JudgeCorrection | JudgeLanguages | LabelPair, name: str) -> dict[str, object]:
    """The fields of a row under its `name`, a figure with its interval as three columns."""
    record: dict[str, object] = {"name": name}
    for field in fields(row):
        value = getattr(row, field.name)
        if isinstance(value, AssociationFigure):
            columns = (field.name, f"{field.name}_low", f"{field.name}_high")
            record |= zip(columns, astuple(value), strict=True)
        elif not is_dataclass(value):
            record[field.name] = (value or "all") if field.name == "language" else value
    return record


def _language_name(code: str) -> str:
    return language_label(code) if code else "All languages"


def choose_language(key: str, codes: Sequence[str], help_text: str | None = None) -> str:
    """The control for one of the languages of the answers; "" is all of them."""
    if st.session_state.get(key) not in codes:
        st.session_state[key] = codes[0]
    code: str = st.selectbox(
        "Language of the answers",
        codes,
        key=key,
        format_func=lambda item: language_option(item) if item else "All languages",
        help=help_text,
    )
    return code
