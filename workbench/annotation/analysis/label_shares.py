"""The share of the answers of each language that has each label, as Chirkova et al. (2024), Table 8, counts errors.

An answer's labels are those that somebody decided on where people disagreed, else what the people who completed it say
most.  Under a taxonomy of several labels, an answer has a label that more than half of them gave; at exactly half that
label is a tie.  Under a taxonomy of one label, an answer has the one that most of them gave; where two are given
equally often, all its labels are ties.  A tie is neither a yes nor a no: it is left out of a label's n, and counted.

Intervals are those of `metrics.statistics.intervals` over questions, so several runs' answers to one question do not
count as independent.  The paper inspected 50 predictions per language and counted them; its counts are a reference.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.label_store import AdjudicationStore, LabelStore
from workbench.annotation.queue import ANSWER, QueueItem
from workbench.annotation.queue_store import QueueStore
from workbench.metrics import Interval, Score, influences, mean_interval, published_figures

if TYPE_CHECKING:
    from pandas import DataFrame

PAPER_TAXONOMY = "chirkova-table-8"
PAPER_TABLE = "chirkova2024.8"
INSPECTED = 50
"""Predictions that the paper inspected in each language."""
PAPER_ROWS: Mapping[str, str] = {
    "retrieval-lacks-answer": "system: Retrieved documents do not contain correct response",
    "wrong-answer": "system: Wrong response with correct retrieval",
    "names-in-english": "system: Correct response with named entities in English",
    "other-transliteration": "system: Correct response with different transliteration of named entities",
    "fluency": "system: Correct response with fluency issues",
    "irrelevant-text": "system: Extra generated irrelevant text",
    "ambiguous-over-time": "data: Ambiguous question (time-changing fact)",
    "ambiguous-otherwise": "data: Ambiguous question (other)",
    "typo-in-question": "data: Typo in question",
    "question-not-fluent": "data: Fluency error in question",
    "gold-incomplete": "data: Labels incomplete",
    "gold-wrong": "data: Wrong labels",
    "gold-in-english": "data: Labels in English",
}
"""The row of the table that a label is. Code switching has none: its row cannot be read in the paper's text."""

Origin = Literal["decision", "people"]


@dataclass(frozen=True, slots=True)
class FinalLabels:
    """The labels that an item's answer has in the end: `labels`, and `ties`, of which it is not known.

    `origin`: somebody decided, or the majority of `annotators` people, who may be one.
    """

    number: int
    language: str
    question: str
    labels: frozenset[str]
    ties: frozenset[str]
    origin: Origin
    annotators: int


@dataclass(frozen=True, slots=True)
class LabelShare:
    """How many of `n` answers of a language ("" for all) have a label, with the 95 % interval of that share.

    `ties` more answers are left out; `adjudicated` of the n were decided on. `paper` is the paper's count of
    `INSPECTED`, None where it has none.
    """

    label: str
    language: str
    count: int
    n: int
    share: Score
    interval: Interval | None
    ties: int
    adjudicated: int
    paper: int | None = None


def final_labels(
    queues: QueueStore, labels: LabelStore, decisions: AdjudicationStore, queue_id: str
) -> tuple[FinalLabels, ...]:
    """What each completed item of a queue has in the end, by number. Raises UsageError for an unknown queue."""
    queue = queues.queue(queue_id)
    taxonomy, items = queues.taxonomy_of(queue.id), {item.number: item for item in queues.items(queue.id)}
    sets = {
        (record.number, record.annotator): frozenset(record.labels)
        for record in labels.labels(queue.id)
        if record.showing == 1 and record.on == ANSWER
    }
    people: defaultdict[int, list[frozenset[str]]] = defaultdict(list)
    for number, annotator in sorted(queues.completed(queue.id)):
        people[number].append(sets.get((number, annotator), frozenset()))
    decided = {row.number: frozenset(row.labels) for row in decisions.decisions(queue.id) if row.on == ANSWER}
    return tuple(_final(taxonomy, items[number], votes, decided.get(number)) for number, votes in people.items())


def _final(
    taxonomy: Taxonomy, item: QueueItem, votes: Sequence[frozenset[str]], decision: frozenset[str] | None
) -> FinalLabels:
    question = f"{item.dataset}\n{item.question_name}"
    if decision is not None:
        return FinalLabels(item.number, item.language, question, decision, frozenset(), "decision", len(votes))
    labels, ties = majority(taxonomy, votes)
    return FinalLabels(item.number, item.language, question, labels, ties, "people", len(votes))


def majority(taxonomy: Taxonomy, votes: Sequence[frozenset[str]]) -> tuple[frozenset[str], frozenset[str]]:
    """The labels that most people gave, and those of which it is not known; `votes` are people's labels, one at least.

    Keys that the taxonomy does not have any more are left out.
    """
    keys = frozenset(taxonomy.keys)
    if taxonomy.several:
        counts = {key: 2 * sum(key in vote for vote in votes) for key in keys}
        return (
            frozenset(key for key, twice in counts.items() if twice > len(votes)),
            frozenset(key for key, twice in counts.items() if twice == len(votes)),
        )
    ranked = Counter(vote & keys for vote in votes).most_common(2)
    is_tie = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    return (frozenset(), keys) if is_tie else (ranked[0][0], frozenset())


def label_shares(taxonomy: Taxonomy, items: Iterable[FinalLabels]) -> tuple[LabelShare, ...]:
    """The share of each label in each language, all languages first, in the taxonomy's order."""
    rows = list(items)
    codes = sorted({item.language for item in rows})
    paper = paper_counts() if taxonomy.name == PAPER_TAXONOMY else {}
    return tuple(
        _share(label, code, [item for item in rows if code in ("", item.language)], paper.get((label, code)))
        for label in taxonomy.keys
        for code in ("", *codes)
    )


def _share(label: str, language: str, items: Sequence[FinalLabels], paper: int | None) -> LabelShare:
    known = [item for item in items if label not in item.ties]
    sums: defaultdict[str, float] = defaultdict(float)
    sizes: Counter[str] = Counter()
    for item in known:
        sums[item.question] += label in item.labels
        sizes[item.question] += 1
    interval = None
    if known:
        values = influences(np.array(list(sums.values())), np.array([float(sizes[name]) for name in sums]))
        interval = mean_interval(values)
    count = int(sum(sums.values()))
    return LabelShare(
        label=label,
        language=language,
        count=count,
        n=len(known),
        share=Score(count / len(known)) if known else Score(None, "No answer is labelled without a tie."),
        interval=interval,
        ties=len(items) - len(known),
        adjudicated=sum(item.origin == "decision" for item in known),
        paper=paper,
    )


def paper_counts() -> dict[tuple[str, str], int]:
    """The paper's counts by label and language."""
    rows = paper_rows()
    return {
        (label, language): int(value)
        for label, language, value in zip(rows["label"], rows["language"], rows["value"], strict=True)
    }


def paper_rows() -> DataFrame:
    """The paper's rows with our `label` for each, and `amount` as a share of the predictions inspected."""
    keys = {row: key for key, row in PAPER_ROWS.items()}
    rows = published_figures([PAPER_TABLE])
    rows = rows[rows["setting"].isin(list(keys))]
    return rows.assign(label=rows["setting"].map(keys), amount=rows["value"] / INSPECTED, scale="share")
