"""`datasets` and `corpora`: show, rename and delete them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, refused
from tests.data.datasets.forms import beir
from tests.trees import tree


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def ferries(run: Terminal, tmp_path: Path) -> None:
    """The corpus and the dataset “ferries”."""
    assert run("import", "beir", beir(tmp_path / "files"), "--lang", "en", "--name", "ferries").code == 0


@pytest.mark.usefixtures("ferries")
def test_a_dataset_is_shown_with_its_source_questions_and_golds(run: Terminal) -> None:
    result = run("datasets", "show", "ferries", "--search", "FROM where")
    assert result.out.startswith("ferries\tcorpus ferries\ten:2\nSource: BEIR folder files, test")
    assert "\ten\tWhere from?\tno gold\td1" in result.out and result.err == "1 of 1 questions.\n"


def test_a_page_of_the_sample_is_printed_as_json(run: Terminal) -> None:
    shown = run("datasets", "show", "sample", "--lang", "fi", "--skip", 1, "--limit", 2, "--json").json
    assert len(shown["questions"]) == 2 and shown["matches"] == shown["languages"]["fi"]
    refused(run("datasets", "show", "nothing"), "Unknown dataset “nothing”")


@pytest.mark.usefixtures("ferries")
def test_a_dataset_and_a_corpus_are_renamed(run: Terminal) -> None:
    assert run("corpora", "rename", "ferries", "boats").err == "The corpus “ferries” is now called “boats”.\n"
    assert run("datasets", "rename", "ferries", "trips").code == 0
    listed = run("datasets", "list").out.splitlines()
    assert listed[1].startswith("trips\tcorpus boats")
    refused(run("corpora", "rename", "sample", "mine"), "it can be neither renamed nor deleted")


@pytest.mark.usefixtures("ferries")
def test_nothing_is_deleted_without_a_confirmation(run: Terminal, home: Path) -> None:
    before = tree(home / "corpora"), tree(home / "datasets")
    refused(run("datasets", "delete", "ferries"), "would be deleted", "--yes")
    refused(run("corpora", "delete", "ferries"), "would be deleted", "--yes")
    assert (tree(home / "corpora"), tree(home / "datasets")) == before
    refused(run("datasets", "delete", "sample"), "it can be neither renamed nor deleted")


@pytest.mark.usefixtures("ferries")
def test_a_corpus_is_deleted_after_the_dataset_over_it(run: Terminal, home: Path) -> None:
    refused(run("corpora", "delete", "ferries", "--yes"), "“ferries” has its gold passages in the corpus “ferries”")
    assert run("datasets", "delete", "ferries", "--yes").err == "The dataset “ferries” is deleted.\n"
    assert run("corpora", "delete", "ferries", "--yes").err == "The corpus “ferries” is deleted.\n"
    assert not (home / "corpora" / "ferries").exists() and not (home / "datasets" / "ferries").exists()


@pytest.mark.parametrize("kind", ["datasets", "corpora"])
def test_what_does_not_exist_is_neither_renamed_nor_deleted(kind: str, run: Terminal) -> None:
    for words in (("rename", "gone", "new"), ("delete", "gone")):
        refused(run(kind, *words), "Unknown", "“gone”")
