"""The screens' door to the layers below: the one workbench of this server, opened once, and what can go wrong in it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

import streamlit as st

from workbench import settings
from workbench.corpora import sample
from workbench.errors import WorkbenchError
from workbench.ui.shared import safe_html

if TYPE_CHECKING:
    from workbench.components.inventory import Entry
    from workbench.corpora.manifest import CorpusManifest
    from workbench.datasets.dataset_library import DatasetInfo
    from workbench.models.background import Downloads
    from workbench.recipes.recipe import Recipe
    from workbench.records import Answer, Passage, Question, Translation
    from workbench.workspace.doctor import Check
    from workbench.workspace.workbench import Workbench

log = logging.getLogger("workbench.screens")

UNEXPECTED = "Something went wrong that should not have. The server's log has the details; the workspace is as it was."

UNUSABLE = (
    "The workspace cannot be read or written ({}). Free the folder, or choose another one before the start: "
    "export WORKBENCH_HOME=FOLDER"
)


@st.cache_resource(show_spinner=False)
def workbench() -> Workbench:
    """The workbench that all sessions of this server share. Opening it reads nothing."""
    from workbench.workspace.workbench import Workbench

    return Workbench(settings.load())


@contextmanager
def guarded() -> Iterator[None]:
    """Shows what goes wrong inside as one sentence. A person never meets a traceback; the log does."""
    try:
        yield
    except Exception as error:
        safe_html.message(sentence(error), "error")


def sentence(error: Exception) -> str:
    """What went wrong, to be shown; what nobody foresaw goes to the log."""
    if isinstance(error, WorkbenchError):
        return str(error)
    if isinstance(error, OSError):
        log.error("the workspace cannot be used", exc_info=error)
        return UNUSABLE.format(error.strerror or "the reason is in the server's log")
    log.error("unexpected error on a screen", exc_info=error)
    return UNEXPECTED


def corpora() -> Mapping[str, tuple[str, ...]]:
    """The corpora that can be asked, each with its languages; the sample first, built or not."""
    return {
        sample.SAMPLE: sample.languages(),
        **{name: tuple(counts) for name, counts in passages().items() if name != sample.SAMPLE},
    }


def passages() -> Mapping[str, Mapping[str, int]]:
    """How many passages the workspace's corpora hold, by corpus and language."""
    return {item.name: item.languages for item in workbench().library.list()}


def datasets() -> list[DatasetInfo]:
    """The workspace's datasets."""
    from workbench.datasets.dataset_library import DatasetLibrary

    return DatasetLibrary(workbench().settings.datasets).list()


def manifests() -> list[CorpusManifest]:
    """What the workspace's whole corpora say of themselves."""
    return workbench().library.list()


def damaged_corpora() -> Sequence[str]:
    """The names of corpora that cannot be read."""
    return workbench().library.damaged()


def encoders() -> Mapping[str, Sequence[str]]:
    """The encoders that indexed each corpus, the built-in one aside."""
    from workbench.components.inventory import indexed

    return indexed(workbench())


def questions(dataset: str, code: str) -> Sequence[Question]:
    """The questions of a dataset in one language."""
    from workbench.datasets.dataset_library import DatasetLibrary

    return DatasetLibrary(workbench().settings.datasets).questions(dataset, code)


def first_passages(corpus: str, count: int) -> Sequence[Passage]:
    """The first passages of a corpus, in its own order."""
    return list(islice(iter(workbench().corpus(corpus).table), count))


def components() -> list[Check]:
    """The state of what the workbench is made of."""
    from workbench.workspace.doctor import essentials

    return essentials(workbench())


def inventory() -> tuple[Entry, ...]:
    """Everything that a recipe can name, with its state now."""
    from workbench.components.inventory import inventory as look_up

    return look_up(workbench().settings.home)


def checked(recipe: Recipe) -> tuple[str, ...]:
    """The hosts that texts go to under a recipe. Raises UsageError where one of its components means nothing."""
    from workbench.components.inventory import check

    return check(recipe, workbench().settings.home)


@st.cache_resource(show_spinner=False)
def downloads() -> Downloads:
    """The downloads of this server; they go on whoever looks."""
    from workbench.models.background import Downloads

    return Downloads()


def in_english(answer: Answer, recipe: Recipe) -> Mapping[int, Translation]:
    """The answer's documents in English, by rank, for people to read."""
    from workbench.workspace.evidence_translation import in_english as translate

    return translate(workbench(), answer.evidence, recipe)


def prepare(corpus: str) -> None:
    """Opens a corpus; the sample is built when it is first opened, under a progress bar. Raises what opening raises."""
    place = st.empty()

    def progress(phase: str, done: int, total: int) -> None:
        share = f" · {done:,} of {total:,} passages" if total else ""
        place.progress(done / total if total else 0.0, text=f"Preparing the corpus, once: {phase}{share}")

    workbench().corpus(corpus, progress)
    place.empty()


@st.cache_resource(show_spinner=False)
def warm(corpus: str) -> threading.Thread:
    """Opens a corpus and the components in the background, so that the first answer does not wait for them."""

    def work() -> None:
        from workbench.recipes.recipe import make_recipe
        from workbench.workspace.warm_up import warm_up

        try:
            warm_up(workbench(), make_recipe({"mode": "crossrag", "corpus": corpus}), corpora()[corpus])
        except Exception:
            log.exception("warming up failed; the first answer will be slower")

    thread = threading.Thread(target=work, name="warm up", daemon=True)
    thread.start()
    return thread
