"""Uploaded files as jobs: previewed and added by a process of their own, stopped, and discarded."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.data.documents.sample_files import FERRY, LIBRARY, OBSERVATORY, docx
from workbench.core.errors import UsageError
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.jobs.folder_jobs import IDLE
from workbench.jobs.imports import intake_worker
from workbench.jobs.imports.intake_jobs import IntakeJobs
from workbench.jobs.imports.intake_preview import stored_preview
from workbench.jobs.imports.intake_status import IntakeChoices, IntakeStatus
from workbench.jobs.job_folder import now
from workbench.workspace import lock
from workbench.workspace.settings import Settings, load

PATIENCE = 240.0


@pytest.fixture
def config(tmp_path: Path) -> Settings:
    """A workspace without anything."""
    return load(tmp_path / "home")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is done in the test's process, and no index is begun in the background."""
    monkeypatch.setattr(intake_worker, "start_on_demand", lambda bench, manifest: None)
    monkeypatch.setattr(IntakeJobs, "_spawn", lambda jobs, job, place, number: intake_worker.work(jobs.settings, job))


def _until(status: Callable[[], IntakeStatus | None], *states: str) -> IntakeStatus:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        last = status()
        if last is not None and last.state in states:
            return last
        time.sleep(0.1)
    raise AssertionError(f"it is still {status()}")


@pytest.mark.usefixtures("here")
def test_a_preview_counts_documents_languages_and_near_duplicates_and_adds_nothing(
    config: Settings, tmp_path: Path
) -> None:
    jobs = IntakeJobs(config)
    word = docx(tmp_path / "observatoire.docx", OBSERVATORY).read_bytes()
    files = [("a.txt", FERRY[1].encode()), ("b.txt", FERRY[1].encode()), ("observatoire.docx", word)]
    job = jobs.stage(files)
    jobs.start(job, "preview", IntakeChoices())
    preview = stored_preview(jobs.files(job).preview)
    assert preview is not None
    assert preview.document_count == 3
    assert set(preview.languages) == {"en", "fr"}
    assert ("a.txt", "b.txt") in {(first, second) for first, second, _ in preview.duplicates}
    assert preview.passages[-1].text == OBSERVATORY
    assert CorpusLibrary(config.corpora).list() == []


@pytest.mark.usefixtures("here")
def test_files_are_added_as_chosen_and_then_removed(config: Settings) -> None:
    jobs = IntakeJobs(config)
    job = jobs.stage([("buecherei.txt", LIBRARY.encode()), ("broken.pdf", b"%PDF-1.4 nothing")])
    jobs.start(job, "add", IntakeChoices("mine", with_title=False, languages={"buecherei.txt": "nl"}))
    status = jobs.status(job)
    assert status is not None
    assert (status.state, status.corpus, status.documents) == ("done", "mine", 1)
    assert "broken.pdf" in status.refused["broken.pdf"]
    (passage,) = CorpusLibrary(config.corpora).open("mine").table
    assert (passage.document, passage.language, passage.title) == ("buecherei.txt", "nl", "")
    assert jobs.files(job).paths() == []


@pytest.mark.usefixtures("here")
def test_files_that_cannot_be_read_are_each_named_in_the_preview(config: Settings) -> None:
    jobs = IntakeJobs(config)
    job = jobs.stage([("empty.txt", b""), ("broken.pdf", b"%PDF-1.4 nothing")])
    jobs.start(job, "preview", IntakeChoices())
    preview = stored_preview(jobs.files(job).preview)
    assert preview is not None
    assert set(preview.refused) == {"empty.txt", "broken.pdf"}


@pytest.mark.usefixtures("here")
def test_a_document_with_another_text_is_refused_in_a_sentence_and_replaced_on_request(config: Settings) -> None:
    jobs = IntakeJobs(config)
    jobs.start(jobs.stage([("note.txt", LIBRARY.encode())]), "add", IntakeChoices("mine"))
    job = jobs.stage([("note.txt", FERRY[0].encode())])
    jobs.start(job, "add", IntakeChoices("mine"))
    status = jobs.status(job)
    assert status is not None
    assert (status.state, "“note.txt”" in status.error) == ("failed", True)
    jobs.start(job, "add", IntakeChoices("mine", replaces=True))
    (passage,) = CorpusLibrary(config.corpora).open("mine").table
    assert passage.text == FERRY[0]


def test_a_process_of_its_own_adds_the_files(config: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(config.home))
    jobs = IntakeJobs(config)
    job = jobs.stage([("buecherei.txt", LIBRARY.encode())])
    assert jobs.start(job, "preview", IntakeChoices())
    assert _until(lambda: jobs.status(job), "previewed", "failed").error == ""


def test_a_stopped_process_leaves_no_corpus_and_the_files_for_another_try(
    config: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = IntakeJobs(config)
    job = jobs.stage([(f"{number}.txt", (LIBRARY * 4_000).encode()) for number in range(8)])
    jobs.start(job, "add", IntakeChoices("mine"))
    _until(lambda: jobs.status(job), "adding")
    assert jobs.stop(job)
    assert _until(lambda: jobs.status(job), "stopped", "done", "failed").state == "stopped"
    assert CorpusLibrary(config.corpora).list() == []
    assert len(jobs.files(job).paths()) == 8


def test_a_killed_process_is_seen_as_interrupted(config: Settings) -> None:
    jobs = IntakeJobs(config)
    job = jobs.stage([("a.txt", b"Text.")])
    place = jobs.files(job)
    place.write(IntakeStatus(job, "reading", pid=1))
    status = jobs.status(job)
    assert status is not None
    assert status.state == "interrupted"


def test_files_at_work_can_be_neither_changed_nor_discarded(config: Settings) -> None:
    jobs = IntakeJobs(config)
    job = jobs.stage([("a.txt", b"Text.")])
    with lock.acquired(jobs.files(job).lock):
        with pytest.raises(UsageError, match="being read"):
            jobs.discard(job)
        with pytest.raises(UsageError, match="being read"):
            jobs.stage([("b.txt", b"Text.")], job)


def test_files_that_nobody_added_for_days_are_removed(config: Settings) -> None:
    jobs = IntakeJobs(config)
    job = jobs.stage([("a.txt", b"Text.")])
    status = jobs.status(job)
    assert status is not None
    jobs.files(job).write(replace(status, updated=now() - 2 * IDLE))
    jobs.stage([("b.txt", b"Text.")])
    assert not jobs.files(job).folder.exists()


@pytest.mark.parametrize("job", ["../../etc", "", "x" * 32])
def test_what_is_no_jobs_name_opens_no_folder(config: Settings, job: str) -> None:
    with pytest.raises(UsageError):
        IntakeJobs(config).files(job)
