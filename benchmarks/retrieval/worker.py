"""One measurement in a separate process, so that memory is the engine's alone; prints one line of JSON.

`build` measures building; `search` opens what was built (or builds, for engines in memory) and searches.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from pathlib import Path

from benchmarks.retrieval.engines import ENGINES
from benchmarks.retrieval.passages import load_corpus
from workbench.core.records import Query

K = 50
WARM_UP = 5


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
        began = time.perf_counter()
        engine.build(folder, corpus.passages(order["size"]))
        result |= {"build_s": time.perf_counter() - began, "peak_mb": peak_mb()}
    if order["step"] == "search":
        engine.open(folder)
        questions = corpus.sample_questions(order["questions"])
        queries = [Query(text, language, (language,)) for text, language in questions]
        for query in queries[: min(WARM_UP, len(queries) // 4)]:
            engine.search(query, K)
        times: list[float] = []
        for query in queries:
            began = time.perf_counter()
            engine.search(query, K)
            times.append(1000 * (time.perf_counter() - began))
        result |= {
            "p50_ms": statistics.median(times),
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
