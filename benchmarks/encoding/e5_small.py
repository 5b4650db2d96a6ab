"""`python -m benchmarks.encoding.e5_small`: texts a second of e5-small, ours against sentence-transformers.

The same weights (an unpacked checkpoint), the sample's passages in 13 languages, 1 and 2 threads. Ours is the forward
pass in numpy; theirs is float32 on torch. Runs alternate, each in a fresh process, and the ratio is of wall-clock time;
the median over `--runs` pairs is printed. Other work on the machine disturbs both.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WAYS = ("ours", "sentence-transformers")
WARM_UP = 8


def texts(count: int) -> list[str]:
    """`count` passages of the sample, all languages in turn."""
    from workbench.data.corpora import sample

    passages = sample.passages()
    step = max(1, len(passages) // count)
    return [passage.searchable for passage in passages[::step]][:count]


def rate(way: str, threads: int, count: int, folder: Path) -> float:
    """Passages a second in this process, after a warm-up."""
    passages = texts(count)
    if way == "ours":
        from workbench.core.records import Passage
        from workbench.retrieval.encoders.e5_small_encoder import E5SmallEncoder

        encoder = E5SmallEncoder(threads=threads)

        def encode(some: list[str]) -> object:
            return encoder.encode_passages([Passage(str(n), "", "", "en", text) for n, text in enumerate(some)])
    else:
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(threads)
        model = SentenceTransformer(str(folder), device="cpu")

        def encode(some: list[str]) -> object:
            return model.encode([f"passage: {text}" for text in some], normalize_embeddings=True)

    encode(passages[:WARM_UP])
    began = time.perf_counter()
    encode(passages)
    return len(passages) / (time.perf_counter() - began)


def one(way: str, threads: int, count: int, folder: Path) -> float:
    """`rate` in a process of its own."""
    arguments = [sys.executable, "-m", "benchmarks.encoding.e5_small", "--one", way]
    arguments += ["--threads", str(threads), "--passages", str(count), "--checkpoint", str(folder)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(arguments, check=True, capture_output=True, text=True, env=environment)
    return float(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Prints a table: passages a second, and the ratio."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.encoding.e5_small", description=__doc__)
    parser.add_argument("--passages", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--one", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--checkpoint", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(rate(arguments.one, arguments.threads, arguments.passages, arguments.checkpoint)))
        return
    from tests.models.e5_small_checkpoint import e5_small_checkpoint

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "checkpoint"
        e5_small_checkpoint(folder)
        print("| threads | ours, passages/s | sentence-transformers | ratio (median of pairs) | n |\n|" + " --- |" * 5)
        for threads in (1, 2):
            pairs = [[one(way, threads, arguments.passages, folder) for way in WAYS] for _ in range(arguments.runs)]
            ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
            ratio = statistics.median(mine / other for mine, other in pairs)
            print(f"| {threads} | {ours:.1f} | {theirs:.1f} | {ratio:.2f} | {len(pairs)} |", flush=True)


if __name__ == "__main__":
    main()
