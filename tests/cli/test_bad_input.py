"""What a person can get wrong: exit code 2, one line on stderr, nothing on stdout, the workspace as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.squads import ENGLISH, FINNISH, squad
from tests.cli.terminal import CommandResult, Terminal, refused, terminal
from tests.trees import copy_sample, tree
from workbench.app.workbench import Workbench
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.formats.squad import read_squad
from workbench.data.datasets.importing import import_collection
from workbench.workspace import settings


@pytest.fixture(scope="module")
def furnished(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A workspace with the sample and a corpus in it, and its files before anything went wrong."""
    home = tmp_path_factory.mktemp("furnished")
    copy_sample(sample_home, home)
    bench = Workbench(settings.load(home))
    english = squad(tmp_path_factory.mktemp("files"), "en.json", ENGLISH)
    library = DatasetLibrary(bench.settings.datasets)
    import_collection(bench.library, library, read_squad([english], "en"), "helsinki")
    return home, tree(home)


@pytest.fixture
def home(furnished: tuple[Path, dict[str, str]]) -> Path:
    return furnished[0]


@pytest.fixture
def unharmed(furnished: tuple[Path, dict[str, str]]) -> object:
    yield
    home, before = furnished
    assert tree(home) == before


ASK = ("ask", "Who invented radio?", "--lang", "en")
RETRIEVE = ("retrieve", "--corpus", "sample", "--dataset", "sample", "--lang", "en")


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("ask", "", "--lang", "en"), "The question is empty"),
        (("ask", "  \n ", "--lang", "en"), "The question is empty"),
        (("ask", "x" * 10_000, "--lang", "en"), "has 10,000 characters"),
        (("ask", "?!", "--lang", "en"), "no letter or digit"),
        (("ask", "Who?", "--lang", "klingon"), "Unknown language “klingon”"),
        (("ask", "Who?", "--lang", ""), "Unknown language"),
        (("ask", "Kim?", "--lang", "tr", "--scope", "ul"), "no passages in Turkish"),
        ((*ASK, "--scope", "mars"), "Unknown scope “mars”. Allowed: all, en, en+ul, ul"),
        ((*ASK, "--mode", "rag"), "Unknown mode “rag”. Allowed: baseline, crossrag, drag"),
        ((*ASK, "--corpus", "nosuch"), "Unknown corpus “nosuch”. Allowed: helsinki, sample"),
        ((*ASK, "--corpus", "../../etc"), "Unknown corpus “../../etc”"),
        ((*ASK, "--prompt", "be-nice"), "Unknown prompt"),
        ((*ASK, "--retriever", "magic"), "retriever is “magic”"),
        ((*ASK, "--k", 0), "k is “0”"),
        ((*ASK, "--k", 1_000), "k is “1000”"),
        (
            (*ASK, "--recipe", "/nowhere/recipe.yaml"),
            "is neither a published recipe (list them: recipes list) nor a file",
        ),
        ((*ASK, "--generator", "llama-index:os:system"), "“os:system” names no LlamaIndex LLM"),
        ((*ASK, "--generator", "llama-index:llama_index.llms:X"), "names no LlamaIndex LLM"),
        ((*ASK, "--translator", "llm:llama-index:os:system"), "“os:system” names no LlamaIndex LLM"),
        ((*ASK, "--reranker", "llm:llama-index:os:system"), "“os:system” names no LlamaIndex LLM"),
        ((*ASK, "--generator", "openai-like:gpt-4o-mini", "--corpus", "nosuch"), "Unknown corpus “nosuch”"),
        ((*RETRIEVE, "--encoder", "llama-index:os:system"), "“os:system” names no LlamaIndex embedding"),
        ((*RETRIEVE, "--scope", "mars"), "Unknown scope"),
        ((*RETRIEVE, "--retriever", "magic"), "retriever is “magic”"),
        ((*RETRIEVE, "--balance", "fair"), "balance is “fair”"),
        ((*RETRIEVE, "--out", "/"), "is a folder"),
        ((*RETRIEVE, "--out", "/dev/null"), "is a device, a pipe or a socket, not a file"),
        ((*RETRIEVE, "--out", "/dev/null/run.trec"), "since “/dev/null” is not a folder that you can write to"),
        (("retrieve", "--corpus", "nosuch", "--dataset", "sample", "--lang", "en"), "Unknown corpus “nosuch”"),
        (("retrieve", "--corpus", "sample", "--dataset", "nosuch", "--lang", "en"), "Unknown dataset “nosuch”"),
        (("retrieve", "--corpus", "sample", "--dataset", "sample", "--lang", "tr"), "Unknown language of dataset"),
        (("retrieve", "--corpus", "helsinki", "--dataset", "helsinki", "--lang", "fi"), "Allowed: en"),
        (("corpora", "index", "nosuch"), "Unknown corpus"),
        (("corpora", "index", "helsinki", "--sparse"), "--encoder bge-m3 --sparse"),
        (("corpora", "index", "nosuch", "--encoder", "cohere-embed-multilingual-v3"), "Unknown corpus"),
        (("corpora", "index", "helsinki", "--encoder", "llama-index:os:system"), "names no LlamaIndex embedding"),
    ],
)
def test_a_choice_that_is_not_allowed(words: tuple[object, ...], expected: str, run: Terminal) -> None:
    refused(run(*words, *(() if words[0] == "corpora" else ("--json",))), expected)


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mod: trag", "Unknown recipe key “mod”"),
        ("mode: [", "is not YAML"),
        ("- mode", "holds no recipe"),
        ("a: &a [1]\nk: *a", "aliases"),
    ],
)
def test_a_recipe_that_is_not_one(text: str, expected: str, run: Terminal, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    refused(run(*ASK, "--recipe", tmp_path / "mine.yaml", "--json"), expected)


def _empty_paragraph() -> bytes:
    return json.dumps({"data": [{"title": "T", "paragraphs": [{"context": " "}]}]}).encode()


def _twice_the_same_id() -> bytes:
    paragraph = {"context": "Text.", "qas": [{"id": "q", "question": "Why?"}]}
    return json.dumps({"data": [{"title": "T", "paragraphs": [paragraph, paragraph]}]}).encode()


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("name", ["new", "helsinki"])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Où?".encode("latin-1"), "is not UTF-8"),
        (_twice_the_same_id()[:-9], "is not complete JSON"),
        (_twice_the_same_id(), "is already in"),
        (_empty_paragraph(), "paragraph 1 has an empty “context”"),
        (b'{"data": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"data": []}', "contains no paragraphs"),
        (b"", "is not complete JSON"),
    ],
)
def test_a_file_that_cannot_be_imported(
    content: bytes, expected: str, name: str, run: Terminal, tmp_path: Path
) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    refused(
        run("import", "squad", tmp_path / "bad.json", "--lang", "fi", "--name", name, "--json"), "bad.json", expected
    )


@pytest.mark.usefixtures("unharmed")
def test_one_bad_file_among_good_ones_imports_none(run: Terminal, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(_empty_paragraph())
    good = squad(tmp_path, "fi.json", FINNISH)
    refused(run("import", "squad", good, tmp_path / "bad.json", "--lang", "fi", "--name", "helsinki"), "bad.json")


@pytest.mark.usefixtures("unharmed")
def test_a_path_that_is_not_a_file(run: Terminal, tmp_path: Path) -> None:
    refused(run("import", "squad", tmp_path, "--lang", "fi", "--name", "new"), "is a folder")
    refused(run("import", "squad", tmp_path / "missing.json", "--lang", "fi", "--name", "new"), "There is no file")


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("name", ["a/b", "../evil", "/tmp/evil", "", ".", "Ä", "x" * 64])
def test_a_name_that_is_not_allowed(name: str, run: Terminal, tmp_path: Path) -> None:
    refused(run("import", "squad", squad(tmp_path, "fi.json", FINNISH), "--lang", "fi", "--name", name), "cannot name")


@pytest.mark.usefixtures("unharmed")
def test_the_samples_name_and_another_alignment_are_refused(run: Terminal, tmp_path: Path) -> None:
    place = squad(tmp_path, "fi.json", FINNISH)
    refused(run("import", "squad", place, "--lang", "fi", "--name", "sample"), "the workbench's own")
    refused(
        run("import", "squad", place, "--lang", "fi", "--name", "helsinki", "--aligned"),
        "is not aligned across languages",
    )
    refused(run("import", "squad", place, "--lang", "klingon", "--name", "new"), "Unknown language")


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("words", [("ask",), (*ASK, "--k", "many"), ("nosuch",), ("import", "squad", "x.json")])
def test_an_option_that_is_missing_or_unknown(words: tuple[object, ...], run: Terminal) -> None:
    result = run(*words)
    assert result.code == 2 and result.out == "" and "Traceback" not in result.err


def test_a_bad_question_builds_nothing_in_a_new_workspace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(terminal(tmp_path / "new", capsys, monkeypatch)("ask", "", "--lang", "en"), "empty")
    refused(terminal(tmp_path / "new", capsys, monkeypatch)("ask", "Who?", "--lang", "klingon"), "Unknown language")
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_that_is_a_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    refused(terminal(tmp_path / "file", capsys, monkeypatch)(*ASK), "set WORKBENCH_HOME to another folder", code=1)


def test_a_database_address_that_is_not_one_is_refused(run: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DATABASE_URL", "nonsense")
    refused(run(*ASK), "WORKBENCH_DATABASE_URL")


def test_as_a_program_a_question_that_is_not_utf8_is_refused(furnished: tuple[Path, dict[str, str]]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "ask", b"Who \xff?", "--lang", "en", "--json"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "WORKBENCH_HOME": str(furnished[0]), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        check=False,
    )
    refused(CommandResult(done.returncode, done.stdout.decode(), done.stderr.decode()), "an invalid character")
