"""Proposals are stored one by one, outlive a kill, are no labels, and are compared with those of people."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import delete, update

from tests.annotation.diagnosis.conftest import Pairs, with_answer
from tests.jobs.waiting import work_on
from workbench.annotation.diagnosis.diagnosing import Diagnosing, ProposalJobs, propose_for
from workbench.annotation.diagnosis.proposal import (
    TAXONOMY,
    CaseTrial,
    Proposal,
    ProposalStore,
    labelled_cases,
    people_counts,
    proposal_agreement,
)
from workbench.annotation.error_taxonomy import taxonomy
from workbench.annotation.files.label_files import export_labels
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.app.workbench import Workbench
from workbench.core.stopping import JobStopped
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace.annotation_tables import proposals as table

PROPOSAL = Proposal(
    "reader-error",
    ("A sentence, “quoted”.",),
    (CaseTrial("left-out", "Без документа", "หอ", "th", True, "", "p1"),),
    thorough=True,
)


@pytest.fixture
def results(planted_bench: tuple[Workbench, Pairs]) -> Iterator[ResultStore]:
    """The results of the planted workspace, without proposals before and after."""
    store = ResultStore.at(planted_bench[0].settings.database_url)
    yield store
    with store.engine.begin() as connection:
        connection.execute(delete(table))


@pytest.fixture
def items(planted_bench: tuple[Workbench, Pairs]) -> list[Instance]:
    """The imported answers of the planted workspace."""
    return [item for case, item in planted_bench[1] if case.answer]


@pytest.fixture
def queue(planted_bench: tuple[Workbench, Pairs], results: ResultStore, items: list[Instance]) -> AnnotationQueue:
    """A queue of all imported answers under the taxonomy of proposals."""
    definition = taxonomy(TAXONOMY, planted_bench[0].settings.home)
    name = f"Causes {len(QueueStore(results).queues())}"
    return QueueStore(results).create(name, definition, [items[0].run.id], per_language=50, annotators_per_item=2)


def test_a_proposal_is_read_as_it_was_stored(results: ResultStore, items: list[Instance]) -> None:
    ProposalStore(results).save(items[0], PROPOSAL)
    assert ProposalStore(results).of(items[0]) == PROPOSAL


def test_a_newer_proposal_replaces_an_older_one(results: ResultStore, items: list[Instance]) -> None:
    store = ProposalStore(results)
    store.save(items[0], PROPOSAL)
    store.save(items[0], replace(PROPOSAL, label="format"))
    proposal = store.of(items[0])
    assert proposal and proposal.label == "format"
    assert sum(store.counts(Filter()).values()) == 1


def test_a_proposal_for_another_text_of_the_answer_does_not_count(results: ResultStore, items: list[Instance]) -> None:
    ProposalStore(results).save(with_answer(items[0], "Another text"), PROPOSAL)
    assert ProposalStore(results).of(items[0]) is None
    assert ProposalStore(results).missing(items[:1]) == items[:1]


def test_a_proposal_of_older_rules_is_made_anew(results: ResultStore, items: list[Instance]) -> None:
    store = ProposalStore(results)
    store.save(items[0], PROPOSAL)
    with results.engine.begin() as connection:
        connection.execute(update(table).values(rules=0))
    assert store.of(items[0]) is None
    assert store.missing(items[:1]) == items[:1]


def test_proposals_of_a_deleted_experiment_are_dropped(results: ResultStore, items: list[Instance]) -> None:
    store = ProposalStore(results)
    store.save(items[0], PROPOSAL)
    store.save(replace(items[1], run=replace(items[1].run, experiment_id="gone")), PROPOSAL)
    assert store.drop_orphans() == 1
    assert store.of(items[0]) == PROPOSAL


def test_counts_are_those_of_the_filter(results: ResultStore, items: list[Instance]) -> None:
    store = ProposalStore(results)
    for item in items[:6]:
        store.save(item, PROPOSAL)
    code = items[0].language
    expected = sum(item.language == code for item in items[:6])
    assert store.counts(Filter(languages=(code,))) == {("reader-error", code): expected}


def test_what_is_done_survives_a_stop_and_the_next_batch_goes_on(
    planted_bench: tuple[Workbench, Pairs], results: ResultStore, items: list[Instance]
) -> None:
    workbench, stop = planted_bench[0], Event()
    seen: list[tuple[int, int]] = []

    def after(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 3:
            stop.set()

    with pytest.raises(JobStopped):
        propose_for(workbench, items, sends=False, on_progress=after, stop=stop)
    assert seen == [(done, len(items)) for done in (1, 2, 3)]
    seen.clear()
    propose_for(workbench, items, sends=False, on_progress=after)
    assert (seen[0][0], seen[-1][0]) == (4, len(items))
    assert ProposalStore(results).missing(items) == []


def test_a_batch_that_fails_reports_why_and_keeps_what_is_done(
    planted_bench: tuple[Workbench, Pairs], results: ResultStore, items: list[Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(diagnosing: Diagnosing, item: Instance) -> Proposal:
        if item == items[1]:
            raise OSError("the disk is full")
        return PROPOSAL

    monkeypatch.setattr(Diagnosing, "propose", fail)
    monkeypatch.setattr(ProposalJobs, "spawn", lambda jobs, job_id, _number: work_on(jobs.settings, job_id))
    jobs = ProposalJobs(planted_bench[0].settings)
    jobs.start([item.answer for item in items], sends=False)
    job = jobs.batch()
    assert job is not None and (job.state, job.error) == ("failed", "OSError: the disk is full")
    assert (job.done, job.total) == (1, len(items))
    assert ProposalStore(results).of(items[0]) == PROPOSAL


def test_a_proposal_is_in_no_file_of_labels(
    results: ResultStore, items: list[Instance], queue: AnnotationQueue, tmp_path: Path
) -> None:
    for item in items:
        ProposalStore(results).save(item, PROPOSAL)
    first = QueueStore(results).items(queue.id)[0]
    LabelStore(results).save(first, "Ada", ["other"])
    path = tmp_path / "labels.csv"
    assert export_labels(results, queue, "csv", path) == 1
    assert "reader-error" not in path.read_text(encoding="utf-8")
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert [row["annotator"] for row in csv.DictReader(file)] == ["Ada"]


def test_proposals_are_compared_with_what_people_say(
    results: ResultStore, items: list[Instance], queue: AnnotationQueue
) -> None:
    """Of four answers people agree with the rules on three; an answer without a proposal is left out."""
    store, queues, labels = ProposalStore(results), QueueStore(results), LabelStore(results)
    people = ["wrong-language", "wrong-language", "code-switched", "code-switched", "other"]
    proposed = ["wrong-language", "wrong-language", "code-switched", "wrong-language", ""]
    for item, person, rules in zip(queues.items(queue.id), people, proposed, strict=False):
        labels.save(item, "Ada", [person])
        labels.complete(item, "Ada")
        instance = queues.instance(item)
        assert instance is not None
        store.save(instance, replace(PROPOSAL, label=rules))
    cases = [case for case in labelled_cases(results) if case.annotator == "Ada"]
    assert sum(people_counts(cases).values()) == 5
    every = proposal_agreement(cases)[0]
    assert (every.label, every.language, every.n, every.answers) == ("", "", 4, 4)
    assert every.raw.score.value == 0.75
    assert every.kappa.score.value == pytest.approx(0.5)
    assert every.raw.low is not None and every.raw.low < 0.75
    one = next(row for row in proposal_agreement(cases) if row.label == "wrong-language" and not row.language)
    assert one.raw.score.value == 0.75


def test_labels_of_people_are_those_of_the_filter(
    results: ResultStore, items: list[Instance], queue: AnnotationQueue
) -> None:
    item = QueueStore(results).items(queue.id)[0]
    LabelStore(results).save(item, "Grace", ["other"])
    LabelStore(results).complete(item, "Grace")
    other = next(code for code in ("fi", "ru") if code != item.language)
    people = {
        code: [case.annotator for case in labelled_cases(results, Filter(languages=(code,)))]
        for code in (other, item.language)
    }
    assert "Grace" not in people[other]
    assert people[item.language].count("Grace") == 1
