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
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.models.tiny_llm import make_tiny_llm

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
def served(tiny_llm: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """`transformers serve` over the tiny model, ended by its process id when the tests are done."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("serve") / "log"
    code = "from transformers.cli.transformers import main; main()"
    options = ["serve", str(tiny_llm), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    quiet = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *options], env={**os.environ, **quiet}, stdout=output, stderr=output
        )
    try:
        _wait(f"http://127.0.0.1:{port}/health", process, log)
        yield Served(f"http://127.0.0.1:{port}/v1", str(tiny_llm))
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
