"""The screens' access to the layers below: the one workbench of this server, and messages for what goes wrong in it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import Role, WorkbenchError, is_panic
from workbench.data import SAMPLE, languages
from workbench.ui.parts import safe_html
from workbench.workspace import carried, settings

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from workbench.app import Check, Workbench
    from workbench.components import Entry
    from workbench.core import Answer, Translation
    from workbench.data import CorpusManifest, DatasetInfo, DatasetLibrary
    from workbench.pipeline import Recipe

log = logging.getLogger("workbench.screens")

READY_SECONDS = 2.0
"""Seconds for which forms show what can be used without looking at packages, files and keys again."""
UNEXPECTED = "An unexpected error occurred. The server's log has the details; the workspace is unchanged."

UNUSABLE = (
    "The workspace cannot be read or written ({}). Check the folder's permissions and free space, or choose another "
    "folder before starting the app: export WORKBENCH_HOME=FOLDER"
)


@st.cache_resource(show_spinner=False)
def workbench() -> Workbench:
    """The workbench that all sessions of this server share. Opening it reads no files."""
    from workbench.app import Workbench

    return Workbench(settings.load())


@contextmanager
def guarded() -> Iterator[None]:
    """Shows an error that is raised inside as one sentence. A traceback never reaches the screen, only the log."""
    with caught(lambda sentence: safe_html.message(sentence, "error")):
        yield


@contextmanager
def caught(report: Callable[[str], object]) -> Iterator[None]:
    """Passes an error that is raised inside to `report` as one sentence."""
    try:
        yield
    except Exception as error:
        report(error_message(error))
    except BaseException as error:
        # Streamlit ends and repeats runs by exceptions like this, which must pass; a panic must not.
        if not is_panic(error):
            raise
        report(error_message(error))


def error_message(error: BaseException) -> str:
    """The sentence to show for an error. Anything but a WorkbenchError is also logged."""
    if isinstance(error, WorkbenchError):
        return error.on_screen
    if isinstance(error, OSError):
        log.error("the workspace cannot be used", exc_info=error)
        return UNUSABLE.format(error.strerror or "the reason is in the server's log")
    log.error("unexpected error on a screen", exc_info=error)
    return UNEXPECTED


def corpora() -> Mapping[str, tuple[str, ...]]:
    """The corpora that can be searched, each with its languages; the sample comes first, whether built or not."""
    return {
        SAMPLE: languages(),
        **{name: tuple(counts) for name, counts in passage_counts().items() if name != SAMPLE},
    }


def passage_counts() -> Mapping[str, Mapping[str, int]]:
    """The number of passages by corpus and language."""
    return {item.name: item.languages for item in workbench().library.list()}


def dataset_library() -> DatasetLibrary:
    """The workspace's datasets, to read."""
    from workbench.data import DatasetLibrary

    return DatasetLibrary(workbench().settings.datasets)


def datasets() -> list[DatasetInfo]:
    """The workspace's datasets."""
    return dataset_library().list()


def manifests() -> list[CorpusManifest]:
    """The manifests of the workspace's complete corpora."""
    return workbench().library.list()


def damaged_corpora() -> Sequence[str]:
    """The names of corpora that cannot be read."""
    return workbench().library.damaged()


def damaged_datasets() -> Sequence[str]:
    """The names of datasets that cannot be read."""
    return dataset_library().damaged()


def encoders() -> Mapping[str, Sequence[str]]:
    """The encoders that each corpus is indexed with, by corpus; the built-in one is left out."""
    return workbench().indexes()


def components() -> list[Check]:
    """The state of the workbench's essential components."""
    from workbench.app import essentials

    return essentials(workbench())


def inventory(*roles: Role) -> tuple[Entry, ...]:
    """What a recipe can name for these roles, all where none is named, with its present state."""
    return workbench().registry.inventory(*roles)


@st.cache_resource(ttl=READY_SECONDS, show_spinner=False)
def models(role: Role, home: Path) -> Mapping[str, Entry]:  # noqa: ARG001 (by which one is told from another)
    """What a recipe can name for a role in the workspace `home`, what is ready first; read anew every few seconds."""
    return {entry.name: entry for entry in workbench().registry.inventory(role)}


def default_recipe(**choices: str) -> Recipe:
    """The recipe that a page begins with: the workspace's default generator answers, unless another is chosen."""
    from workbench.components import with_default_generator
    from workbench.pipeline import make_recipe

    return with_default_generator(make_recipe(choices), workbench().settings.home)


def unready(recipe: Recipe) -> tuple[Entry, ...]:
    """Every component that a recipe uses and that cannot be used now."""
    return workbench().registry.unready(recipe)


def check(recipe: Recipe) -> tuple[str, ...]:
    """The hosts that texts are sent to under a recipe. Raises UsageError for a component's name that means nothing."""
    return workbench().registry.check(recipe)


def stand_in(recipe: Recipe) -> str:
    """Why the built-in encoder serves in place of the recipe's, in a sentence; "" where it does not."""
    return workbench().registry.stand_in(recipe, workbench().corpus(recipe.corpus))


def unknown_languages(recipe: Recipe) -> tuple[str, ...]:
    """The corpus's languages that the recipe's encoder was not trained on."""
    return workbench().registry.unknown_languages(recipe, workbench().corpus(recipe.corpus))


def in_english(answer: Answer, recipe: Recipe) -> Mapping[int, Translation]:
    """The answer's documents in English, by rank, as an aid to reading."""
    return workbench().evidence_in_english(answer.evidence, recipe)


def prepare(corpus: str) -> None:
    """Opens a corpus; the sample is built when it is first opened, with a progress bar. Raises what opening raises."""
    placeholder: list[DeltaGenerator] = []

    def progress(phase: str, done: int, total: int) -> None:
        placeholder[:] = placeholder or [st.empty()]
        share = f" · {done:,} of {total:,} passages" if total else ""
        placeholder[0].progress(done / total if total else 0.0, text=f"Preparing the corpus, only once: {phase}{share}")

    workbench().corpus(corpus, progress)
    for bar in placeholder:
        bar.empty()


@st.cache_resource(show_spinner=False)
def warm(corpus: str) -> threading.Thread:
    """Opens a corpus and the components in the background, so that the first answer does not wait for them."""

    def work() -> None:
        from workbench.app import warm_up
        from workbench.pipeline import make_recipe

        try:
            warm_up(workbench(), make_recipe({"mode": "crossrag", "corpus": corpus}), corpora()[corpus])
        except Exception:
            log.exception("warming up failed; the first answer will be slower")

    thread = threading.Thread(target=carried(work), name="warm up", daemon=True)
    thread.start()
    return thread
