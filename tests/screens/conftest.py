"""The app without a browser, over a fake workbench."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import FakeWorkbench
from workbench.app.workbench import Workbench
from workbench.jobs.imports.dataset_imports import DatasetImports
from workbench.jobs.indexing.index_jobs import IndexJobs
from workbench.ui.parts import access
from workbench.workspace.jobs.worker import work_on

APP = Path(__file__).parents[2] / "app.py"


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


@pytest.fixture(autouse=True)
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The corpora whose indexing was begun: no process is started by a screen's test."""
    corpora: list[str] = []

    def title(jobs: IndexJobs, job_id: str) -> str:
        job = jobs.job(job_id)
        assert job is not None
        return job.title

    monkeypatch.setattr(IndexJobs, "_spawn", lambda jobs, job_id, _number: corpora.append(title(jobs, job_id)))
    return corpora


@pytest.fixture(autouse=True)
def imported_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Datasets are imported in the test's process."""

    monkeypatch.setattr(DatasetImports, "_spawn", lambda jobs, job, _number: work_on(jobs.settings, job))


Open = Callable[..., AppTest]


@pytest.fixture
def open_ask(fake: FakeWorkbench) -> Open:
    """Opens the Ask screen at an address: `open_ask(q="Who?", ask="1")`."""

    def run(**params: str) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=20).run()
        for name, value in params.items():
            app.query_params[name] = value
        return app.switch_page("pages/ask.py").run()

    return run


def html(app: AppTest) -> str:
    """All that the one renderer put on the screen."""
    return "\n".join(str(item.proto.body) for item in app.get("html"))
