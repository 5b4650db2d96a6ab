"""“What went wrong” of all answers that the filters let through: proposing in the background, counts and agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING

import streamlit as st
from sqlalchemy import ColumnElement

from workbench.annotation import (
    TAXONOMY,
    ProposalJobs,
    ProposalStore,
    Taxonomy,
    labelled_cases,
    most_calls,
    people_counts,
    proposal_agreement,
    shipped_taxonomies,
)
from workbench.experiments import ResultView, recipe_in
from workbench.ui.dashboard import result_frames
from workbench.ui.diagnosis.proposal_view import WHAT_IT_IS, consent
from workbench.ui.parts import access, figure, job_card, safe_html
from workbench.ui.parts.agreement_table import agreement_table
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.chart_style import COLOURS, language_label
from workbench.ui.parts.folds import folded
from workbench.ui.parts.interval_chart import MarkStyle, interval_chart
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.verb_button import verb_button
from workbench.workspace import Job

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

RULES, PEOPLE = "by rules", "by people"
NONE = "No proposal"
Counts = Mapping[tuple[str, str], int]
"""How many, by label and language."""
KEY = "inspect_proposals"
ALL = "All languages"
HIDDEN = "People who label answers under Annotate do not see proposals, so that their labels are their own."
NOBODY = (
    "To see how far people agree with the rules, create a queue under Annotate with the taxonomy “What went wrong with "
    "this answer?” and label answers that have a proposal."
)


@folded("What went wrong, proposed", "troubleshoot", f"{KEY}_part")
def draw(view: ResultView, conditions: Sequence[ColumnElement[bool]], count: int) -> None:
    """The proposals for the answers of a view that meet conditions, `count` of them."""
    if not count:
        return
    st.caption(f"{WHAT_IT_IS} {HIDDEN}")
    jobs = ProposalJobs(access.workbench().settings)
    batch = jobs.batch()
    if batch is not None and batch.active:
        job_card.draw(jobs, batch, JobWords(KEY, progress_words))
    else:
        _start(view, conditions, count, batch)
    _results(view, conditions)


def _start(view: ResultView, conditions: Sequence[ColumnElement[bool]], count: int, batch: Job | None) -> None:
    """The button that begins a batch, with what it may send; and how the last one ended."""
    if batch is not None and batch.error:
        safe_html.message(batch.error, "error")
    recipes = [recipe for run in view.runs() if (recipe := recipe_in(run))]
    registry = access.workbench().registry
    hosts = tuple(dict.fromkeys(host for recipe in recipes for host in registry.hosts(recipe)))
    sends = consent(hosts, count * max(map(most_calls, recipes), default=0), f"{KEY}_sends")
    words = f"Propose for these {count:,} answers" if count > 1 else "Propose for this answer"
    help_ = "Those that have a proposal are kept."
    if verb_button(words, "proposals.run", key=f"{KEY}_start", icon="play_circle", help=help_):
        with access.guarded():
            answers = [instance.answer for instance in view.instances(limit=count, conditions=conditions)]
            ProposalJobs(access.workbench().settings).start(answers, sends=sends)
            st.rerun()


def progress_words(job: Job) -> str:
    """How far a batch is, as a sentence."""
    ending = " · stopping after this answer" if job.stop else ""
    return f"{job.done:,} of {job.total:,} answers have a proposal{ending}"


def _results(view: ResultView, conditions: Sequence[ColumnElement[bool]]) -> None:
    """The figure with its table and file, and the agreement with people."""
    rules = ProposalStore(result_frames.store()).counts(view.filter, conditions)
    if not rules:
        safe_html.message("None of these answers has a proposal yet.")
        return
    taxonomy = next(item for item in shipped_taxonomies() if item.name == TAXONOMY)
    cases = labelled_cases(result_frames.store(), view.filter, conditions)
    rows = proposal_rows(rules, people_counts(cases), taxonomy)
    codes = sorted(set(rows["language"]))
    language: str = st.selectbox(
        "Language of the questions", ["", *codes], key=f"{KEY}_language", format_func=_language_words
    )
    figure.draw(proposal_chart(rows, language), rows.drop(columns="key"), "proposals", (language, rules, len(cases)))
    agreement = proposal_agreement(cases)
    if not agreement or not agreement[0].n:
        safe_html.message(NOBODY)
        return
    st.markdown(
        "**Agreement of proposals with people** · with 95 % intervals over answers; each person’s label counts."
    )
    agreement_table(agreement, taxonomy, f"{KEY}_agreement")


def proposal_rows(rules: Counts, people: Counts, taxonomy: Taxonomy) -> DataFrame:
    """One row per label, language and source, as the figure, the table and the file have them."""
    from pandas import DataFrame

    order = {key: index for index, key in enumerate((*taxonomy.keys, ""))}
    rows = [
        {"label": taxonomy.label(key).name if key else NONE, "key": key, "language": code, "by": by, "answers": count}
        for by, counts in ((RULES, rules), (PEOPLE, people))
        for (key, code), count in counts.items()
        if key in order
    ]
    rows.sort(key=lambda row: (order[str(row["key"])], row["language"], row["by"] == PEOPLE))
    return DataFrame(rows, columns=["label", "key", "language", "by", "answers"])


def proposal_chart(rows: DataFrame, language: str = "") -> Figure:
    """Both counts of each label, in one language or, where it is "", in all; `rows` as `proposal_rows` has them."""
    selected = rows[rows["language"] == language] if language else rows
    sums = {by: int(selected[selected["by"] == by]["answers"].sum()) for by in (RULES, PEOPLE)}
    counts = selected.groupby(["label", "by"], sort=False)[["answers"]].sum().reset_index()
    return interval_chart(
        counts.rename(columns={"by": "group", "answers": "value"}).assign(low=nan, high=nan, n=counts["by"].map(sums)),
        "What went wrong: proposals next to people’s labels",
        f"{language_label(language) if language else 'all languages'} · {sums[RULES]:,} proposals, "
        f"{sums[PEOPLE]:,} labels",
        "answers",
        marks={RULES: MarkStyle(COLOURS[0]), PEOPLE: MarkStyle(COLOURS[1], "diamond")},
        number=",.0f",
        empty="No answer of these filters has a proposal yet.",
    )


def _language_words(code: str) -> str:
    return language_option(code) if code else ALL
