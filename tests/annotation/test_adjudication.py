"""Decisions where people disagree, and what the answers have in the end."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest

from tests.annotation.material import LABELS, SEVERAL, SINGLE, add_answers
from workbench.annotation.analysis.agreement import agreement
from workbench.annotation.analysis.label_shares import (
    PAPER_ROWS,
    PAPER_TAXONOMY,
    FinalLabels,
    final_labels,
    label_shares,
    majority,
)
from workbench.annotation.error_taxonomy import shipped_taxonomies
from workbench.annotation.files.decision_files import decision_file, decision_rows
from workbench.annotation.label_store import NOTE_LIMIT, AdjudicationCount, AdjudicationStore, LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.core.errors import UsageError
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace.permissions import Actor, NotAllowed, Role, acting_as

GOOD, BAD = frozenset({"good"}), frozenset({"bad"})


def say(store: ResultStore, queue: AnnotationQueue, number: int, **labels: list[str]) -> None:
    """People complete an item with these labels."""
    item = QueueStore(store).item(queue.id, number)
    for person, keys in labels.items():
        LabelStore(store).save(item, person, keys)
        LabelStore(store).complete(item, person)


@pytest.fixture
def decisions(store: ResultStore) -> AdjudicationStore:
    return AdjudicationStore(store)


@pytest.fixture
def disputed(store: ResultStore, queue: AnnotationQueue) -> AnnotationQueue:
    """Two people disagree on items 1 and 2, agree on 3, and one has completed 4."""
    say(store, queue, 1, Anna=["good"], Bela=["bad"])
    say(store, queue, 2, Anna=["good", "odd"], Bela=["good"])
    say(store, queue, 3, Anna=["odd", "good"], Bela=["good", "odd"])
    say(store, queue, 4, Anna=["bad"])
    return queue


def test_the_list_has_what_two_people_completed_and_labelled_differently(
    decisions: AdjudicationStore, disputed: AnnotationQueue
) -> None:
    rows = decisions.disagreements(disputed.id)
    assert [(row.item.number, row.on) for row in rows] == [(1, "answer"), (2, "answer")]
    assert rows[0].labels == {"Anna": ("good",), "Bela": ("bad",)}


def test_a_decision_settles_a_disagreement_and_is_counted_by_its_reason(
    decisions: AdjudicationStore, disputed: AnnotationQueue
) -> None:
    first, second = decisions.disagreements(disputed.id)
    decisions.decide(first.item, "answer", ["bad"], "guideline", "Chris", "see rule 3")
    assert AdjudicationCount.of(decisions.disagreements(disputed.id)) == AdjudicationCount(2, 1, {"guideline": 1})
    decisions.decide(second.item, "answer", ["good"], "annotator", "Chris")
    counts = AdjudicationCount.of(decisions.disagreements(disputed.id))
    assert (counts.settled, counts.reasons) == (2, {"guideline": 1, "annotator": 1})


def test_a_later_decision_counts_and_the_earlier_one_stays(
    decisions: AdjudicationStore, disputed: AnnotationQueue
) -> None:
    item = decisions.disagreements(disputed.id)[0].item
    decisions.decide(item, "answer", ["bad"], "guideline", "Chris")
    decisions.decide(item, "answer", ["good"], "text", "Dora")
    assert [row.labels for row in decisions.decisions(disputed.id)] == [("good",)]
    assert [row.adjudicator for row in decisions.history(disputed.id)] == ["Chris", "Dora"]


def test_the_same_decision_again_stores_nothing(decisions: AdjudicationStore, disputed: AnnotationQueue) -> None:
    item = decisions.disagreements(disputed.id)[0].item
    first = decisions.decide(item, "answer", ["bad"], "text", "Chris")
    assert decisions.decide(item, "answer", ["bad"], "text", "Chris") == first
    assert len(decisions.history(disputed.id)) == 1


@pytest.mark.parametrize(
    ("number", "labels", "reason", "person", "sentence"),
    [
        (3, ["good"], "text", "Chris", "People do not disagree on item 3"),
        (1, ["terrible"], "text", "Chris", "Unknown label “terrible”"),
        (1, ["good"], "mood", "Chris", "Unknown reason “mood”. Allowed: annotator, guideline, text"),
        (1, ["good"], "text", " ", "cannot be the name of the adjudicator"),
    ],
)
def test_what_cannot_be_decided_is_refused_and_nothing_is_stored(
    number: int,
    labels: list[str],
    reason: str,
    person: str,
    sentence: str,
    queues: QueueStore,
    decisions: AdjudicationStore,
    disputed: AnnotationQueue,
) -> None:
    with pytest.raises(UsageError, match=sentence):
        decisions.decide(queues.item(disputed.id, number), "answer", labels, reason, person)
    assert not decisions.history(disputed.id)


def test_a_decision_is_open_again_where_a_newer_version_changes_its_label(
    queues: QueueStore, decisions: AdjudicationStore, disputed: AnnotationQueue
) -> None:
    first, second = decisions.disagreements(disputed.id)
    decisions.decide(first.item, "answer", ["bad"], "text", "Chris")
    decisions.decide(second.item, "answer", ["good"], "text", "Chris")
    changed = (replace(LABELS[0], definition="It is right."), *LABELS[1:])
    queues.use_version(disputed.id, replace(SEVERAL, version=2, labels=changed))
    assert [row.number for row in decisions.decisions(disputed.id)] == [1]


def test_agreement_is_that_of_before_the_decisions(
    queues: QueueStore, labels: LabelStore, decisions: AdjudicationStore, disputed: AnnotationQueue
) -> None:
    before = agreement(queues, labels, disputed.id)
    for row in decisions.disagreements(disputed.id):
        decisions.decide(row.item, row.on, ["good"], "text", "Chris")
    assert agreement(queues, labels, disputed.id) == before


def test_decisions_go_out_with_their_history_and_with_what_is_left(
    store: ResultStore, decisions: AdjudicationStore, disputed: AnnotationQueue
) -> None:
    item = decisions.disagreements(disputed.id)[0].item
    decisions.decide(item, "answer", ["bad"], "guideline", "Chris", "=1+1")
    decisions.decide(item, "answer", ["good"], "text", "Chris")
    rows = decision_rows(store, disputed)
    assert [(row["item"], row["labels"], row["current"]) for row in rows] == [
        (1, ["bad"], False),
        (1, ["good"], True),
        (2, None, False),
    ]
    lines = [json.loads(line) for line in decision_file(store, disputed, "jsonl").splitlines()]
    assert lines == rows
    cells = list(csv.DictReader(decision_file(store, disputed, "csv").decode("utf-8-sig").splitlines()))
    assert [cell["note"] for cell in cells] == ["'=1+1", "", ""]


def test_decisions_are_exported_by_those_who_may_export_labels(store: ResultStore, disputed: AnnotationQueue) -> None:
    with acting_as(Actor("Nina", Role.ANNOTATOR)), pytest.raises(NotAllowed, match="analyst"):
        decision_file(store, disputed, "csv")


def test_final_labels_are_the_decision_else_what_most_people_say(
    queues: QueueStore, labels: LabelStore, decisions: AdjudicationStore, disputed: AnnotationQueue
) -> None:
    decisions.decide(decisions.disagreements(disputed.id)[0].item, "answer", ["bad"], "text", "Chris")
    finals = {item.number: item for item in final_labels(queues, labels, decisions, disputed.id)}
    assert (finals[1].labels, finals[1].origin) == (BAD, "decision")
    assert (finals[2].labels, finals[2].ties) == (GOOD, frozenset({"odd"}))
    assert (finals[4].labels, finals[4].annotators) == (BAD, 1)


@pytest.mark.parametrize(
    ("votes", "labels", "ties"),
    [
        ([GOOD, GOOD, BAD], GOOD, frozenset()),
        ([GOOD, BAD], frozenset(), frozenset({"good", "bad", "odd"})),
        ([GOOD, BAD, frozenset()], frozenset(), frozenset({"good", "bad", "odd"})),
        ([frozenset()], frozenset(), frozenset()),
    ],
)
def test_most_votes_decide_where_one_label_is_allowed(
    votes: list[frozenset[str]], labels: frozenset[str], ties: frozenset[str]
) -> None:
    assert majority(SINGLE, votes) == (labels, ties)


def final(number: int, question: str, labels: frozenset[str], ties: frozenset[str] = frozenset()) -> FinalLabels:
    return FinalLabels(number, "fi", question, labels, ties, "people", 2)


def test_a_share_has_its_n_without_ties() -> None:
    rows = [final(1, "a", GOOD), final(2, "b", BAD), final(3, "c", BAD, frozenset({"good"}))]
    share = next(row for row in label_shares(SEVERAL, rows) if (row.label, row.language) == ("good", "fi"))
    assert (share.count, share.n, share.ties, share.share.value) == (1, 2, 1, 0.5)


def test_answers_to_one_question_do_not_narrow_the_interval_of_a_share() -> None:
    few = [final(number, str(number), GOOD if number % 2 else BAD) for number in range(10)]
    many = [replace(row, number=row.number + 10 * copy) for copy in range(4) for row in few]
    once, four_times = (label_shares(SEVERAL, rows)[0] for rows in (few, many))
    assert four_times.n == 40
    assert once.interval == four_times.interval


def test_the_papers_rows_are_labels_of_the_taxonomy_after_it() -> None:
    taxonomy = next(item for item in shipped_taxonomies() if item.name == PAPER_TAXONOMY)
    assert set(PAPER_ROWS) == set(taxonomy.keys) - {"code-switching", "right-other-language"}


def test_the_papers_counts_are_next_to_ours_where_language_and_label_exist(store: ResultStore) -> None:
    taxonomy = next(item for item in shipped_taxonomies() if item.name == PAPER_TAXONOMY)
    queues, labels = QueueStore(store), LabelStore(store)
    queue = queues.create("Table", taxonomy, add_answers(store), per_language=1)
    for item in queues.items(queue.id):
        labels.save(item, "Anna", ["wrong-answer"])
        labels.complete(item, "Anna")
    rows = label_shares(taxonomy, final_labels(queues, labels, AdjudicationStore(store), queue.id))
    printed = {(row.label, row.language): row.paper for row in rows if row.paper is not None}
    assert (printed["wrong-answer", "zh"], printed["retrieval-lacks-answer", "ru"]) == (7, 4)
    assert {language for _, language in printed} == {"fr", "ru", "zh"}


def test_deleting_a_queue_deletes_what_was_said_in_it_and_nothing_else(
    store: ResultStore, queues: QueueStore, decisions: AdjudicationStore, disputed: AnnotationQueue
) -> None:
    other = queues.create("Other", SEVERAL, add_answers(store), per_language=1)
    say(store, other, 1, Anna=["good"])
    decisions.decide(decisions.disagreements(disputed.id)[0].item, "answer", ["bad"], "text", "Chris")
    assert queues.delete(disputed.id) == 4
    assert [queue.name for queue in queues.queues()] == ["Other"]
    assert not decisions.history(disputed.id) and not LabelStore(store).labels(disputed.id)
    assert len(LabelStore(store).labels(other.id)) == 1 and len(queues.items(other.id)) == 13


def test_what_a_newer_version_would_reopen_is_counted_without_using_it(
    queues: QueueStore, disputed: AnnotationQueue
) -> None:
    newer = replace(SEVERAL, version=2, labels=(replace(LABELS[1], definition="It is wrong."), *LABELS[2:]))
    assert queues.reopened_by(disputed.id, newer) == 7
    assert queues.queue(disputed.id).version == 1
    with pytest.raises(UsageError, match="uses version 1"):
        queues.reopened_by(disputed.id, replace(SEVERAL, version=0))


def test_completing_an_item_again_confirms_its_labels_under_the_newer_version(
    queues: QueueStore, labels: LabelStore, disputed: AnnotationQueue
) -> None:
    newer = replace(SEVERAL, version=2, labels=(LABELS[0], replace(LABELS[1], definition="It is wrong."), LABELS[2]))
    assert queues.use_version(disputed.id, newer) == 2
    labels.complete(queues.item(disputed.id, 4), "Anna")
    assert [record.number for record in labels.to_review(disputed.id)] == [1]


def test_a_note_that_is_too_long_and_another_format_are_refused(
    store: ResultStore, decisions: AdjudicationStore, disputed: AnnotationQueue
) -> None:
    item = decisions.disagreements(disputed.id)[0].item
    with pytest.raises(UsageError, match=f"The note has {NOTE_LIMIT + 1:,} characters: shorten it to {NOTE_LIMIT:,}"):
        decisions.decide(item, "answer", ["bad"], "text", "Chris", "x" * (NOTE_LIMIT + 1))
    assert decisions.history(disputed.id) == ()
    with pytest.raises(UsageError, match="Unknown format of decisions “xlsx”. Allowed: csv, "):  # noqa: RUF043
        decision_file(store, disputed, "xlsx")


def test_a_queue_that_was_deleted_meanwhile_is_named(decisions: AdjudicationStore) -> None:
    with pytest.raises(UsageError, match="There is no queue with the id “gone”: choose one from the list"):
        decisions.disagreements("gone")
