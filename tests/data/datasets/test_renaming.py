"""Datasets and corpora are renamed and deleted at once or not at all, whoever is killed and whoever else is at it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from tests.data.datasets.test_importing import over
from tests.processes import FORKED
from tests.trees import tree
from workbench.core.errors import UsageError
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.importing import import_collection, rename_corpus
from workbench.workspace import atomic


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A workspace with the dataset “mine” over the corpus “mine”."""
    corpora, datasets = libraries(tmp_path)
    import_collection(corpora, datasets, over("en", "It leaves at nine.", "It has beds."), "mine")
    return tmp_path


def libraries(home: Path) -> tuple[CorpusLibrary, DatasetLibrary]:
    return CorpusLibrary(home / "corpora"), DatasetLibrary(home / "datasets")


def names(home: Path) -> tuple[list[str], list[str]]:
    """The corpora and the imported datasets."""
    corpora, datasets = libraries(home)
    return [item.name for item in corpora.list()], [item.name for item in datasets.list()][1:]


def test_a_renamed_dataset_has_its_questions_and_its_corpus(home: Path) -> None:
    _, datasets = libraries(home)
    questions = datasets.questions("mine", "en")
    assert datasets.rename("mine", "trains").corpus == "mine"
    assert datasets.questions("trains", "en") == questions
    with pytest.raises(UsageError, match="Unknown dataset “mine”"):
        datasets.info("mine")


def test_the_datasets_over_a_renamed_corpus_follow_it(home: Path) -> None:
    corpora, datasets = libraries(home)
    assert rename_corpus(corpora, datasets, "mine", "trains").name == "trains"
    assert datasets.info("mine").corpus == "trains"
    assert names(home) == (["trains"], ["mine"])


def test_a_renamed_corpus_is_searched_as_before(home: Path) -> None:
    corpora, datasets = libraries(home)
    before = corpora.open("mine").manifest.fingerprint
    rename_corpus(corpora, datasets, "mine", "trains")
    assert corpora.open("trains").manifest.fingerprint == before
    assert len(corpora.open("trains").table) == 2 and corpora.open("trains").lexical.rows_of(["p0.en"]) == {"p0.en": 0}


def test_a_corpus_is_opened_by_its_former_name_until_another_takes_it(home: Path) -> None:
    corpora, datasets = libraries(home)
    rename_corpus(corpora, datasets, "mine", "trains")
    assert corpora.open("mine").manifest.name == "trains"
    import_collection(corpora, datasets, over("en", "Another text."), "mine", existing="replace")
    assert corpora.open("mine").manifest.name == "mine" and len(corpora.open("mine").table) == 1


def test_a_renamed_corpus_is_indexed_again_under_its_present_name(home: Path) -> None:
    corpora, datasets = libraries(home)
    rename_corpus(corpora, datasets, "mine", "trains")
    assert corpora.index("mine").name == "trains"
    assert names(home)[0] == ["trains"] and corpora.open("mine").manifest.name == "trains"


@pytest.mark.parametrize("new", ["sample", "../x", "", "MINE", "other"])
def test_a_name_that_is_not_free_changes_nothing(new: str, home: Path) -> None:
    corpora, datasets = libraries(home)
    import_collection(corpora, datasets, over("en", "Another text."), "other")
    before = tree(home)
    for rename in (datasets.rename, corpora.rename):
        with pytest.raises(UsageError):
            rename("mine", new)
    assert tree(home) == before


def test_the_sample_is_neither_renamed_nor_deleted(home: Path) -> None:
    corpora, datasets = libraries(home)
    for change in (corpora.remove, datasets.remove):
        with pytest.raises(UsageError, match="“sample” belongs to the workbench"):
            change("sample")
    for rename in (corpora.rename, datasets.rename):
        with pytest.raises(UsageError, match="“sample” belongs to the workbench"):
            rename("sample", "new")


def test_a_deleted_dataset_is_gone_and_its_corpus_stays(home: Path) -> None:
    _, datasets = libraries(home)
    datasets.remove("mine")
    assert names(home) == (["mine"], []) and not (home / "datasets" / "mine").exists()
    with pytest.raises(UsageError, match="Unknown dataset"):
        datasets.remove("mine")


def test_what_is_damaged_can_be_deleted(home: Path) -> None:
    corpora, datasets = libraries(home)
    (home / "datasets" / "mine" / "dataset.json").write_text("{")
    (home / "corpora" / "mine" / "manifest.json").write_text("{")
    datasets.remove("mine")
    corpora.remove("mine")
    assert names(home) == ([], []) and corpora.damaged() == [] and datasets.damaged() == []


def change(home: str, kind: str) -> None:
    """One of the changes."""
    corpora, datasets = libraries(Path(home))
    if kind == "rename dataset":
        datasets.rename("mine", "trains")
    elif kind == "rename corpus":
        rename_corpus(corpora, datasets, "mine", "trains")
    elif kind == "delete dataset":
        datasets.remove("mine")
    else:
        corpora.remove("mine")


def die_at(home: str, kind: str, step: int) -> None:
    """Does one of the changes and is killed just before the file system changes for the `step`-th time."""
    steps = 0

    def counted(action: Callable[..., object]) -> Callable[..., object]:
        def act(*arguments: object, **options: object) -> object:
            nonlocal steps
            steps += 1
            if steps > step:
                os.kill(os.getpid(), signal.SIGKILL)
            return action(*arguments, **options)

        return act

    import shutil

    for owner, name in (
        (Path, "rename"),
        (Path, "replace"),
        (Path, "unlink"),
        (shutil, "rmtree"),
        (atomic, "write_text"),
    ):
        setattr(owner, name, counted(getattr(owner, name)))
    change(home, kind)


CHANGES: dict[str, set[tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "rename dataset": {(("mine",), ("mine",)), (("mine",), ("trains",))},
    "rename corpus": {(("mine",), ("mine",)), (("trains",), ("mine",))},
    "delete dataset": {(("mine",), ("mine",)), (("mine",), ())},
    "delete corpus": {(("mine",), ("mine",)), ((), ("mine",))},
}


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("step", range(6))
def test_a_kill_at_any_step_leaves_the_old_or_the_new(kind: str, step: int, home: Path) -> None:
    process = FORKED.Process(target=die_at, args=(str(home), kind, step))
    process.start()
    process.join(60)
    assert process.exitcode in ((0, -signal.SIGKILL) if step else (-signal.SIGKILL,))
    corpora, datasets = libraries(home)
    present, imported = names(home)
    assert (tuple(present), tuple(imported)) in CHANGES[kind]
    assert corpora.damaged() == [] and datasets.damaged() == []
    for name in imported:
        assert len(datasets.questions(name, "en")) == 1
        if present:
            assert corpora.open(datasets.info(name).corpus).manifest.passages == 2
    # The same names can be used again.
    import_collection(corpora, datasets, over("en", "It leaves at nine."), "mine", existing="replace")
    assert len(corpora.open("mine").table) == 1


def test_a_dataset_that_did_not_follow_does_so_before_another_corpus_takes_the_name(home: Path) -> None:
    corpora, datasets = libraries(home)
    corpora.rename("mine", "trains")  # and killed here
    import_collection(corpora, datasets, over("fi", "Se lähtee."), "mine-fi")
    assert datasets.info("mine").corpus == "trains"


def rename_at_once(home: str, new: str, barrier: Barrier, outcome: str) -> None:
    """Renames the dataset and the corpus at the same moment as the other process; writes down whether it could."""
    corpora, datasets = libraries(Path(home))
    barrier.wait(60)
    done = []
    for rename in (lambda: rename_corpus(corpora, datasets, "mine", new), lambda: datasets.rename("mine", new)):
        try:
            rename()
            done.append(new)
        except UsageError:
            done.append("")
    Path(outcome).write_text(",".join(done))


def test_of_two_renamings_at_once_one_wins_and_nothing_is_lost(home: Path) -> None:
    barrier = FORKED.Barrier(2)
    processes = [
        FORKED.Process(target=rename_at_once, args=(str(home), new, barrier, str(home / new))) for new in ("one", "two")
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0]
    outcomes = [(home / new).read_text().split(",") for new in ("one", "two")]
    (corpus,) = {corpus for corpus, _ in outcomes} - {""}
    (dataset,) = {dataset for _, dataset in outcomes} - {""}
    assert names(home) == ([corpus], [dataset])
    assert libraries(home)[1].info(dataset).corpus == corpus
