from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, refused, terminal
from tests.data.documents.dumps import page, write_plain
from workbench.data.corpora.corpus_library import CorpusLibrary


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return terminal(tmp_path / "home", capsys, monkeypatch)


@pytest.fixture
def dumps(tmp_path: Path) -> tuple[Path, Path, Path]:
    finnish = [
        page(3, "Oulu", "'''Oulu''' on [[kaupunki]] Pohjanlahden rannalla.\n== Historia ==\nSe perustettiin 1605.")
    ]
    english = [page(12, "Oulu", "'''Oulu''' is a [[city]] by the Gulf of Bothnia."), page(13, "Tar", "Tar is sticky.")]
    links = tmp_path / "enwiki-latest-langlinks.sql"
    links.write_text("INSERT INTO `langlinks` VALUES (12,'fi','Oulu');\n", encoding="utf-8")
    return write_plain(tmp_path / "fi.xml", finnish), write_plain(tmp_path / "en.xml", english, "en"), links


def test_dumps_in_two_languages_become_one_corpus(run: Terminal, dumps: tuple[Path, Path, Path]) -> None:
    result = run("corpora", "wikipedia", "wiki", dumps[0], dumps[1], "--json")
    assert result.json["languages"] == {"en": 2, "fi": 1}
    assert "Wikipedia: fi.xml, en.xml (words-100)" in result.json["source"]


def test_linked_articles_are_in_one_group(run: Terminal, dumps: tuple[Path, Path, Path], tmp_path: Path) -> None:
    run("corpora", "wikipedia", "wiki", dumps[0], dumps[1], "--links", dumps[2])
    table = CorpusLibrary(tmp_path / "home" / "corpora").open("wiki").table
    groups = {passage.id: passage.group for passage in table}
    assert groups == {"fi:3#0": "en:12", "en:12#0": "en:12", "en:13#0": "en:13"}


def test_nothing_is_left_beside_a_complete_corpus(
    run: Terminal, dumps: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    run("corpora", "wikipedia", "wiki", dumps[0])
    assert list((tmp_path / "home" / "wikipedia").iterdir()) == []


def test_a_file_that_is_no_dump_is_refused_in_a_sentence(run: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<html/>")
    result = run("corpora", "wikipedia", "wiki", path)
    refused(result, "is not a dump of Wikipedia", code=result.code)
    assert result.code
