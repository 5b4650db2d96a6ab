"""Every verb × every role: the real function is let through or refused, and a refusal changes nothing."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType

import pytest
from sqlalchemy import Engine

from tests.annotation.material import SEVERAL, add_answers
from tests.architecture.sources import ROOT, modules
from workbench.annotation.diagnosis.diagnosing import propose_for
from workbench.annotation.files.label_files import export_labels
from workbench.annotation.files.label_import import import_labels
from workbench.annotation.label_store import AdjudicationStore, LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.votes import VoteStore
from workbench.app.workbench import Workbench
from workbench.components.endpoint_file import remove_endpoint
from workbench.core.errors import WorkbenchError
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.experiments import data_changes
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.results.predictions import import_predictions
from workbench.experiments.results.result_store import ResultStore, SavedFilters
from workbench.experiments.tours.tour import TourLibrary
from workbench.jobs.imports.intake_jobs import IntakeJobs
from workbench.jobs.question_generation.draft_store import DraftStore
from workbench.models.download import Downloads
from workbench.optimise.search_store import SearchJobs
from workbench.pipeline.recipe import make_recipe
from workbench.workspace import settings
from workbench.workspace.accounts import credentials
from workbench.workspace.accounts.accounts import AccountKeys, Accounts
from workbench.workspace.accounts.audit import AuditLog
from workbench.workspace.database import move_database, row_counts
from workbench.workspace.permissions import NOBODY, VERBS, Actor, NotAllowed, Role, Verb, acting_as, check

PEOPLE = [NOBODY, *(Actor("Anna", role) for role in Role)]
NONE = "none"
"""The name of something that does not exist: whoever may, is answered so."""


@dataclass(frozen=True)
class Workspace:
    """One workspace for all cells, with a queue of answers."""

    bench: Workbench
    store: ResultStore
    queue: AnnotationQueue

    @property
    def home(self) -> Path:
        return self.bench.settings.home

    @property
    def engine(self) -> Engine:
        return self.store.engine

    @property
    def state(self) -> tuple[object, ...]:
        """What a refusal leaves as it was: rows, files and their sizes. The database's files are counted by rows."""
        files = [path for path in self.home.rglob("*") if path.is_file() and not path.name.startswith("workbench.db")]
        return row_counts(self.engine), sorted((str(path), path.stat().st_size) for path in files)


@pytest.fixture(scope="module")
def workspace(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    home = tmp_path_factory.mktemp("verbs")
    (home / "corpora").symlink_to(sample_home / "corpora")
    bench = Workbench(settings.load(home))
    store = ResultStore.at(bench.settings.database_url)
    queue = QueueStore(store).create("Lights", SEVERAL, add_answers(store), per_language=1)
    return Workspace(bench, store, queue)


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    from argon2 import PasswordHasher

    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(credentials, "password_hasher", lambda: cheap)


CALLS: dict[str, Callable[[Workspace], object]] = {
    "screens.look": lambda w: check("screens.look"),
    "questions.ask": lambda w: w.bench.search("Who invented radio?", "en", make_recipe({"scope": "en", "k": 1})),
    "votes.reveal": lambda w: VoteStore(w.store).reveal(NONE, "Anna"),
    "password.change": lambda w: Accounts(w.engine).change_password("Anna", "a wrong password", "another password"),
    "labels.save": lambda w: LabelStore(w.store).undo(w.queue.id, "Anna"),
    "labels.take": lambda w: QueueStore(w.store).next_item(w.queue.id, "Anna"),
    "votes.cast": lambda w: VoteStore(w.store).undo(NONE, "Anna"),
    "decisions.save": lambda w: AdjudicationStore(w.store).decide(
        QueueStore(w.store).items(w.queue.id)[0], "answer", ["good"], NONE, "Anna"
    ),
    "proposals.run": lambda w: propose_for(w.bench, [], sends=False),
    "drafts.review": lambda w: DraftStore(w.engine).accept(NONE, 1, "Anna"),
    "drafts.write": lambda w: DraftStore(w.engine).remove(NONE),
    "runs.start": lambda w: ExperimentJobs(w.bench.settings).start(NONE),
    "runs.stop": lambda w: ExperimentJobs(w.bench.settings).stop(NONE),
    "runs.import": lambda w: import_predictions(w.bench, w.home / NONE, NONE, title=""),
    "runs.rename": lambda w: ExperimentJobs(w.bench.settings).rename(NONE, "other"),
    "runs.delete": lambda w: ExperimentJobs(w.bench.settings).discard(NONE),
    "searches.start": lambda w: SearchJobs(w.bench.settings).start(NONE),
    "searches.stop": lambda w: SearchJobs(w.bench.settings).stop(NONE),
    "searches.delete": lambda w: SearchJobs(w.bench.settings).discard(NONE),
    "corpora.add": lambda w: w.bench.library.remove_documents(NONE, ["1"]),
    "corpora.index": lambda w: w.bench.library.index(NONE),
    "corpora.rename": lambda w: data_changes.rename_library_corpus(w.bench, NONE, "other"),
    "datasets.add": lambda w: DatasetLibrary(w.bench.settings.datasets).add("Not a name", "", [], aligned=False),
    "datasets.rename": lambda w: data_changes.rename_dataset(w.bench, NONE, "other"),
    "imports.change": lambda w: IntakeJobs(w.bench.settings).discard("0" * 32),
    "queues.create": lambda w: QueueStore(w.store).create("", SEVERAL, [], per_language=1),
    "queues.change": lambda w: QueueStore(w.store).use_version(NONE, SEVERAL),
    "queues.delete": lambda w: QueueStore(w.store).delete(NONE),
    "labels.export": lambda w: export_labels(w.store, w.queue, NONE, w.home / "labels"),
    "labels.import": lambda w: import_labels(w.store, w.home / "labels.csv"),
    "tours.save": lambda w: TourLibrary(w.home).remove(NONE),
    "filters.save": lambda w: SavedFilters(w.store, "inspect").delete(NONE),
    "models.tune": lambda w: w.bench.registry.tuned.delete(NONE),
    "models.download": lambda w: Downloads(w.bench.settings).stop(NONE),
    "models.use": lambda w: w.bench.registry.test("encoder", NONE),
    "settings.change": lambda w: remove_endpoint(w.home, NONE),
    "corpora.delete": lambda w: data_changes.delete_corpus(w.bench, NONE),
    "datasets.delete": lambda w: data_changes.delete_dataset(w.bench, NONE),
    "database.move": lambda w: move_database(w.engine, w.engine),
    "accounts.manage": lambda w: Accounts(w.engine).remove(NONE),
    "keys.manage": lambda w: AccountKeys(w.engine).remove(0),
    "audit.look": lambda w: AuditLog(w.engine).page(),
}
"""One call of each verb, which ends well or with a sentence about its input."""


def verb_functions() -> Iterator[tuple[str, Callable[..., object], Verb]]:
    """Every function that is a verb, wherever it is."""
    for path in modules("workbench"):
        if "@verb(" not in path.read_text(encoding="utf-8") or path.name == "actor.py":
            continue
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        owners = [module, *(item for item in vars(module).values() if inspect.isclass(item))]
        for owner in owners:
            for item in vars(owner).values():
                entry = getattr(item, "verb", None)
                if isinstance(item, FunctionType) and isinstance(entry, Verb) and item.__module__ == module.__name__:
                    yield f"{module.__name__}.{item.__qualname__}", item, entry


FUNCTIONS = {name: (function, entry) for name, function, entry in verb_functions()}


def test_the_table_has_a_call_of_every_verb() -> None:
    assert list(CALLS) == [entry.name for entry in VERBS]


@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person.role or "nobody")
@pytest.mark.parametrize("entry", VERBS, ids=lambda entry: entry.name)
def test_each_role_may_what_the_catalogue_says(entry: Verb, person: Actor, workspace: Workspace) -> None:
    may = person.role is not None and list(Role).index(person.role) >= list(Role).index(entry.role)
    before = None if may else workspace.state
    refused = False
    with acting_as(person):
        try:
            CALLS[entry.name](workspace)
        except NotAllowed as error:
            refused = "change your password only" not in str(error)
        except (WorkbenchError, OSError):
            pass
    assert refused is not may
    assert may or workspace.state == before


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_role_below_is_refused_by_every_function_that_is_the_verb(name: str) -> None:
    function, entry = FUNCTIONS[name]
    below = [person for person in PEOPLE if person.role is None or not person.role.includes(entry.role)]
    for person in below:
        with acting_as(person), pytest.raises(NotAllowed):
            function(*[None] * len(inspect.signature(function).parameters))


def test_no_function_that_is_a_verb_is_missed() -> None:
    texts = [path.read_text(encoding="utf-8") for path in modules("workbench") if path.name != "actor.py"]
    assert len(FUNCTIONS) == sum(text.count("@verb(") for text in texts)


def test_each_role_may_all_that_the_one_before_it_may() -> None:
    assert [role.includes(other) for role in Role for other in Role] == [
        *(True, False, False, False),
        *(True, True, False, False),
        *(True, True, True, False),
        *(True, True, True, True),
    ]


def test_the_page_on_people_has_the_table_of_verbs() -> None:
    page = (ROOT / "docs" / "people.md").read_text(encoding="utf-8")
    rows = [f"| `{entry.name}` | {entry.role} | {entry.sentence} |" for entry in VERBS]
    assert "\n".join(rows) in page
