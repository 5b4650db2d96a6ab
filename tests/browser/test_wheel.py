"""The wheel by itself: built, installed without the checkout, started from an empty folder with an empty home.

Its dependencies are those of the environment that runs this test, by a path and not by an installation. So it proves
what is in the wheel and where it is looked for; that the wheel asks for every package it needs, `make run` proves.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.screens.running import ROOT, free_port, wait

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment's programs that has the wheel, and reaches this one's other packages."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    built = subprocess.run(
        [*pip, "wheel", "--no-deps", "-w", str(folder), str(ROOT)], capture_output=True, text=True, check=False
    )
    if built.returncode and "No matching distribution" in built.stderr:
        pytest.skip("the package index with the build tool cannot be reached")
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv")
    python = folder / "venv" / "bin" / "python"
    subprocess.run([*pip, "--python", str(python), "install", "--no-deps", str(wheel)], check=True)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    # A path that is named here brings its packages, but not its own .pth files, so not the checkout.
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    return python.parent


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("empty")


def environment(home: Path) -> dict[str, str]:
    names = ("PYTHONPATH", "WORKBENCH_HOME")
    return {**{name: value for name, value in os.environ.items() if name not in names}, "HOME": str(home)}


def run(installed: Path, home: Path, *words: str) -> str:
    done = subprocess.run(
        [str(installed / words[0]), *words[1:]], cwd=home, env=environment(home), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def screens(installed: Path, home: Path) -> Iterator[str]:
    port = free_port()
    with (home / "app.log").open("w") as log:
        command = [str(installed / "mrag"), "app", "--port", str(port)]
        process = subprocess.Popen(command, cwd=home, env=environment(home), stdout=log, stderr=log)
    url = f"http://localhost:{port}"
    try:
        wait(f"{url}/_stcore/health", process)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=30)


def test_the_wheel_holds_the_package_and_not_the_checkout(installed: Path, empty: Path) -> None:
    place = run(installed, empty, "python", "-c", "import workbench; print(workbench.__file__)")
    assert Path(place.strip()).is_relative_to(installed.parent)


def test_a_question_is_answered(installed: Path, empty: Path) -> None:
    assert "Marconi" in run(installed, empty, "mrag", "ask", "Who invented radio?", "--lang", "en")
    run(installed, empty, "mrag", "prepare")  # as `app` does, which need not be waited for then


def test_the_screens_start_with_their_own_look_and_answer(installed: Path, empty: Path, page: Page) -> None:
    with screens(installed, empty) as url:
        page.goto(url)
        page.get_by_role("heading", name="mRAG workbench").wait_for()
        assert page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor") in (
            "rgb(251, 251, 249)",  # .streamlit/config.toml
            "rgb(18, 24, 29)",
        )
        page.goto(f"{url}/ask?q=Who+invented+radio%3F&ask=1")
        page.get_by_text("Marconi").first.wait_for()
