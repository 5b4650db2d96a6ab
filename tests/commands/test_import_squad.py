"""`import squad`, `retrieve`, and the lists: files become a corpus and a dataset that can be measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from tests.commands.squads import ENGLISH, FINNISH, squad
from tests.commands.terminal import Terminal, terminal
from workbench.recipes.recipe import Balance, RetrieverName

MEASURES = ("hit@1", "hit@3", "hit@5", "hit@10", "mrr", "ndcg@10")


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return terminal(home, capsys, monkeypatch)


def test_a_file_becomes_a_corpus_and_a_dataset(run: Terminal, tmp_path: Path) -> None:
    said = run("import", "squad", squad(tmp_path, "en.json", ENGLISH), "--lang", "en", "--name", "helsinki", "--json")
    assert said.json["corpus"]["languages"] == {"en": 3} and said.json["questions"] == {"en": 3}
    assert "lexical index" in said.err
    corpora = {item["name"]: item for item in run("corpora", "list", "--json").json}
    assert corpora["helsinki"]["passages"] == 3 and "en.json" in corpora["helsinki"]["source"]
    assert corpora.keys() == {"helsinki", "sample"}
    datasets = {item["name"]: item for item in run("datasets", "list", "--json").json}
    expected = {"name": "helsinki", "corpus": "helsinki", "languages": {"en": 3}, "aligned": False, "kind": "squad"}
    assert datasets["helsinki"].items() >= expected.items()
    assert datasets.keys() == {"helsinki", "sample"}


def test_another_language_under_the_same_name_is_added_and_the_same_one_replaced(run: Terminal, tmp_path: Path) -> None:
    for name, rows, code in (("en.json", ENGLISH, "en"), ("fi.json", FINNISH, "fi"), ("short.json", ENGLISH[:1], "en")):
        said = run("import", "squad", squad(tmp_path, name, rows), "--lang", code, "--name", "helsinki", "--json")
    assert said.json["corpus"]["languages"] == {"fi": 3, "en": 1}
    assert said.json["questions"] == {"en": 1, "fi": 3}
    asked = run(
        "ask", "Mistä lautta lähtee?", "--lang", "fi", "--corpus", "helsinki", "--mode", "monorag", "--k", 1, "--json"
    )
    (passage,) = asked.json["passages"]
    assert (passage["text"], passage["title"]) == (FINNISH[0][0], "Helsinki")


def test_without_alignment_gold_is_found_in_its_own_language_alone(run: Terminal, tmp_path: Path) -> None:
    for name, rows, code in (("en.json", ENGLISH, "en"), ("fi.json", FINNISH, "fi")):
        run("import", "squad", squad(tmp_path, name, rows), "--lang", code, "--name", "helsinki")
    words = ("retrieve", "--corpus", "helsinki", "--dataset", "helsinki", "--lang", "fi", "--json")
    own, english = run(*words, "--scope", "ul").json, run(*words, "--scope", "en").json
    assert (own["n"], own["unscored"], own["mrr"]) == (3, 0, 1.0)
    assert (english["n"], english["unscored"], english["mrr"]) == (0, 3, None)


def test_with_alignment_gold_is_the_passage_in_whatever_language_the_scope_holds(run: Terminal, tmp_path: Path) -> None:
    for name, rows, code in (("en.json", ENGLISH, "en"), ("fi.json", FINNISH, "fi")):
        run("import", "squad", squad(tmp_path, name, rows), "--lang", code, "--name", "helsinki", "--aligned")
    words = (
        "retrieve",
        "--corpus",
        "helsinki",
        "--dataset",
        "helsinki",
        "--lang",
        "fi",
        "--retriever",
        "dense",
        "--json",
    )
    for scope in ("ul", "en", "en+ul", "all"):
        said = run(*words, "--scope", scope).json
        assert (said["n"], said["unscored"]) == (3, 0), scope
        assert said["hit@3"] == 1.0, scope
    assert run("corpora", "list", "--json").json[0]["aligned"] is True


def test_retrieve_gives_every_measure_and_the_seconds_a_question(run: Terminal) -> None:
    said = run(
        "retrieve",
        "--corpus",
        "sample",
        "--dataset",
        "sample",
        "--lang",
        "en",
        "--retriever",
        "lexical",
        "--k",
        10,
        "--json",
    ).json
    assert all(0 <= said[name] <= 1 for name in MEASURES)
    assert said["hit@1"] <= said["hit@3"] <= said["hit@5"] <= said["hit@10"]
    assert said["n"] >= 40 and 0 < said["seconds"] < 10


def test_retrieve_writes_a_trec_run_that_scores_the_same(run: Terminal, tmp_path: Path) -> None:
    out = tmp_path / "runs" / "mine.trec"
    said = run(
        "retrieve",
        "--corpus",
        "sample",
        "--dataset",
        "sample",
        "--lang",
        "fi",
        "--scope",
        "ul",
        "--k",
        5,
        "--out",
        out,
        "--json",
    ).json
    rows = [line.split() for line in out.read_text().splitlines()]
    assert (
        {len(row) for row in rows} == {6}
        and {row[1] for row in rows} == {"Q0"}
        and {row[5] for row in rows} == {"hybrid"}
    )
    assert all(row[2].split(".")[1] == "fi" and 1 <= int(row[3]) <= 5 for row in rows)
    firsts = {row[0]: row[2] for row in rows if row[3] == "1"}
    assert len(firsts) == said["n"] + said["unscored"]


@pytest.mark.parametrize(
    ("retriever", "balance"),
    [
        # Learned sparse vectors need a model that is not here.
        *((name, "none") for name in get_args(RetrieverName) if name != "sparse"),
        *(("dense", name) for name in get_args(Balance) if name != "none"),
    ],
)
def test_every_retriever_can_be_measured(retriever: str, balance: str, run: Terminal) -> None:
    said = run(
        "retrieve",
        "--corpus",
        "sample",
        "--dataset",
        "sample",
        "--lang",
        "en",
        "--retriever",
        retriever,
        "--balance",
        balance,
        "--k",
        5,
        "--json",
    ).json
    assert said["retriever"] == retriever and said["mrr"] > 0.3


def test_lists_are_readable_without_json(run: Terminal) -> None:
    assert run("corpora", "list").out.startswith("sample\t")
    assert run("datasets", "list").out.startswith("sample\tcorpus sample\t")


def test_a_corpus_is_indexed_anew_on_request(run: Terminal, tmp_path: Path) -> None:
    run("import", "squad", squad(tmp_path, "en.json", ENGLISH), "--lang", "en", "--name", "helsinki")
    before = run("corpora", "list", "--json").json[0]
    said = run("corpora", "index", "helsinki")
    after = run("corpora", "list", "--json").json[0]
    assert said.code == 0 and said.out == ""
    assert after["version"] != before["version"] and after["fingerprint"] == before["fingerprint"]


def test_a_service_that_indexes_a_corpus_is_said_before_it_is_asked(
    run: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    run("import", "squad", squad(tmp_path, "en.json", ENGLISH), "--lang", "en", "--name", "helsinki")
    said = run("corpora", "index", "helsinki", "--encoder", "openai-text-embedding-3-large")
    assert said.code == 1
    assert said.err.index("Texts are sent to api.openai.com.") < said.err.index("OPENAI_API_KEY")


def test_doctor_names_each_component_as_ready_or_with_its_remedy(run: Terminal, home: Path) -> None:
    checks = {item["name"]: item for item in run("doctor", "--json").json}
    assert checks["workspace"]["ready"] and checks["database"]["ready"] and checks["corpus sample"]["ready"]
    assert checks["package tantivy"]["ready"] and checks["package faiss"]["ready"]
    assert all(item["ready"] or item["remedy"] for item in checks.values())
    (home / "corpora" / "bad").mkdir()
    (home / "corpora" / "bad" / "manifest.json").write_text("{")
    said = {item["name"]: item for item in run("doctor", "--json").json}["corpus bad"]
    assert not said["ready"] and "import squad" in said["remedy"]


def test_doctor_on_a_new_workspace_says_what_builds_the_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = terminal(tmp_path / "new", capsys, monkeypatch)("doctor")
    assert said.code == 0
    assert "missing  corpus sample" in said.out and "python -m workbench prepare" in said.out


def test_json_of_a_list_is_all_there_is_on_stdout(run: Terminal) -> None:
    assert isinstance(json.loads(run("datasets", "list", "--json").out), list)
