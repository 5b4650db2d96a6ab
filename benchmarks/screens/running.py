"""The app in a separate process, on a free port, over a given workspace; and the system's Chromium."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE = 90
"""Seconds for the app to start; it takes a few."""


def environment(home: Path) -> dict[str, str]:
    """This process's environment with another workspace; modules are compiled once, as where a person installs them."""
    return {**os.environ, "WORKBENCH_HOME": str(home), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": ""}


def chromium() -> str | None:
    """Where the system's Chromium lies, None where it has none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def free_port() -> int:
    """A port of this machine that nothing listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class AppServer:
    """The app, or another one, in a process of its own over a workspace, on one port however often it is started.

    Its log goes to `app.log` in the workspace.
    """

    def __init__(self, home: Path, app: Path = Path("app.py")) -> None:
        self._home, self._app = home, app
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process, 0 while there is none."""
        return self._process.pid if self._process else 0

    def start(self) -> None:
        """Starts it and waits until it answers. Raises RuntimeError."""
        options = ["--server.headless", "true", "--server.address", "127.0.0.1", "--server.port", str(self._port)]
        command = [sys.executable, "-m", "streamlit", "run", str(self._app), *options]
        with (self._home / "app.log").open("a") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, env=environment(self._home), stdout=log, stderr=log)
        wait(f"{self.url}/_stcore/health", self._process)

    def kill(self) -> None:
        """Ends it at once, by SIGKILL, as a power cut would."""
        self._end(subprocess.Popen.kill)

    def stop(self) -> None:
        """Ends it in good order."""
        self._end(subprocess.Popen.terminate)

    def _end(self, end: Callable[[subprocess.Popen[bytes]], None]) -> None:
        if self._process is not None:
            end(self._process)
            self._process.wait(timeout=20)
            self._process = None


@contextmanager
def running_app(home: Path) -> Iterator[str]:
    """The address of the app while it runs. Raises RuntimeError."""
    server = AppServer(home)
    try:
        server.start()
        yield server.url
    finally:
        server.stop()


def wait(url: str, server: subprocess.Popen[bytes]) -> None:
    """Returns once the server answers. Raises RuntimeError."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=1).close()
        except OSError:
            time.sleep(0.1)  # still starting
        else:
            return
    raise RuntimeError("the app did not start; see app.log in the workspace")
