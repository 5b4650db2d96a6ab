"""`mrag serve` as a process of its own, and what it takes of memory."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import regex

from workbench.pipeline.recipe import Recipe, recipe_to_yaml

ROOT = Path(__file__).parents[2]
ADDRESS = regex.compile(r"is served at (http://[\d.:]+)")
GOODBYE_SECONDS = 30


@dataclass(frozen=True)
class ServiceProcess:
    """A running service: its address and process."""

    url: str
    pid: int

    def resident_mb(self) -> float:
        """Megabytes of memory that the process has now, as Linux counts them."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        match = regex.search(r"VmRSS:\s+(\d+) kB", status)
        return round(int(match[1]) / 1024, 1) if match else 0.0


def write_recipe(path: Path, recipe: Recipe) -> Path:
    """The recipe as a file."""
    path.write_text(recipe_to_yaml(recipe), encoding="utf-8")
    return path


@contextmanager
def served(home: Path, recipe: Path, extra: Sequence[str]) -> Iterator[ServiceProcess]:
    """The service of a recipe over a workspace, at a free port, ended with the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "serve", "--recipe", str(recipe), "--port", "0", *extra],
        cwd=ROOT,
        env={**os.environ, "WORKBENCH_HOME": str(home), "OMP_NUM_THREADS": "1"},
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        yield ServiceProcess(_address(process), process.pid)
    finally:
        process.terminate()
        try:
            process.wait(GOODBYE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(process: subprocess.Popen[str]) -> str:
    """The address that the process prints; what it prints afterwards is read and dropped."""
    if process.stderr is None:
        raise RuntimeError("The process has no stderr.")
    lines = process.stderr
    for line in lines:
        if match := ADDRESS.search(line):
            threading.Thread(target=lambda: all(True for _ in lines), daemon=True).start()
            return match[1]
    raise RuntimeError("The service did not start.")
