"""What many tests share: a temporary workspace, and a sample that is built once.

`sample_workbench` is shared by all tests: read from it, add nothing to it. A test that writes uses `workbench`, whose
sample is a copy of hard links.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from sqlalchemy import Engine, event

from tests.databases import (
    Databases,
    PostgresServer,
    begin_with_tables,
    compile_once,
    database_url,
    make_template,
    postgres_programs,
)
from tests.once import do_anew, do_once
from tests.trees import copy_sample
from workbench.app.workbench import Workbench
from workbench.core.records import Generation, Prompt
from workbench.pipeline.reader.extractive import ExtractiveReader
from workbench.workspace import settings
from workbench.workspace.permissions import set_resolver

# How long a test takes is not part of what it shows: other work may share the machine.
hypothesis_settings.register_profile("untimed", deadline=None)
hypothesis_settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--postgres", action="store_true", help="Run on a real PostgreSQL server instead of SQLite.")
    parser.addoption("--slow", action="store_true", help="Run the tests that are marked slow, too.")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--postgres"):
        programs = postgres_programs()
        if programs is None:
            raise pytest.UsageError("--postgres needs a PostgreSQL server, such as Debian's package postgresql.")
        Databases.server = PostgresServer.start(programs)
        settings.default_database = lambda home: database_url(home / "workbench.db")


def pytest_unconfigure() -> None:
    if Databases.server is not None:
        Databases.server.stop()
        Databases.server = None


class Garbage:
    """When what is imported is left out of searches for garbage: after every IMPORTS more modules."""

    IMPORTS = 100
    modules = 0


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leaves what collecting made, a million objects that stay to the end, out of each later search for garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None]:
    """Does so again where a test imported much, such as Torch or Streamlit: a search over that takes half a second."""
    yield
    if len(sys.modules) > Garbage.modules + Garbage.IMPORTS:
        gc.collect()
        gc.freeze()
        Garbage.modules = len(sys.modules)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]
    if config.getoption("--postgres"):
        for item in items:
            if item.get_closest_marker("sqlite"):
                item.add_marker(pytest.mark.skip(reason="about SQLite's files"))


@pytest.fixture(autouse=True)
def no_connections_left_behind() -> Iterator[None]:
    """Ends the idle connections of PostgreSQL that a test's engines leave open; an engine in use connects anew."""
    yield
    if Databases.server is not None:
        Databases.server.end_idle_connections()


NAMES = (
    *("WORKBENCH_HOME", "WORKBENCH_DATABASE_URL", "WORKBENCH_IDENTIFIER"),
    *("WORKBENCH_MILVUS_TOKEN", "WORKBENCH_KEY_NAMES", "WORKBENCH_ENDPOINT_HOSTS", "WORKBENCH_SHARED"),
    "WORKBENCH_HOSTS",
)


@pytest.fixture(autouse=True, scope="session")
def no_workspace_of_the_person_who_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Never read from or write to the workspace of the person who runs the tests."""
    before = {name: os.environ.pop(name, None) for name in NAMES}
    os.environ["WORKBENCH_HOME"] = str(tmp_path_factory.mktemp("home"))
    with pytest.MonkeyPatch.context() as patch:
        # Where smollm2 lies; the processes of one test run share it.
        base = tmp_path_factory.getbasetemp()
        assets = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "assets"
        patch.setenv("HF_ASSETS_CACHE", str(assets))
        patch.setattr("huggingface_hub.constants.HF_ASSETS_CACHE", str(assets))
        yield
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


@pytest.fixture(autouse=True, scope="session")
def databases_that_begin_with_tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """New SQLite databases are copies of one; `files_that_begin_empty` takes them back to files without tables."""
    if Databases.server is not None:
        yield
        return
    Databases.template = make_template(tmp_path_factory.mktemp("template"))
    event.listen(Engine, "do_connect", begin_with_tables)
    with pytest.MonkeyPatch.context() as patch:
        share = compile_once(patch)
        event.listen(Engine, "engine_connect", share)
        yield
        event.remove(Engine, "engine_connect", share)
    event.remove(Engine, "do_connect", begin_with_tables)


@pytest.fixture
def files_that_begin_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of how the tables are created."""
    monkeypatch.setattr(Databases, "template", None)


@pytest.fixture(autouse=True)
def nobody_else_at_work() -> Iterator[None]:
    """Each test begins and ends as whoever runs the tests, whom screens of other tests do not replace."""
    set_resolver(None)
    yield
    set_resolver(None)
    # Screens of a workspace with accounts note that others reach them.
    os.environ.pop("WORKBENCH_SHARED", None)


def _sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "sample-workspace"


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the sample built; the processes of one test run share it."""
    home = _sample_home(tmp_path_factory)
    Workbench(settings.load(home)).corpus("sample")
    return home


@pytest.fixture(autouse=True, scope="session")
def work_done_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What always comes to the same is done once for all tests: `tests/once.py`."""
    with pytest.MonkeyPatch.context() as patch:
        do_once(patch, _sample_home(tmp_path_factory))
        yield


@pytest.fixture(scope="module")
def work_done_anew() -> Iterator[None]:
    """For tests of that work itself."""
    with pytest.MonkeyPatch.context() as patch:
        do_anew(patch)
        yield


@pytest.fixture(scope="session")
def sample_workbench(sample_home: Path) -> Workbench:
    """The workbench over `sample_home`, to be read only."""
    return Workbench(settings.load(sample_home))


@pytest.fixture
def answers_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of all but the answer: the reader, which takes most of the time, answers with one name."""

    def generate(_: ExtractiveReader, prompts: Sequence[Prompt]) -> list[Generation]:
        return [Generation("Marconi.") for _ in prompts]

    monkeypatch.setattr(ExtractiveReader, "generate", generate)


@pytest.fixture
def home(sample_home: Path, tmp_path: Path) -> Path:
    """A workspace for one test, with the sample in it."""
    return copy_sample(sample_home, tmp_path / "workspace")


@pytest.fixture
def workbench(home: Path) -> Workbench:
    """A workbench for one test, with the sample in it."""
    return Workbench(settings.load(home))
