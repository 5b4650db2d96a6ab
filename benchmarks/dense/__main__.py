"""Dense search at size: `python -m benchmarks.dense [--passages N] [--only KIND] [--folder DIR] [--out FILE]`.

Each kind is built and searched in processes of its own, one after another. With `--folder` the files are kept, so
that kinds can be measured one at a time: `ours` first. Rows replace those of the same kind and size in FILE.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.dense.index_kinds import KINDS, OURS
from benchmarks.dense.worker import TRUTH

HEAD = (
    "| passages | spread | kind | setting | recall@50 | p50 ms | p95 ms | of bare Flat | of reading | 32, ms "
    "| of bare Flat | build s | process MB |\n" + "| --- " * 13 + "|"
)


def call(step: str, kind: str, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """One worker's figures."""
    order = {
        "step": step,
        "kind": kind,
        "folder": str(folder),
        "passages": arguments.passages,
        "spread": arguments.spread,
    }
    print(f"{arguments.passages:,} passages, {kind}, {step} …", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "benchmarks.dense.worker", json.dumps(order)]
    worker = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    figures: dict[str, Any] = json.loads(worker.stdout)
    return figures


def measure(kind: str, folder: Path, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """All figures of one kind, a row for each of its settings."""
    is_there = kind == OURS and (folder / OURS / "dense.json").is_file()
    built = {} if is_there else call("build", kind, folder, arguments)
    if not (folder / TRUTH).is_file():
        built |= call("truth", kind, folder, arguments)
    rows = call("search", kind, folder, arguments)["rows"]
    key = {"passages": arguments.passages, "spread": arguments.spread, "kind": kind}
    return [{**key, **built, **row} for row in rows]


def stored(path: Path, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Writes `rows` with those of the file that are of other kinds or sizes; returns all."""

    def key(row: dict[str, Any]) -> tuple[object, ...]:
        return row["passages"], row["spread"], row["kind"]

    former = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.is_file() else []
    new = {key(row) for row in rows}
    rows = sorted([*(row for row in former if key(row) not in new), *rows], key=lambda row: row["passages"])
    record = {"python": platform.python_version(), "cores": os.cpu_count(), "rows": rows}
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return rows


def show(row: dict[str, Any]) -> str:
    """A row as Markdown; ratios are to what was measured between its questions."""
    bare_batch = min(row["bare_flat_batch_ms"], row["bare_flat_batch_all_threads_ms"])
    return (
        f"| {row['passages']:,} | {row['spread']:g} | {row['kind']} | {row['setting'] or '–'} | {row['recall']:.4f} "
        f"| {row['p50_ms']:.1f} | {row['p95_ms']:.1f} | {row['p50_ms'] / row['bare_flat_ms']:.3f} "
        f"| {row['p50_ms'] / row['reading_ms']:.2f} | {row['batch_ms']:.0f} "
        f"| {row['batch_ms'] / bare_batch:.2f} | {row.get('build_s', 0):.0f} | {row['process_mb']:.0f} |"
    )


def main() -> int:
    """Reads the command line, measures and writes the figures after each kind."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dense", description=__doc__)
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--spread", type=float, default=0.5, help="how far clusters lie apart, in their width")
    parser.add_argument("--only", action="append", choices=[*KINDS], help="a kind; may be given again")
    parser.add_argument("--folder", type=Path, help="where files are kept; by default they are deleted")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.json"))
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        kinds = arguments.only or [*KINDS]
        if OURS not in kinds and not (folder / OURS / "dense.json").is_file():
            kinds = [OURS, *kinds]
        rows: list[dict[str, Any]] = []
        for kind in kinds:
            rows = stored(arguments.out, measure(kind, folder, arguments))
    print("\n".join([HEAD, *map(show, rows)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
