"""`corpora` and `datasets`: the lists, and indexing a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.squads import ENGLISH, squad
from tests.cli.terminal import Terminal
from workbench.app.workbench import Workbench
from workbench.core.records import Passage
from workbench.workspace.settings import load


def test_lists_are_readable_without_json(run: Terminal) -> None:
    assert run("corpora", "list").out.startswith("sample\t")
    assert run("datasets", "list").out.startswith("sample\tcorpus sample\t")


def test_with_json_stdout_is_json_only(run: Terminal) -> None:
    assert isinstance(json.loads(run("datasets", "list", "--json").out), list)


def test_a_corpus_is_indexed_anew_on_request(run: Terminal, tmp_path: Path) -> None:
    run("import", "squad", squad(tmp_path, "en.json", ENGLISH), "--lang", "en", "--name", "helsinki")
    before = run("corpora", "list", "--json").json[0]
    result = run("corpora", "index", "helsinki")
    after = run("corpora", "list", "--json").json[0]
    assert result.code == 0 and result.out == ""
    assert after["version"] != before["version"] and after["fingerprint"] == before["fingerprint"]


def test_a_service_that_indexes_a_corpus_is_reported_before_it_is_called(
    run: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    run("import", "squad", squad(tmp_path, "en.json", ENGLISH), "--lang", "en", "--name", "helsinki")
    result = run("corpora", "index", "helsinki", "--encoder", "openai-text-embedding-3-large")
    assert result.code == 1
    assert result.err.index("Texts are sent to api.openai.com.") < result.err.index("OPENAI_API_KEY")


@pytest.fixture
def helsinki(run: Terminal, tmp_path: Path) -> str:
    run("import", "squad", squad(tmp_path, "en.json", ENGLISH), "--lang", "en", "--name", "helsinki")
    return "helsinki"


def test_documents_are_removed_in_a_new_version_and_the_former_one_is_dropped(run: Terminal, helsinki: str) -> None:
    bench = Workbench(load())
    document = next(iter(bench.corpus(helsinki).table)).document
    rest = [Passage("other.0", "other", "", "en", "A tram leaves at ten.")]
    bench.library.add_documents(helsinki, rest)
    result = run("corpora", "remove", helsinki, document)
    assert result.code == 0 and "1 document is removed. The corpus “helsinki” has 1 passage." in result.err
    current, former, first = run("corpora", "versions", helsinki, "--json").json
    assert (current["passages"], first["runs"]) == (1, 0)
    assert run("corpora", "versions", helsinki).out.count("former") == 2
    assert run("corpora", "drop", helsinki, former["version"]).code == 0
    assert [item["version"] for item in run("corpora", "versions", helsinki, "--json").json] == [
        current["version"],
        first["version"],
    ]


def test_the_current_version_is_not_dropped(run: Terminal, helsinki: str) -> None:
    (current,) = run("corpora", "versions", helsinki, "--json").json
    result = run("corpora", "drop", helsinki, current["version"])
    assert result.code == 2 and "is the current version of the corpus “helsinki”" in result.err


def test_a_document_that_a_corpus_does_not_have_is_named(run: Terminal, helsinki: str) -> None:
    result = run("corpora", "remove", helsinki, "nowhere")
    assert result.code == 2 and "has no document “nowhere”. Nothing was removed." in result.err
