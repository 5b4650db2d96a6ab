"""A tiny language model behind a real OpenAI-compatible server, and a space whose answers it gives."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.models.tiny_llm import make_tiny_llm
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.space.space_files import space_from_text

START_SECONDS = 180.0
LONGEST = 32_768
SPACE = """
name: Served
languages: [en, fi]
questions: 12
objective: char3_recall
recipe: {{corpus: sample, encoder: builtin, generator: "{generator}", translator: builtin, max_new_tokens: 8}}
nodes:
  - node: retrieval
    modules:
      - {{name: BM25, values: {{retriever: lexical}}}}
      - {{name: RRF, values: {{retriever: rrf, rrf_k: [10, 60]}}}}
  - node: reranker
    modules:
      - {{name: none, values: {{k: [1, 2]}}}}
  - node: prompt-variant
    modules:
      - {{name: prompts, values: {{prompt: [reply-short-en, two-sentences]}}}}
"""


@contextmanager
def served_model() -> Iterator[str]:
    """The reference of a tiny model that `transformers serve` answers for, until the end of the block."""
    with tempfile.TemporaryDirectory() as folder:
        model = make_tiny_llm(Path(folder) / "model", longest=LONGEST)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        code = "from transformers.cli.transformers import main; main()"
        options = ["serve", str(model), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
        quiet = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        with (Path(folder) / "log").open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-c", code, *options], env={**os.environ, **quiet}, stdout=output, stderr=output
            )
        try:
            _wait(f"http://127.0.0.1:{port}/health", process)
            yield f"openai-like:{model}@http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(10)


def space_over(generator: str) -> SearchSpace:
    """Twelve recipes, all answered by one generator."""
    return space_from_text(SPACE.format(generator=generator), "served.yaml")


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    """Until the server answers. Raises TimeoutError."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with opener.open(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise TimeoutError("transformers serve did not start")
