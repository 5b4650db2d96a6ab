"""`import squad`: files become a corpus and a dataset that can be searched and measured."""

from __future__ import annotations

from pathlib import Path

from tests.cli.squads import ENGLISH, FINNISH, squad
from tests.cli.terminal import Terminal


def test_a_file_becomes_a_corpus_and_a_dataset(run: Terminal, tmp_path: Path) -> None:
    result = run("import", "squad", squad(tmp_path, "en.json", ENGLISH), "--lang", "en", "--name", "helsinki", "--json")
    assert result.json["corpus"]["languages"] == {"en": 3} and result.json["questions"] == {"en": 3}
    assert "lexical index" in result.err
    corpora = {item["name"]: item for item in run("corpora", "list", "--json").json}
    assert corpora["helsinki"]["passages"] == 3 and "en.json" in corpora["helsinki"]["source"]
    assert corpora.keys() == {"helsinki", "sample"}
    datasets = {item["name"]: item for item in run("datasets", "list", "--json").json}
    expected = {"name": "helsinki", "corpus": "helsinki", "languages": {"en": 3}, "aligned": False, "kind": "squad"}
    assert datasets["helsinki"].items() >= expected.items()
    assert datasets.keys() == {"helsinki", "sample"}


def test_another_language_under_the_same_name_is_added_and_the_same_one_replaced(run: Terminal, tmp_path: Path) -> None:
    for name, rows, code in (("en.json", ENGLISH, "en"), ("fi.json", FINNISH, "fi"), ("short.json", ENGLISH[:1], "en")):
        result = run(
            "import", "squad", squad(tmp_path, name, rows), "--lang", code, "--name", "helsinki", "--replace", "--json"
        )
    assert result.json["corpus"]["languages"] == {"fi": 3, "en": 1}
    assert result.json["questions"] == {"en": 1, "fi": 3}
    answer = run(
        "ask", "Mistä lautta lähtee?", "--lang", "fi", "--corpus", "helsinki", "--mode", "monorag", "--k", 1, "--json"
    )
    (passage,) = answer.json["passages"]
    assert (passage["text"], passage["title"]) == (FINNISH[0][0], "Helsinki")


def test_without_alignment_gold_is_retrieved_in_its_language_alone(run: Terminal, tmp_path: Path) -> None:
    for name, rows, code in (("en.json", ENGLISH, "en"), ("fi.json", FINNISH, "fi")):
        run("import", "squad", squad(tmp_path, name, rows), "--lang", code, "--name", "helsinki")
    words = ("retrieve", "--corpus", "helsinki", "--dataset", "helsinki", "--lang", "fi", "--json")
    finnish, english = run(*words, "--scope", "ul").json, run(*words, "--scope", "en").json
    assert (finnish["n"], finnish["unscored"], finnish["mrr"]) == (3, 0, 1.0)
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
        result = run(*words, "--scope", scope).json
        assert (result["n"], result["unscored"]) == (3, 0), scope
        assert result["hit@3"] == 1.0, scope
    assert run("corpora", "list", "--json").json[0]["aligned"] is True
