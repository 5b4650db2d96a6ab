"""The corpora of a workspace: listed, opened, added, removed; the sample is built when it is opened."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tests.trees import tree
from workbench.core.errors import DataError, UsageError
from workbench.core.records import Passage, Query
from workbench.data.corpora import corpus_library as module, sample
from workbench.data.corpora.build import CorpusManifest
from workbench.data.corpora.corpus_library import CorpusLibrary

pytestmark = pytest.mark.usefixtures("work_done_anew")

FERRY = [Passage("p0.en", "d", "Timetable", "en", "The ferry leaves at nine.")]
TRAM = [Passage("p0.en", "d", "Timetable", "en", "The tram leaves at ten.")]


@pytest.fixture
def library(tmp_path: Path) -> CorpusLibrary:
    return CorpusLibrary(tmp_path / "corpora")


def add(library: CorpusLibrary, name: str = "mine", passages: list[Passage] = FERRY) -> None:
    library.add(name, passages, source="a test", licence="none")


def damage(folder: Path, name: str = "mine", text: str = '{"name": "mi') -> None:
    (folder / "corpora" / name / "manifest.json").write_text(text)


def test_a_new_workspace_has_no_corpora(library: CorpusLibrary) -> None:
    assert library.list() == []


def test_an_added_corpus_is_listed_and_opens(library: CorpusLibrary) -> None:
    add(library)
    assert [manifest.name for manifest in library.list()] == ["mine"]
    corpus = library.open("mine")
    assert corpus.languages == ("en",)
    assert corpus.table.passages([0]) == FERRY


def test_a_corpus_is_opened_once_and_anew_after_it_was_replaced(library: CorpusLibrary) -> None:
    add(library)
    first = library.open("mine")
    assert library.open("mine") is first
    add(library, passages=TRAM)
    assert library.open("mine") is not first
    assert library.open("mine").table.passages([0]) == TRAM


def test_an_unknown_corpus_is_refused_with_those_that_exist(library: CorpusLibrary) -> None:
    add(library)
    with pytest.raises(UsageError, match=r"Unknown corpus “other”. Allowed: mine, sample"):
        library.open("other")


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".", "..", "A", "ä", "x" * 64, "-x", "mine\n", "a b"])
def test_a_name_that_cannot_be_a_folder_is_refused(name: str, library: CorpusLibrary, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot name a corpus"):
        add(library, name)
    with pytest.raises(UsageError, match="Unknown corpus"):
        library.open(name)
    assert list(tmp_path.iterdir()) == []


def test_the_samples_name_is_taken(library: CorpusLibrary, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the workbench's own"):
        add(library, "sample")
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_without_text_is_refused_and_leaves_nothing(library: CorpusLibrary, tmp_path: Path) -> None:
    with pytest.raises(DataError):
        add(library, passages=[])
    assert library.list() == [] and tree(tmp_path / "corpora") == {}


@pytest.mark.parametrize("text", ["…", "7", "A", "🙂", "\x00"])
def test_a_passage_of_a_single_character_makes_a_corpus(text: str, library: CorpusLibrary) -> None:
    add(library, passages=[Passage("p0.en", "d", "", "en", text)])
    corpus = library.open("mine")
    assert len(corpus.lexical.retrieve([Query("A", "en", ("en",))], 5)) == 1
    assert len(corpus.dense.retrieve([Query("A", "en", ("en",))], 5)) == 1


def test_a_corpus_is_indexed_again_from_its_passages(library: CorpusLibrary) -> None:
    add(library)
    before = library.open("mine")
    after = library.index("mine")
    assert after.version != before.manifest.version and after.fingerprint == before.manifest.fingerprint
    assert (after.source, after.licence) == ("a test", "none")
    assert list(library.open("mine").table) == FERRY


def test_a_removed_corpus_is_gone(library: CorpusLibrary, tmp_path: Path) -> None:
    add(library)
    library.remove("mine")
    assert library.list() == [] and not (tmp_path / "corpora" / "mine").exists()
    with pytest.raises(UsageError):
        library.open("mine")


@pytest.mark.parametrize("text", ["", '{"name": "mi', "[]", '{"name": "mine"}'])
def test_a_damaged_manifest_is_reported_with_a_remedy_that_works(
    text: str, library: CorpusLibrary, tmp_path: Path
) -> None:
    add(library)
    damage(tmp_path, text=text)
    with pytest.raises(DataError, match="“mine” is damaged: import the corpus again under the same name") as caught:
        library.open("mine")
    assert "\n" not in str(caught.value)
    add(library, passages=TRAM)
    assert library.open("mine").table.passages([0]) == TRAM


def test_a_damaged_corpus_does_not_hide_the_others(library: CorpusLibrary, tmp_path: Path) -> None:
    add(library, "good")
    add(library, "mine")
    damage(tmp_path)
    assert [manifest.name for manifest in library.list()] == ["good"]
    assert library.damaged() == ["mine"]


def test_the_sample_opens_with_every_passage_and_is_not_built_again(sample_home: Path) -> None:
    library = CorpusLibrary(sample_home / "corpora")
    phases: list[str] = []
    corpus = library.open("sample", lambda phase, _done, _total: phases.append(phase))
    assert phases == []
    assert tuple(corpus.table) == sample.passages()
    assert set(corpus.languages) == set(sample.languages())


@pytest.mark.parametrize("what", ["BUILDER", "SEGMENTER_VERSION", "ENCODER_VERSION"])
def test_a_sample_that_another_version_of_the_code_built_is_out_of_date(
    what: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    monkeypatch.setattr(module, "build_corpus", lambda folder, *_, **__: built.append(folder.name))
    monkeypatch.setattr(module, what, getattr(module, what) + 1)
    with pytest.raises(UsageError):
        CorpusLibrary(home / "corpora").open("sample")
    assert built == ["sample"]


def test_a_sample_with_a_damaged_manifest_is_built_anew(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = home / "corpora" / "sample" / "manifest.json"
    facts = json.loads(manifest.read_text())
    del facts["checksum"]
    manifest.unlink()
    manifest.write_text("{")
    library = CorpusLibrary(home / "corpora")
    monkeypatch.setattr(module, "build_corpus", lambda *_, **__: CorpusManifest(**facts))
    assert library.open("sample").manifest.fingerprint == facts["fingerprint"]


def test_two_that_open_a_new_sample_at_once_build_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "passages", lambda: FERRY)
    monkeypatch.setattr(sample, "aligned_sentences", lambda: ())
    meeting = Barrier(2)

    def open_sample(_number: int) -> str:
        meeting.wait()
        return CorpusLibrary(tmp_path).open("sample").manifest.version

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(open_sample, range(2))
    assert one == two
