"""`corpora` and `datasets`: the lists, and indexing a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.squads import ENGLISH, squad
from tests.commands.terminal import Terminal


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
