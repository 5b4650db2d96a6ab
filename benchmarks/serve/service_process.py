"""`mrag serve` as processes of their own, and what they take of the processor and of memory."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import regex

from workbench.pipeline.recipe import Recipe, recipe_to_yaml

ROOT = Path(__file__).parents[2]
ADDRESS = regex.compile(r"is served at (http://[\d.:]+)")
GOODBYE_SECONDS = 30


@dataclass(frozen=True)
class ServiceProcess:
    """A running service: its address and the process that was started."""

    url: str
    pid: int

    def children(self, pid: int) -> list[int]:
        """The processes that one has started."""
        with suppress(OSError):
            tasks = Path(f"/proc/{pid}/task").glob("*/children")
            return [int(number) for task in tasks for number in task.read_text("utf-8").split()]
        return []

    def tree(self) -> list[int]:
        """The processes of the service, the first one first."""
        pids = [self.pid]
        for pid in pids:
            pids += self.children(pid)
        return pids

    def answering(self) -> list[int]:
        """The processes that answer where there are several, which the fork server has forked."""
        return [pid for child in self.children(self.pid) for pid in self.children(child)]

    def processor_seconds(self) -> float:
        """Seconds that its processes have had of a processor, those of processes that ended included."""
        ticks = 0
        for pid in self.tree():
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
                ticks += sum(int(fields[index]) for index in (11, 12, 13, 14))
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Megabytes of memory that its processes have now, what they share counted once (PSS)."""
        total = 0
        for pid in self.tree():
            with suppress(OSError):
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8")
                match = regex.search(r"^Pss:\s+(\d+) kB", rollup, regex.MULTILINE)
                total += int(match[1]) if match else 0
        return round(total / 1024, 1)


def write_recipe(path: Path, recipe: Recipe) -> Path:
    """The recipe as a file."""
    path.write_text(recipe_to_yaml(recipe), encoding="utf-8")
    return path


@contextmanager
def served(home: Path, recipe: Path, extra: Sequence[str], root: Path = ROOT) -> Iterator[ServiceProcess]:
    """The service of a recipe over a workspace, at a free port, by the code in `root`; ended with the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "serve", "--recipe", str(recipe), "--port", "0", *extra],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "WORKBENCH_HOME": str(home), "OMP_NUM_THREADS": "1"},
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
