"""The app without a browser, over a fake workbench."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from html import unescape
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from tests.fakes import FakeWorkbench
from tests.jobs.waiting import work_on
from tests.screens.results import add_results
from workbench.app.workbench import Workbench
from workbench.jobs.imports.dataset_imports import DatasetImports
from workbench.jobs.indexing.index_report import IndexJobs
from workbench.optimise.search_trial import SearchTrials
from workbench.ui.parts import access
from workbench.workspace import settings
from workbench.workspace.accounts import credentials

APP = Path(__file__).parents[2] / "app.py"
LONG = 120.0
"""Seconds that a screen may take to be drawn on a busy machine."""


@pytest.fixture(autouse=True, scope="package")
def light_starts() -> Iterator[None]:
    """What a server does once, a process of tests does once: each AppTest is a server of its own.

    Looking for components in all installed packages is nine tenths of what it takes to start a screen. Passwords are
    hashed as usual, but with as little work as Argon2 allows. The end of a run is waited for without asking a thousand
    times a second, for which the run stops each time.
    """
    scripts, hasher = ScriptCache(), PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        patch.setattr(app_test, "ScriptCache", lambda: scripts)
        patch.setattr(credentials, "password_hasher", lambda: hasher)
        patch.setattr(local_script_runner, "require_widgets_deltas", _wait_for_end)
        yield


def _wait_for_end(runner: LocalScriptRunner, timeout: float) -> None:
    """Waits for the end of a run of a script; RuntimeError where it takes longer than `timeout`, in seconds."""
    thread = runner._script_thread
    assert thread is not None
    thread.join(timeout)
    if thread.is_alive():
        runner.request_stop()
        runner.join()
        raise RuntimeError(f"The script ran for more than {timeout} s")


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeWorkbench:
    """The workbench that the screens of this test meet."""
    workbench = FakeWorkbench(tmp_path)
    monkeypatch.setattr(access, "workbench", lambda: workbench)
    monkeypatch.setattr(access, "warm", lambda corpus: None)
    monkeypatch.setattr(access, "components", list)
    monkeypatch.setattr(access, "stand_in", lambda recipe: "")
    monkeypatch.setattr(access, "unknown_languages", lambda recipe: ())
    return workbench


@pytest.fixture
def bench(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """The workbench that the screens of this test use."""
    monkeypatch.setattr(access, "workbench", lambda: workbench)
    monkeypatch.setattr(access, "warm", lambda corpus: None)
    return workbench


@pytest.fixture(scope="session")
def results_workbench(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A workbench with the sample and invented results, shared by all tests: read from it, add nothing to it."""
    home = tmp_path_factory.mktemp("results") / "workspace"
    shutil.copytree(sample_home / "corpora", home / "corpora", copy_function=os.link)
    workbench = Workbench(settings.load(home))
    add_results(workbench)
    return workbench


@pytest.fixture
def results_bench(results_workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """The workbench with invented results, as the one that the screens of this test use."""
    monkeypatch.setattr(access, "workbench", lambda: results_workbench)
    monkeypatch.setattr(access, "warm", lambda corpus: None)
    return results_workbench


@pytest.fixture(autouse=True)
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The corpora whose indexing was begun: no process is started by a screen's test."""
    corpora: list[str] = []

    def title(jobs: IndexJobs, job_id: str) -> str:
        job = jobs.job(job_id)
        assert job is not None
        return job.title

    monkeypatch.setattr(IndexJobs, "spawn", lambda jobs, job_id, _number: corpora.append(title(jobs, job_id)))
    return corpora


@pytest.fixture(autouse=True)
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The trials of searches that a screen began: no process is."""
    ids: list[str] = []
    monkeypatch.setattr(SearchTrials, "spawn", lambda jobs, job_id, _number: ids.append(job_id))
    return ids


@pytest.fixture(autouse=True)
def imported_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Datasets are imported in the test's process."""

    monkeypatch.setattr(DatasetImports, "spawn", lambda jobs, job, _number: work_on(jobs.settings, job))


Open = Callable[..., AppTest]


@pytest.fixture
def open_ask(fake: FakeWorkbench) -> Open:
    """Opens the Ask screen at an address: `open_ask(q="Who?", ask="1")`."""

    def run(**params: str | list[str]) -> AppTest:
        return open_page("ask", "ask_more", **params)

    return run


def unfold(app: AppTest) -> AppTest:
    """Ask with its settings unfolded, which an answer folds."""
    app.session_state["ask_settings"] = True
    return app.run()


def open_page(page: str, /, *folds: str, **params: str | list[str]) -> AppTest:
    """Opens a screen at an address, with its folds of these keys open: `open_page("dashboard", view="cost")`."""
    app = AppTest.from_file(str(APP), default_timeout=LONG)
    for key in folds:
        app.session_state[key] = True
    app.switch_page(f"pages/{page}.py")
    for name, value in params.items():
        app.query_params[name] = value
    return app.run()


def html(app: AppTest) -> str:
    """All that the one renderer put on the screen, without the style sheet."""
    return "\n".join(body for item in app.get("html") if not (body := str(item.proto.body)).startswith("<style>"))


def codes(app: AppTest) -> str:
    """All commands, keys and prompts on the screen that can be copied."""
    return unescape("\n".join(re.findall(r"<pre[^>]*>(.*?)</pre>", html(app), re.DOTALL)))


def cells(app: AppTest) -> str:
    """All that the tables of records on the screen say, a row a line, under their heads."""
    rows: list[Iterable[object]] = []
    for item in app.dataframe:
        rows += [item.value.columns, *item.value.itertuples(index=False)]
    return "\n".join(" | ".join(str(value) for value in row) for row in rows)
