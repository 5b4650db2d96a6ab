"""A damaged corpus: one sentence with the command that rebuilds, instead of wrong figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, terminal
from tests.data.corpora.test_corpus_library import FERRY
from workbench.app.doctor import examine
from workbench.app.workbench import Workbench
from workbench.core.errors import DataError
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.workspace import settings

PARTS = {
    "passages.arrow": "passages.arrow",
    "dense": "dense/en.vectors.npy",
    "dense rows": "dense/en.rows.npy",
    "dense manifest": "dense/dense.json",
    "lexical": "lexical/shards/en/*.term",
    "lexical meta": "lexical/shards/en/meta.json",
    "encoder": "encoder/sounds.map.npy",
    "encoder manifest": "encoder/encoder.json",
}


@pytest.fixture
def library(tmp_path: Path) -> CorpusLibrary:
    library = CorpusLibrary(tmp_path / "corpora")
    library.add("mine", FERRY, source="test", licence="test")
    return library


def damaged(library: CorpusLibrary, pattern: str) -> Path:
    folder = library.open("mine").folder
    path = next(iter(folder.glob(pattern)))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return folder


def use(library: CorpusLibrary) -> None:
    corpus = CorpusLibrary(library._folder).open("mine")
    assert len(corpus.table) == len(FERRY)
    assert corpus.lexical.languages and corpus.dense.languages


@pytest.mark.parametrize("part", PARTS)
def test_one_changed_bit_is_one_sentence_with_what_to_type(part: str, library: CorpusLibrary) -> None:
    use(library)
    damaged(library, PARTS[part])
    with pytest.raises(DataError) as caught:
        use(library)
    sentence = str(caught.value)
    remedy = "import its files again." if part == "passages.arrow" else "python -m workbench corpora index mine"
    assert sentence.endswith(remedy), sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("part", PARTS)
def test_doctor_does_not_say_ready_and_the_command_repairs(
    part: str,
    library: CorpusLibrary,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    damaged(library, PARTS[part])
    bench = Workbench(settings.load(tmp_path))
    check = next(check for check in examine(bench) if check.name == "corpus mine")
    assert not check.ready and check.remedy
    if part == "passages.arrow":
        return
    run: Terminal = terminal(tmp_path, capsys, monkeypatch)
    assert check.remedy == "python -m workbench corpora index mine"
    assert run(*check.remedy.split()[3:]).code == 0
    use(library)


def test_a_deep_check_reads_what_opening_does_not(library: CorpusLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.workspace import checksum as checksums

    monkeypatch.setattr(checksums, "COMPLETE_LIMIT", 1_000)
    monkeypatch.setattr(checksums, "PIECE", 8)
    library.add("mine", FERRY, source="test", licence="test")
    folder = library.open("mine").folder
    path = folder / "encoder" / "sounds.idf.npy"
    content = bytearray(path.read_bytes())
    content[1_000] ^= 1
    path.write_bytes(content)
    use(library)
    with pytest.raises(DataError, match=r"sounds\.idf\.npy is not as it was written"):
        library.open("mine").check_all_bytes()
