"""One measurement in a process of its own; prints one line of JSON. `build`, then `search`; `truth` between them.

Between its questions a search also reads all vectors once, and asks FAISS's exact search (`faiss.knn` over the mapped
vectors), so that ratios are of the same minutes however busy the machine is.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from benchmarks.dense.index_kinds import KINDS, BareFlat, K, stored_vectors
from benchmarks.dense.synthetic_vectors import SyntheticVectors
from workbench.core.protocols import FloatArray

BATCH = 32
TIMED, JUDGED, EVERY, ROUNDS = 60, 100, 10, 3
"""Questions with a time, and with a recall; how often the references are measured; batches."""
AS_IT_COMES: int = faiss.cvar.distance_compute_blas_threshold
BLAS_FROM = 20
"""Questions from which bare FAISS multiplies matrices in the reference for batches: far faster than as it comes.

With one thread, since on busy processors its threads wait for each other; all of them are timed once besides."""
TRUTH = "truth.npy"
CORES = os.cpu_count() or 1


def memory_mb(kind: str) -> float:
    """Memory now resident: `RssAnon` is the process's, `RssFile` that of mapped files, which others may share."""
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith(kind)) / 1024


def timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def read_all(vectors: FloatArray) -> None:
    """Reads every byte once, as many threads as processors."""
    shares = np.array_split(vectors.reshape(-1).view(np.int64), CORES)
    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(np.max, shares))


def ask_bare(vectors: FloatArray, questions: FloatArray, blas_from: int, threads: int = CORES) -> None:
    """FAISS's exact search, which multiplies matrices from `blas_from` questions."""
    ours = faiss.cvar.distance_compute_blas_threshold
    faiss.cvar.distance_compute_blas_threshold = blas_from
    faiss.omp_set_num_threads(threads)
    faiss.knn(questions, vectors, K, metric=faiss.METRIC_INNER_PRODUCT)
    faiss.cvar.distance_compute_blas_threshold = ours


def truth(folder: Path, source: SyntheticVectors) -> dict[str, Any]:
    """Writes the K best of each question by NumPy, all products in float32."""
    vectors, questions = stored_vectors(folder), source.questions(JUDGED)
    scores = np.full((JUDGED, 0), 0, np.float32)
    places = np.zeros((JUDGED, 0), np.int64)
    for start in range(0, len(vectors), 50_000):
        products = questions @ vectors[start : start + 50_000].T
        near = np.argpartition(-products, K, axis=1)[:, :K]
        scores = np.concatenate([scores, np.take_along_axis(products, near, axis=1)], axis=1)
        places = np.concatenate([places, near + start], axis=1)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :K]
    np.save(folder / TRUTH, np.take_along_axis(places, best, axis=1))
    cosines = np.take_along_axis(scores, best, axis=1).mean(axis=0)
    return {"mean cosine at 1, 10, 50": [round(float(cosines[at]), 3) for at in (0, 9, 49)]}


def search(kind: str, folder: Path, source: SyntheticVectors) -> dict[str, Any]:
    """Recall, times, memory and references of one kind, for each of its settings."""
    faiss.omp_set_num_threads(CORES)
    index, questions = KINDS[kind], source.questions(JUDGED)
    base = memory_mb("RssAnon")
    opening = timed(lambda: index.open(folder, source))
    expected, vectors = np.load(folder / TRUTH), stored_vectors(folder)
    rows: list[dict[str, Any]] = []
    for setting in index.settings:
        ask = partial(index.search, setting=setting)
        near = [set(ask(questions[at : at + 1])[0]) for at in range(JUDGED)]
        recall = np.mean([len(one & set(other)) / K for one, other in zip(near, expected, strict=True)])
        memory = {"process_mb": memory_mb("RssAnon") - base, "mapped_mb": memory_mb("RssFile")}
        times, reading, bare = [], [], []
        for number in range(TIMED):
            question = questions[number : number + 1]
            times.append(timed(partial(ask, question)))
            if number % EVERY == 0:
                reading.append(timed(partial(read_all, vectors)))
                bare.append(timed(partial(ask_bare, vectors, question, AS_IT_COMES)))
        batch = questions[:BATCH]
        batches, bare_batches = [], []
        for _ in range(ROUNDS):
            batches.append(timed(partial(ask, batch)))
            bare_batches.append(timed(partial(ask_bare, vectors, batch, BLAS_FROM, 1)))
        all_threads = timed(partial(ask_bare, vectors, batch, BLAS_FROM))
        rows.append(
            {
                "setting": setting,
                "recall": float(recall),
                "p50_ms": statistics.median(times),
                "p95_ms": statistics.quantiles(times, n=20)[-1],
                "batch_ms": statistics.median(batches),
                "reading_ms": statistics.median(reading),
                "bare_flat_ms": statistics.median(bare),
                "bare_flat_batch_ms": statistics.median(bare_batches),
                "bare_flat_batch_all_threads_ms": all_threads,
                "opening_ms": opening,
                **memory,
                "load": os.getloadavg()[0],
            }
        )
    if isinstance(index, BareFlat):
        rows[0]["batch_as_it_comes_ms"] = timed(partial(ask_bare, vectors, questions[:BATCH], AS_IT_COMES))
    return {"rows": rows}


def build(kind: str, folder: Path, source: SyntheticVectors) -> dict[str, Any]:
    """Seconds without those of drawing vectors, memory in the end and files."""
    faiss.omp_set_num_threads(CORES)
    began = time.perf_counter()
    files = KINDS[kind].build(folder, source)
    return {
        "build_s": time.perf_counter() - began - source.seconds,
        "build_process_mb": memory_mb("RssAnon"),
        "files_mb": {path.name: path.stat().st_size / 1e6 for path in files},
        "load": os.getloadavg()[0],
    }


def main() -> None:
    """Does what the JSON in the first argument orders."""
    order = json.loads(sys.argv[1])
    folder, source = Path(order["folder"]), SyntheticVectors(order["passages"], order["spread"])
    steps = {"build": build, "search": search}
    result = truth(folder, source) if order["step"] == "truth" else steps[order["step"]](order["kind"], folder, source)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
