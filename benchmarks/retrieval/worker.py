"""One measurement in a separate process, so that memory is the engine's alone; prints one line of JSON.

`build` measures building; `search` opens what was built (or builds, for engines in memory) and searches. Seconds of the
processor are of all threads, less those in which the passages are drawn.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.retrieval.engines import ENGINES
from benchmarks.retrieval.passages import SyntheticCorpus, load_corpus
from workbench.core.records import Passage, Query

K = 50
WARM_UP = 5


@dataclass
class DrawnPassages:
    """Passages that are drawn anew each time they are iterated, and the processor's seconds that this took."""

    corpus: SyntheticCorpus
    count: int
    seconds: float = 0.0

    def __iter__(self) -> Iterator[Passage]:
        """Draws them."""
        passages = self.corpus.passages(self.count)
        while True:
            began = time.thread_time()
            passage = next(passages, None)
            self.seconds += time.thread_time() - began
            if passage is None:
                return
            yield passage


def resident_mb() -> float:
    """Memory now resident, including mapped files (the peak where the system has no /proc)."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmRSS")) / 1024
    return peak_mb()


def peak_mb() -> float:
    """The most memory that was ever resident."""
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale


def main() -> None:
    """Measures what the JSON in the first argument orders."""
    order = json.loads(sys.argv[1])
    engine = ENGINES[order["engine"]]()
    folder = Path(order["folder"])
    corpus = load_corpus(Path(order["xquad"]) if order["xquad"] else None, order["languages"])
    base = resident_mb()
    result: dict[str, float] = {}
    if order["step"] == "build" or not engine.on_disk:
        passages = DrawnPassages(corpus, order["size"])
        began, began_cpu = time.perf_counter(), time.process_time()
        engine.build(folder, passages)
        result |= {
            "build_s": time.perf_counter() - began,
            "build_cpu_s": time.process_time() - began_cpu - passages.seconds,
            "peak_mb": peak_mb(),
        }
    if order["step"] == "search":
        engine.open(folder)
        questions = corpus.sample_questions(order["questions"])
        queries = [Query(text, language, (language,)) for text, language in questions]
        for query in queries[: min(WARM_UP, len(queries) // 4)]:
            engine.search(query, K)
        times: list[float] = []
        processor: list[float] = []
        for query in queries:
            began, began_cpu = time.perf_counter(), time.process_time()
            engine.search(query, K)
            times.append(1000 * (time.perf_counter() - began))
            processor.append(1000 * (time.process_time() - began_cpu))
        result |= {
            "p50_ms": statistics.median(times),
            "p50_cpu_ms": statistics.median(processor),
            "p95_ms": statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0],
            "resident_mb": resident_mb(),
            "base_mb": base,
            "n": len(times),
        }
    if engine.on_disk:
        result["disk_mb"] = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
    print(json.dumps(result))


if __name__ == "__main__":
    main()
