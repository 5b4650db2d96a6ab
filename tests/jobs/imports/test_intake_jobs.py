"""Uploaded files as jobs: previewed and added by a process of their own, stopped, and discarded."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.data.documents.sample_files import FERRY, LIBRARY, OBSERVATORY, docx
from tests.jobs.waiting import until, work_on, write
from workbench.core.errors import UsageError
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.jobs.imports import intake_jobs
from workbench.jobs.imports.intake_jobs import IntakeChoices, IntakeJobs, stored_preview
from workbench.workspace import lock
from workbench.workspace.jobs.jobs import IDLE
from workbench.workspace.settings import Settings, load


@pytest.fixture
def config(tmp_path: Path) -> Settings:
    """A workspace without anything."""
    return load(tmp_path / "home")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is done in the test's process, and no index is begun in the background."""
    monkeypatch.setattr(intake_jobs, "index_added", lambda bench, manifest: None)
    monkeypatch.setattr(IntakeJobs, "spawn", lambda jobs, job, _number: work_on(jobs.settings, job))


@pytest.mark.usefixtures("here")
def test_a_preview_counts_documents_languages_and_near_duplicates_and_adds_nothing(
    config: Settings, tmp_path: Path
) -> None:
    jobs = IntakeJobs(config)
    word = docx(tmp_path / "observatoire.docx", OBSERVATORY).read_bytes()
    files = [("a.txt", FERRY[1].encode()), ("b.txt", FERRY[1].encode()), ("observatoire.docx", word)]
    job = jobs.stage(files)
    jobs.start(job, "preview", IntakeChoices())
    preview = stored_preview(jobs.preview(job))
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
    status = jobs.job(job)
    assert status is not None
    assert (status.state, status.result["corpus"], status.result["documents"]) == ("done", "mine", 1)
    assert "broken.pdf" in status.result["refused"]["broken.pdf"]
    (passage,) = CorpusLibrary(config.corpora).open("mine").table
    assert (passage.document, passage.language, passage.title) == ("buecherei.txt", "nl", "")
    assert jobs.files(job).paths() == []


@pytest.mark.usefixtures("here")
def test_files_that_cannot_be_read_are_each_named_in_the_preview(config: Settings) -> None:
    jobs = IntakeJobs(config)
    job = jobs.stage([("empty.txt", b""), ("broken.pdf", b"%PDF-1.4 nothing")])
    jobs.start(job, "preview", IntakeChoices())
    preview = stored_preview(jobs.preview(job))
    assert preview is not None
    assert set(preview.refused) == {"empty.txt", "broken.pdf"}


@pytest.mark.usefixtures("here")
def test_a_document_with_another_text_is_refused_in_a_sentence_and_replaced_on_request(config: Settings) -> None:
    jobs = IntakeJobs(config)
    jobs.start(jobs.stage([("note.txt", LIBRARY.encode())]), "add", IntakeChoices("mine"))
    job = jobs.stage([("note.txt", FERRY[0].encode())])
    jobs.start(job, "add", IntakeChoices("mine"))
    status = jobs.job(job)
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
    assert until(jobs, job, "done", "failed").error == ""
    assert stored_preview(jobs.preview(job)) is not None


def test_a_stopped_process_leaves_no_corpus_and_the_files_for_another_try(
    config: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = IntakeJobs(config)
    job = jobs.stage([(f"{number}.txt", (LIBRARY * 4_000).encode()) for number in range(8)])
    jobs.start(job, "add", IntakeChoices("mine"))
    until(jobs, job, "running")
    assert jobs.stop(job)
    assert until(jobs, job, "stopped", "done", "failed").state == "stopped"
    assert CorpusLibrary(config.corpora).list() == []
    assert len(jobs.files(job).paths()) == 8


def test_a_killed_process_is_seen_as_interrupted(config: Settings) -> None:
    jobs = IntakeJobs(config)
    job = jobs.stage([("a.txt", b"Text.")])
    write(jobs, job, state="running", pid=1)
    status = jobs.job(job)
    assert status is not None
    assert status.state == "interrupted"


def test_files_at_work_can_be_neither_changed_nor_discarded(config: Settings) -> None:
    jobs = IntakeJobs(config)
    job = jobs.stage([("a.txt", b"Text.")])
    with lock.acquired(jobs.files(job).lock):
        with pytest.raises(UsageError, match="is running"):
            jobs.discard(job)
        with pytest.raises(UsageError, match="is running"):
            jobs.stage([("b.txt", b"Text.")], job)


def test_files_that_nobody_added_for_days_are_removed(config: Settings) -> None:
    jobs = IntakeJobs(config)
    job = jobs.stage([("a.txt", b"Text.")])
    write(jobs, job, heartbeat=time.time() - 2 * IDLE)
    jobs.stage([("b.txt", b"Text.")])
    assert jobs.job(job) is None and not jobs.files(job).folder.exists()


@pytest.mark.parametrize("job", ["../../etc", "", "x" * 33])
def test_what_is_no_jobs_name_opens_no_folder(config: Settings, job: str) -> None:
    with pytest.raises(UsageError):
        IntakeJobs(config).files(job)


@pytest.mark.usefixtures("here")
def test_a_preview_of_a_long_text_reads_its_beginning_and_says_so(
    config: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake_jobs, "PREVIEWED", 3)
    text = "\n\n".join(f"Ship {number} left Kivisalmi with a cargo of granite. " * 9 for number in range(30))
    jobs = IntakeJobs(config)
    job = jobs.stage([("long.txt", text.encode()), ("short.txt", LIBRARY.encode())])
    jobs.start(job, "preview", IntakeChoices())
    preview = stored_preview(jobs.preview(job))
    assert preview is not None
    assert (preview.document_count, preview.passage_count, preview.unfinished) == (2, 4, ["long.txt"])


@pytest.mark.usefixtures("here")
def test_a_preview_says_which_corpus_has_documents_of_the_same_names(config: Settings) -> None:
    jobs = IntakeJobs(config)
    jobs.start(jobs.stage([("note.txt", LIBRARY.encode())]), "add", IntakeChoices("mine"))
    job = jobs.stage([("note.txt", FERRY[1].encode()), ("other.txt", LIBRARY.encode())])
    jobs.start(job, "preview", IntakeChoices())
    preview = stored_preview(jobs.preview(job))
    assert preview is not None and preview.having == {"mine": ["note.txt"]}
