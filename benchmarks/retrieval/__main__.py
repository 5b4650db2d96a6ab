"""Build time, memory and query time by engine: `python -m benchmarks.retrieval [--xquad DIR] [--sizes 100000,1000000]`.

Each engine runs in separate processes, one after another. Prints a table with ratios to `lexical` and writes
results.json next to this file (or to --out).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.retrieval.engines import ENGINES

SLOW = {"rank_bm25": 10}
"""The most questions at the largest sizes, for engines that take seconds for each."""

LARGE = 500_000


def call(engine: str, step: str, folder: Path, size: int, arguments: argparse.Namespace) -> dict[str, float]:
    """One worker's figures, with one computing thread."""
    questions: int = arguments.questions
    if size >= LARGE:
        questions = min(questions, SLOW.get(engine, questions))
    order = {
        "engine": engine,
        "step": step,
        "folder": str(folder),
        "size": size,
        "questions": questions,
        "xquad": str(arguments.xquad) if arguments.xquad else "",
        "languages": arguments.languages.split(",") if arguments.languages else None,
    }
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    worker = subprocess.run(
        [sys.executable, "-m", "benchmarks.retrieval.worker", json.dumps(order)],
        stdout=subprocess.PIPE,
        env=os.environ | threads,
        check=True,
    )
    figures: dict[str, float] = json.loads(worker.stdout)
    return figures


def measure(engine: str, size: int, arguments: argparse.Namespace) -> dict[str, float]:
    """All figures of one engine at one size."""
    with tempfile.TemporaryDirectory() as folder:
        built = call(engine, "build", Path(folder), size, arguments) if ENGINES[engine].on_disk else {}
        return built | call(engine, "search", Path(folder), size, arguments)


def show(rows: list[dict[str, object]]) -> str:
    """The figures as a Markdown table; ratios are to `lexical` at the same size."""
    lines = [
        "| passages | engine | build s | CPU s | peak MB | resident MB | p50 ms | CPU ms | p95 ms | ratio | n |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    ours = {row["size"]: row["p50_ms"] for row in rows if row["engine"] == "lexical"}
    for row in rows:
        ratio = f"{row['p50_ms'] / ours[row['size']]:.1f}" if row["size"] in ours else "–"  # type: ignore[operator]
        lines.append(
            f"| {row['size']:,} | {row['engine']} | {row['build_s']:.0f} | {row['build_cpu_s']:.1f} "
            f"| {row['peak_mb']:.0f} | {row['resident_mb']:.0f} | {row['p50_ms']:.2f} | {row['p50_cpu_ms']:.2f} "
            f"| {row['p95_ms']:.2f} | {ratio} | {row['n']} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Reads the command line, measures and writes the figures after each engine."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument("--xquad", type=Path, metavar="DIR", help="use XQuAD in DIR, not the sample")
    parser.add_argument("--languages", help="comma-separated codes; default: all of the source")
    parser.add_argument("--sizes", default="100000,1000000", help="comma-separated numbers of passages")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--engines", default=";".join(ENGINES), help="names separated by semicolons")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.json"))
    arguments = parser.parse_args()
    names = [name.strip() for name in arguments.engines.split(";")]
    if unknown := [name for name in names if name not in ENGINES]:
        parser.error(f"unknown engine “{unknown[0]}”; allowed: {'; '.join(ENGINES)}")
    rows: list[dict[str, object]] = []
    for size in map(int, arguments.sizes.split(",")):
        for name in names:
            print(f"{size:,} passages, {name} …", file=sys.stderr, flush=True)
            rows.append({"engine": name, "size": size, **measure(name, size, arguments)})
            record = {
                "source": str(arguments.xquad.name if arguments.xquad else "sample"),
                "languages": arguments.languages or "all",
                "python": platform.python_version(),
                "cores": os.cpu_count(),
                "rows": rows,
            }
            arguments.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(show(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
