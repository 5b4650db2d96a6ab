"""A real app on a workspace of its own, and a real browser.

Without Chromium these tests are skipped, but in continuous integration (CI=true) they fail.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from benchmarks.screens.running import PATIENCE, ROOT, chromium, environment, running_app
from tests.browser.payloads import PAYLOADS
from tests.trees import copy_sample

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page


@pytest.fixture(scope="session")
def prepared(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace as `prepare` leaves it, to be read only; the processes of one test run share it.

    The sample is there before, and the translator's folder is that of all tests.
    """
    base = tmp_path_factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "prepared-workspace"
    complete = home.with_suffix(".complete")
    with FileLock(home.with_suffix(".lock")):
        if not complete.exists():
            _run(copy_sample(sample_home, home), "prepare")
            complete.touch()
    return home


@pytest.fixture(scope="session")
def workspace(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the sample and the corpus `payloads`, built through the command line."""
    home = shutil.copytree(prepared, tmp_path_factory.mktemp("browser") / "workspace", symlinks=True)
    paragraphs = [
        {"context": f"Radio, document {number}: {payload}", "qas": [_question(number, payload)]}
        for number, payload in enumerate(PAYLOADS)
    ]
    file = home / "payloads.json"
    data = [{"title": f"{payload}", "paragraphs": [entry]} for payload, entry in zip(PAYLOADS, paragraphs, strict=True)]
    file.write_text(json.dumps({"version": "1", "data": data}), encoding="utf-8")
    _run(home, "import", "squad", str(file), "--lang", "en", "--name", "payloads")
    return home


@pytest.fixture(scope="session")
def app_url(workspace: Path) -> Iterator[str]:
    """The address of the running app."""
    with running_app(workspace) as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    path = chromium()
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail(
                "CI=true needs a browser, but no Chromium is installed: apt-get install chromium", pytrace=False
            )
        pytest.skip("no Chromium is installed: apt-get install chromium")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * PATIENCE / 3)

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Callable[[], Page]]:
    """Gives a fresh page, as to somebody who was never here, each time it is called."""
    contexts: list[BrowserContext] = []

    def come() -> Page:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 900}))
        contexts[-1].set_default_timeout(PATIENCE * 1000)
        return contexts[-1].new_page()

    yield come
    for context in contexts:
        context.close()


@pytest.fixture
def page(visitor: Callable[[], Page]) -> Page:
    """A fresh page, as a visitor who was never here."""
    return visitor()


def _run(home: Path, *verb: str) -> None:
    """Runs a verb of the command line on a workspace."""
    subprocess.run([sys.executable, "-m", "workbench", *verb], cwd=ROOT, env=environment(home), check=True)


def _question(number: int, payload: str) -> dict[str, object]:
    return {"id": str(number), "question": payload, "answers": [{"text": "Radio", "answer_start": 0}]}
