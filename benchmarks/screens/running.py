"""The app in a separate process, on a free port, over a given workspace; and the system's Chromium."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE = 90
"""Seconds for the app to start; it takes a few."""


def environment(home: Path) -> dict[str, str]:
    """This process's environment with another workspace."""
    return {**os.environ, "WORKBENCH_HOME": str(home), "PYTHONUTF8": "1"}


def chromium() -> str | None:
    """Where the system's Chromium lies, None where it has none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def running_app(home: Path) -> Iterator[str]:
    """The address of the app while it runs; its log goes to `app.log` in the workspace. Raises RuntimeError."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--server.headless", "true", "--server.address", "127.0.0.1", "--server.port", str(port)]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    with (home / "app.log").open("w") as log:
        server = subprocess.Popen(command, cwd=ROOT, env=environment(home), stdout=log, stderr=log)
    try:
        _wait(f"http://127.0.0.1:{port}/_stcore/health", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=20)


def _wait(url: str, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=1).close()
        except OSError:
            time.sleep(0.1)  # still starting
        else:
            return
    raise RuntimeError("the app did not start; see app.log in the workspace")
