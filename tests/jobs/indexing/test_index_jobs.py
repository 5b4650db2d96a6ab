"""Indexing jobs: processes that survive their parent, a kill, each other, and a corpus that changes."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.jobs.indexing.corpora import ENCODER, add_corpus, index_bytes, random_passages
from workbench.app.workbench import Workbench
from workbench.data.corpora.build import CorpusManifest
from workbench.jobs.indexing import index_report
from workbench.jobs.indexing.index_report import IndexJobs, build_now, index_id
from workbench.pipeline.recipe import make_recipe
from workbench.workspace import lock, settings
from workbench.workspace.jobs import jobs as job_service
from workbench.workspace.jobs.job import Job
from workbench.workspace.jobs.worker import RunningJob, work

pytestmark = pytest.mark.slow

SOON = 0.02
PASSAGES = 40
"""Enough for several pieces in each of the two passes."""


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A workbench without corpora."""
    return Workbench(settings.load(tmp_path / "workspace"))


@pytest.fixture
def jobs(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> IndexJobs:
    """Its jobs, whose processes do not stand back behind other tests."""
    monkeypatch.setattr(job_service, "WORKER", "tests.jobs.indexing.eager_worker")
    monkeypatch.setattr(index_report, "AT_ONCE", 0)  # each corpus counts as one that takes long
    return IndexJobs(bench.settings)


def watched(jobs: IndexJobs, corpus: CorpusManifest, until: Callable[[Job], bool] = lambda status: False) -> Job:
    """The status once it fulfils a condition or no process is at work any more."""
    while True:
        status = jobs.of(corpus, ENCODER)
        assert status is not None
        if not status.active or until(status):
            return status
        time.sleep(SOON)


@pytest.fixture(scope="session")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The index's files as one build without interruption makes them."""
    bench = Workbench(settings.load(tmp_path_factory.mktemp("unbroken")))
    add_corpus(bench, count=PASSAGES)
    build_now(bench, "mine", ENCODER)
    return index_bytes(bench.corpus("mine"))


def killed(jobs: IndexJobs, corpus: CorpusManifest, moment: Callable[[Job], bool]) -> str:
    """Starts a job and kills its process once the status fulfils a condition; the state after that."""
    jobs.start(corpus, ENCODER)
    status = watched(jobs, corpus, moment)
    if status.pid is not None and status.active:
        os.kill(status.pid, signal.SIGKILL)
    return watched(jobs, corpus).state


def test_killed_at_several_moments_and_resumed_it_makes_the_same_files(
    bench: Workbench, jobs: IndexJobs, unbroken: dict[str, bytes]
) -> None:
    corpus = add_corpus(bench, count=PASSAGES)
    moments: list[Callable[[Job], bool]] = [
        lambda status: status.pid is not None,  # before the weights are loaded
        lambda status: 0 < status.done < PASSAGES // 2,  # among the passages
        lambda status: status.done > PASSAGES // 2,  # among the sentences
    ]
    states = [killed(jobs, corpus, moment) for moment in moments]
    assert states[0] == "interrupted"
    jobs.start(corpus, ENCODER)
    assert watched(jobs, corpus).state == "done"
    assert index_bytes(bench.corpus("mine")) == unbroken


def test_a_job_that_shall_stop_stops_and_goes_on_where_it_was(
    bench: Workbench, jobs: IndexJobs, unbroken: dict[str, bytes]
) -> None:
    corpus = add_corpus(bench, count=PASSAGES)
    jobs.start(corpus, ENCODER)
    watched(jobs, corpus, lambda status: status.done > 0)
    jobs.stop(index_id(corpus, ENCODER))
    stopped = watched(jobs, corpus)
    assert stopped.state == "stopped" and stopped.done > 0
    assert jobs.start(corpus, ENCODER)
    again = jobs.of(corpus, ENCODER)
    assert again is not None and again.done >= stopped.done
    assert watched(jobs, corpus).state == "done"
    assert index_bytes(bench.corpus("mine")) == unbroken


def test_a_corpus_that_is_being_indexed_is_not_started_twice(bench: Workbench, jobs: IndexJobs) -> None:
    corpus = add_corpus(bench)
    with jobs.claimed(index_id(corpus, ENCODER)):
        assert not jobs.start(corpus, ENCODER)


def test_two_corpora_wait_for_each_other_and_both_are_indexed(bench: Workbench, jobs: IndexJobs) -> None:
    first, second = (add_corpus(bench, name, seed=seed) for seed, name in enumerate(("one", "two")))
    with lock.acquired(jobs.folder / "indexing-turn.lock") as number:
        assert number is not None
        assert jobs.start(first, ENCODER) and jobs.start(second, ENCODER)
        for corpus in (first, second):
            status = watched(jobs, corpus, lambda status: status.pid is not None)
            assert (status.state, status.done) == ("waiting", 0)
    assert watched(jobs, first).state == watched(jobs, second).state == "done"
    assert all(bench.registry.is_indexed(bench.corpus(name), ENCODER) for name in ("one", "two"))


def test_a_short_job_waits_for_no_long_one(bench: Workbench, jobs: IndexJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_report, "AT_ONCE", 12)
    corpus = add_corpus(bench)
    with lock.acquired(jobs.folder / "indexing-turn.lock"):
        jobs.start(corpus, ENCODER)
        assert watched(jobs, corpus).state == "done"


def test_a_job_that_waits_for_its_turn_can_be_stopped(bench: Workbench, jobs: IndexJobs) -> None:
    corpus = add_corpus(bench)
    with lock.acquired(jobs.folder / "indexing-turn.lock"):
        jobs.start(corpus, ENCODER)
        watched(jobs, corpus, lambda status: status.pid is not None)
        jobs.stop(index_id(corpus, ENCODER))
        assert watched(jobs, corpus).state == "stopped"


def test_a_job_stands_back_behind_what_else_the_machine_does(
    bench: Workbench, jobs: IndexJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(index_report, "AT_ONCE", 0)
    corpus = add_corpus(bench)
    with lock.acquired(jobs.folder / "indexing-turn.lock"):
        jobs.start(corpus, ENCODER)
        pid = watched(jobs, corpus, lambda status: status.pid is not None).pid
        assert pid is not None and os.getpriority(os.PRIO_PROCESS, pid) > os.getpriority(os.PRIO_PROCESS, 0)
        jobs.stop(index_id(corpus, ENCODER))
        watched(jobs, corpus)


def test_a_reader_of_the_state_before_goes_on_and_the_next_question_uses_the_new_index(
    bench: Workbench, jobs: IndexJobs
) -> None:
    corpus = add_corpus(bench)
    recipe = make_recipe({"corpus": "mine", "encoder": ENCODER})
    before = bench.registry.retriever(recipe, bench.corpus("mine"))
    old = bench.ask("Where is the river?", "en", recipe)
    assert bench.registry.stand_in(recipe, bench.corpus("mine"))
    jobs.start(corpus, ENCODER)
    assert watched(jobs, corpus).state == "done"
    assert bench.registry.stand_in(recipe, bench.corpus("mine")) == ""
    after = bench.registry.retriever(recipe, bench.corpus("mine"))
    assert before.identity != after.identity
    assert bench.ask("Where is the river?", "en", recipe).evidence != () != old.evidence


def build(bench: Workbench, corpus: CorpusManifest) -> Job:
    """Indexes in this process as a job of the background does; returns how it ended."""
    jobs = IndexJobs(bench.settings)
    with jobs.claimed(index_id(corpus, ENCODER)) as claim:
        assert claim is not None
        task = RunningJob(jobs, jobs.begun_here(claim, corpus, ENCODER))
        work(task)
    return task.job


def during_the_build(monkeypatch: pytest.MonkeyPatch, bench: Workbench, action: Callable[[], object]) -> None:
    """Once, when the first passages are encoded, something else happens."""
    registry = type(bench.registry)
    index, actions = registry.index, [action]

    def disturbed(
        self: object, corpus: object, encoder: str, kind: str, progress: Callable[..., None], **options: object
    ) -> None:
        def report(phase: str, done: int, total: int) -> None:
            while actions:
                actions.pop()()
            progress(phase, done, total)

        index(self, corpus, encoder, kind, report, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(registry, "index", disturbed)


def test_a_corpus_that_is_renamed_meanwhile_is_indexed_under_its_new_name(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = add_corpus(bench)
    during_the_build(monkeypatch, bench, lambda: Workbench(bench.settings).library.rename("mine", "ours"))
    build(bench, corpus)
    assert bench.registry.is_indexed(bench.corpus("ours"), ENCODER)


def test_a_corpus_that_is_deleted_meanwhile_ends_the_job(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = add_corpus(bench)
    during_the_build(monkeypatch, bench, lambda: Workbench(bench.settings).library.remove("mine"))
    assert build(bench, corpus).state == "stopped"


def test_a_corpus_that_is_imported_anew_meanwhile_gets_a_job_of_its_own(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = add_corpus(bench)
    starts: list[str] = []
    monkeypatch.setattr(IndexJobs, "spawn", lambda jobs, job_id, _number: starts.append(job_id))
    during_the_build(monkeypatch, bench, lambda: add_corpus(Workbench(bench.settings), seed=9))
    assert build(bench, corpus).state == "stopped"
    assert starts == [index_id(bench.corpus("mine").manifest, ENCODER)]


def test_the_jobs_over_corpora_that_are_gone_are_swept_away(bench: Workbench, jobs: IndexJobs) -> None:
    gone, stays = add_corpus(bench, "gone"), add_corpus(bench, "stays")
    begin(jobs, gone)
    bench.library.remove("gone")
    begin(jobs, stays)
    assert jobs.of(gone, ENCODER) is None and jobs.of(stays, ENCODER) is not None
    assert not jobs.files(index_id(gone, ENCODER)).lock.exists()


def begin(jobs: IndexJobs, corpus: CorpusManifest) -> None:
    """Makes a job that nothing works on."""
    with jobs.claimed(index_id(corpus, ENCODER)) as claim:
        assert claim is not None
        jobs.begun_here(claim, corpus, ENCODER)


def test_a_failure_is_one_sentence_in_the_status(
    bench: Workbench, jobs: IndexJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = add_corpus(bench)

    def fail(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(type(bench.registry), "index", fail)
    build(bench, corpus)
    status = jobs.of(corpus, ENCODER)
    assert status is not None and (status.state, status.error) == ("failed", "OSError: No space left on device")
    with pytest.raises(OSError, match="No space"):
        build_now(bench, "mine", ENCODER)


def test_a_build_in_front_takes_over_a_job_that_waits(bench: Workbench, jobs: IndexJobs) -> None:
    corpus = add_corpus(bench)
    with lock.acquired(jobs.folder / "indexing-turn.lock"):
        jobs.start(corpus, ENCODER)
        states: list[str] = []
        build_now(bench, "mine", ENCODER, watch=lambda status: states.append(status.state))
    assert states[-1] == "done" and bench.registry.is_indexed(bench.corpus("mine"), ENCODER)


def test_a_build_in_front_follows_a_job_that_is_at_work(bench: Workbench, jobs: IndexJobs) -> None:
    corpus = add_corpus(bench, count=4 * PASSAGES)  # long enough that it is still at work when it is followed
    jobs.start(corpus, ENCODER)
    worker = watched(jobs, corpus, lambda status: status.state == "running")
    pids: set[int | None] = set()
    build_now(bench, "mine", ENCODER, watch=lambda status: pids.add(status.pid))
    assert pids <= {worker.pid} and bench.registry.is_indexed(bench.corpus("mine"), ENCODER)


def test_a_pace_is_kept_for_the_next_corpus(bench: Workbench, tmp_path: Path) -> None:
    add_corpus(bench, "mine")
    home = bench.settings.home
    assert index_report.seconds_for(home, ENCODER, bench.corpus("mine")) is None
    index_report.keep_rate(home, ENCODER, 100.0)
    seconds = index_report.seconds_for(home, ENCODER, bench.corpus("mine"))
    assert seconds == pytest.approx(bench.corpus("mine").table.characters() / 100.0)
    shutil.copy(home / "jobs" / index_report.FILE, tmp_path)
    (home / "jobs" / index_report.FILE).write_text("[]", encoding="utf-8")
    assert index_report.known_rate(home, ENCODER) == 0.0


def test_the_characters_of_a_corpus_are_those_of_its_titles_and_texts(bench: Workbench) -> None:
    add_corpus(bench, "mine", count=3)
    assert bench.corpus("mine").table.characters() == sum(
        len(passage.title) + len(passage.text) for passage in random_passages(3)
    )
