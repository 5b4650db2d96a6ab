"""Passages per second of a model of BGE-M3's size, our way against FlagEmbedding's bare call.

`python -m benchmarks.encoding`. Random weights; the same passages, batch size and length for all. Ours is what an
index build does: `CheckpointedEncoder` around the encoder, so each run writes its vectors to disk. Without a CUDA
device it reports that and runs a tiny model; the ratio is then of processor time, which other work on the machine
disturbs less. Prints a table and writes results.json next to this file (or to --out).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.encoding.model import LARGE, TINY, make_model
from benchmarks.retrieval.passages import load_corpus
from workbench.core.protocols import FloatArray
from workbench.core.records import Passage
from workbench.models.local import find_model, half_precision, torch_device
from workbench.retrieval.encoders.bge_m3 import BgeM3, BgeM3Dense
from workbench.retrieval.encoders.vector_cache import CheckpointedEncoder

BARE = "FlagEmbedding, one call"
PARTS = (8_192, 512)
"""Passages arguments at once by the index build: as recommended for a model, and its default."""
LENGTH = 512
WARM_UP = 256
LIBRARIES = ("torch", "transformers", "FlagEmbedding")


def ways(folder: Path, device: str, batch: int) -> dict[str, Callable[[list[Passage]], FloatArray]]:
    """Each way of encoding passages, with a separate model."""
    from FlagEmbedding import BGEM3FlagModel

    flag = BGEM3FlagModel(str(folder), use_fp16=half_precision(device), devices=device)
    encoder = BgeM3Dense(BgeM3(find_model(str(folder)), device=device, batch=batch, max_length=LENGTH))

    def bare(passages: list[Passage]) -> FloatArray:
        texts = [passage.searchable for passage in passages]
        return np.asarray(flag.encode(texts, batch_size=batch, max_length=LENGTH)["dense_vecs"], dtype=np.float32)

    def ours(part: int) -> Callable[[list[Passage]], FloatArray]:
        def encode(passages: list[Passage]) -> FloatArray:
            with tempfile.TemporaryDirectory() as scratch:
                checkpointed = CheckpointedEncoder(encoder, Path(scratch) / "vectors", len(passages))
                starts = range(0, len(passages), part)
                return np.vstack([checkpointed.encode_passages(passages[start : start + part]) for start in starts])

        return encode

    return {BARE: bare} | {f"ours, {part:,} at a time": ours(part) for part in PARTS}


def measure(
    encoders: dict[str, Callable[[list[Passage]], FloatArray]], passages: list[Passage], repeats: int, on_cuda: bool
) -> list[dict[str, object]]:
    """Median passages per second of each way, run in turn so that other work disturbs all equally."""
    for encode in encoders.values():
        encode(passages[:WARM_UP])
    clock: dict[str, list[float]] = {name: [] for name in encoders}
    processor: dict[str, list[float]] = {name: [] for name in encoders}
    vectors: dict[str, FloatArray] = {}
    for turn in range(repeats):
        for name in list(encoders) if turn % 2 == 0 else list(encoders)[::-1]:
            print(f"{name}, {turn + 1} of {repeats} …", file=sys.stderr, flush=True)
            began, busy = time.perf_counter(), time.process_time()
            vectors[name] = encoders[name](passages)
            clock[name].append(time.perf_counter() - began)
            processor[name].append(time.process_time() - busy)
    compared = clock if on_cuda else processor
    bare = statistics.median(compared[BARE])
    return [
        {
            "way": name,
            "passages_per_second": round(len(passages) / statistics.median(clock[name]), 1),
            "cost_against_bare": round(statistics.median(compared[name]) / bare - 1, 4),
            "seconds": [round(value, 3) for value in clock[name]],
            "processor_seconds": [round(value, 3) for value in processor[name]],
            "lowest_cosine_to_bare": round(float((vectors[name] * vectors[BARE]).sum(axis=1).min()), 5),
        }
        for name in encoders
    ]


def show(rows: list[dict[str, object]], repeats: int) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"| way | passages/s (median of {repeats}) | cost against the bare call | lowest cosine to its vectors |",
        "| --- | --- | --- | --- |",
    ]
    for row in rows:
        lines.append(
            f"| {row['way']} | {row['passages_per_second']:,} | {row['cost_against_bare']:+.1%} "
            f"| {row['lowest_cosine_to_bare']} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Reads the command line, measures, prints the table and writes the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.encoding", description=__doc__)
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N")
    parser.add_argument("--size", choices=["auto", "large", "tiny"], default="auto", help="auto: large on CUDA")
    parser.add_argument("--passages", type=int, default=0, help="default: 16384 on CUDA, else 1024")
    parser.add_argument("--batch", type=int, default=0, help="default: 256 on CUDA, else 32")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.json"))
    arguments = parser.parse_args()
    if arguments.repeats < 1 or arguments.passages < 0 or arguments.batch < 0:
        parser.error("--repeats is at least 1, --passages and --batch at least 0 (0: by device)")
    device = torch_device(arguments.device)
    on_cuda = half_precision(device)
    size = {"large": LARGE, "tiny": TINY, "auto": LARGE if on_cuda else TINY}[arguments.size]
    if not on_cuda:
        print(f"No CUDA device is used: a {size.name} model on the CPU, for the ratio only.", file=sys.stderr)
    passages = list(load_corpus(None, None).passages(arguments.passages or (16_384 if on_cuda else 1_024)))
    batch = arguments.batch or (256 if on_cuda else 32)
    with tempfile.TemporaryDirectory() as scratch:
        make_model(Path(scratch), size, (passage.text for passage in passages[:2_000]))
        rows = measure(ways(Path(scratch), device, batch), passages, arguments.repeats, on_cuda)
    record = {
        "size": size.name,
        "device": _device_name(device),
        "precision": "fp16" if on_cuda else "fp32",
        "passages": len(passages),
        "batch": batch,
        "max_length": LENGTH,
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
        "cores": os.cpu_count(),
        "rows": rows,
    }
    arguments.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(show(rows, arguments.repeats))
    return 0


def _device_name(device: str) -> str:
    import torch

    return torch.cuda.get_device_name(device) if device.startswith("cuda") else "processor"


if __name__ == "__main__":
    sys.exit(main())
