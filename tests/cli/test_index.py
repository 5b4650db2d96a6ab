"""Indexing by an encoder on the command line: the estimate after an import, and an index that is resumed in front."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.squads import ENGLISH, squad
from tests.cli.terminal import Terminal
from workbench.app.workbench import Workbench
from workbench.core.stopping import JobStopped
from workbench.jobs.indexing.index_report import IndexBuild, IndexJobs, keep_rate
from workbench.workspace import settings


@pytest.fixture
def imported(run: Terminal, tmp_path: Path) -> str:
    """What an import printed."""
    return run("import", "squad", squad(tmp_path, "en.json", ENGLISH), "--lang", "en", "--name", "helsinki").err


def test_an_import_ends_with_the_command_of_search_by_meaning(imported: str) -> None:
    command = "python -m workbench corpora index helsinki --encoder e5-small"
    assert imported.splitlines()[-1] == f"For search by meaning: {command}"


def test_after_earlier_indexing_an_import_tells_how_long_it_takes(home: Path, run: Terminal, tmp_path: Path) -> None:
    keep_rate(home, "e5-small", 3_000.0)
    result = run("import", "squad", squad(tmp_path, "en.json", ENGLISH), "--lang", "en", "--name", "helsinki")
    assert "which takes about" in result.err


def test_the_command_of_the_hint_indexes_with_progress(run: Terminal, home: Path, imported: str) -> None:
    result = run("corpora", "index", "helsinki", "--encoder", "e5-small")
    assert result.code == 0 and result.out == ""
    assert "encoding 0/" in result.err and "Corpus “helsinki” is indexed by e5-small." in result.err
    bench = Workbench(settings.load(home))
    assert bench.registry.is_indexed(bench.corpus("helsinki"), "e5-small")


def test_an_index_that_is_stopped_from_elsewhere_is_one_sentence_and_can_be_resumed(
    run: Terminal, imported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as meanwhile:

        def stopped(_build: IndexBuild) -> None:
            raise JobStopped

        meanwhile.setattr(IndexBuild, "run", stopped)
        result = run("corpora", "index", "helsinki", "--encoder", "e5-small")
    assert result.code == 1
    assert "was stopped from elsewhere. What was encoded is kept. Continue: corpora index helsinki" in result.err
    assert run("corpora", "index", "helsinki", "--encoder", "e5-small").code == 0


def test_a_corpus_that_is_indexed_gets_no_hint(run: Terminal, home: Path, imported: str) -> None:
    from workbench.cli.imports import index_hints

    run("corpora", "index", "helsinki", "--encoder", "e5-small")
    bench = Workbench(settings.load(home))
    assert index_hints(bench, "helsinki") == []
    status = IndexJobs(bench.settings).of(bench.corpus("helsinki").manifest, "e5-small")
    assert status is not None and status.state == "done"
