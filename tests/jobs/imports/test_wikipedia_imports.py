"""Imports of Wikipedia as jobs: of uploaded and incoming files, killed at any moment, stopped, gone on with."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data.documents.dumps import pages, write_streams
from tests.jobs.waiting import ended, kill, stop_indexing, until, work_on
from workbench.core.errors import UsageError
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.jobs.imports.wikipedia_imports import (
    WikipediaImports,
    WikipediaRequest,
    incoming_files,
    incoming_folder,
    incoming_path,
)
from workbench.workspace.settings import load

PAGES = 600


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[WikipediaImports]:
    """The imports of an empty workspace."""
    jobs = WikipediaImports(load(tmp_path / "home"))
    yield jobs
    stop_indexing(jobs.settings)


def _laid(jobs: WikipediaImports, count: int, name: str = "fiwiki-pages-articles.xml.bz2") -> str:
    """A dump in the folder for incoming files; returns its name."""
    incoming_folder(jobs.settings.home).mkdir(parents=True, exist_ok=True)
    write_streams(incoming_folder(jobs.settings.home) / name, pages(count), per_stream=100)
    return name


def _texts(jobs: WikipediaImports, name: str) -> list[str]:
    return [passage.text for passage in CorpusLibrary(jobs.settings.corpora).open(name).table]


def test_uploaded_and_incoming_files_become_one_corpus(jobs: WikipediaImports, tmp_path: Path) -> None:
    small = write_streams(tmp_path / "small.xml.bz2", pages(12), code="sv")
    job = jobs.stage([("small.xml.bz2", small.read_bytes())])
    jobs.start(job, WikipediaRequest("wiki", (_laid(jobs, 12), "small.xml.bz2")))
    status = ended(jobs, job)
    assert (status.state, status.error) == ("done", "")
    manifest = CorpusLibrary(jobs.settings.corpora).open("wiki").manifest
    assert set(manifest.languages) == {"fi", "sv"} and status.result["passages"] == manifest.passages
    assert list((jobs.settings.home / "wikipedia").iterdir()) == []


@pytest.mark.slow
def test_killed_at_random_moments_and_gone_on_with_it_is_the_same_corpus(jobs: WikipediaImports) -> None:
    choose, name = random.Random(5), _laid(jobs, PAGES)
    calm = jobs.stage([])
    jobs.start(calm, WikipediaRequest("calm", (name,)))
    job = jobs.stage([])
    assert ended(jobs, calm).state == "done"
    jobs.start(job, WikipediaRequest("killed", (name,)))
    kills = 0
    for _ in range(4):
        until(jobs, job, "running", "done")
        time.sleep(choose.random() * 1.5)
        kill(jobs, job)
        status = jobs.job(job)
        assert status is not None
        if status.state == "done":
            break
        kills += 1
        jobs.resume(job)
    assert kills
    assert ended(jobs, job).state == "done"
    assert _texts(jobs, "killed") == _texts(jobs, "calm")


def test_stopped_it_leaves_no_corpus_and_discarded_nothing_at_all(jobs: WikipediaImports) -> None:
    job = jobs.stage([])
    jobs.start(job, WikipediaRequest("wiki", (_laid(jobs, PAGES),)))
    until(jobs, job, "running")
    assert jobs.stop(job)
    assert ended(jobs, job).state == "stopped"
    assert CorpusLibrary(jobs.settings.corpora).list() == []
    jobs.discard(job)
    assert not (jobs.settings.home / "wikipedia" / "wiki").exists() and jobs.all() == []


def test_a_corpus_that_is_there_is_not_replaced(jobs: WikipediaImports, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WikipediaImports, "spawn", lambda jobs, job_id, _number: work_on(jobs.settings, job_id))
    name = _laid(jobs, 12)
    job = jobs.stage([])
    jobs.start(job, WikipediaRequest("wiki", (name,)))
    ended(jobs, job)
    with pytest.raises(UsageError, match="There is a corpus “wiki” already"):
        jobs.start(jobs.stage([]), WikipediaRequest("wiki", (name,)))


@pytest.mark.parametrize("name", ["../secret.xml", "/etc/passwd", "folder", "link.xml", ".hidden.xml", "", "gone.xml"])
def test_only_ordinary_files_in_the_folder_itself_are_read(jobs: WikipediaImports, name: str) -> None:
    folder = incoming_folder(jobs.settings.home)
    (folder / "folder").mkdir(parents=True)
    for path in (folder.parent / "secret.xml", folder / ".hidden.xml", folder / "good.xml"):
        path.write_text("<mediawiki/>")
    (folder / "link.xml").symlink_to(folder.parent / "secret.xml")
    assert [item.name for item in incoming_files(jobs.settings.home)] == ["good.xml"]
    with pytest.raises(UsageError, match="Allowed: the files listed"):
        incoming_path(jobs.settings.home, name)


def test_a_file_that_is_not_wikipedias_is_refused_before_anything_begins(jobs: WikipediaImports) -> None:
    job = jobs.stage([("notes.txt", b"Text.")])
    with pytest.raises(UsageError, match=r"“notes\.txt” is not a file of articles"):
        jobs.start(job, WikipediaRequest("wiki", ("notes.txt",)))
    status = jobs.job(job)
    assert status is not None and status.state == "staged"
