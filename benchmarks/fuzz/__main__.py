"""The command line under fire: nothing may end in a traceback, hang, lose or silently change anything.

    python -m benchmarks.fuzz                                 about ten minutes on two cores
    python -m benchmarks.fuzz --calls 4000 --files 2500 --seconds 1200 --seed 7
    python -m benchmarks.fuzz --only bombs

Calls are forked from a process that has everything imported, so a crash or a hang of one is counted and ends nothing.
Figures and what they mean: benchmarks/fuzz/README.md.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from random import Random

from benchmarks.fuzz import phases
from benchmarks.fuzz.bombs import SECONDS, bombs, explode
from benchmarks.fuzz.harness import TRACEBACK, UNEXPECTED, preload
from benchmarks.fuzz.phases import Tally
from benchmarks.fuzz.workspace import Template, build

WORKERS = 2
PHASES = ("calls", "damage", "kills", "twins", "disk", "bombs")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--files", type=int, default=1_200)
    parser.add_argument("--kills", type=int, default=3, help="rounds of kills and of two at once")
    parser.add_argument("--disks", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=600, help="in all; what does not fit is not done")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=PHASES, action="append")
    parser.add_argument("--examples", type=int, default=40)
    options = parser.parse_args()
    selected = options.only or PHASES
    os.environ.pop("WORKBENCH_DATABASE_URL", None)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder = Path(name)
        preload()
        began = time.monotonic()
        template = build(folder)
        print(f"workspace built in {time.monotonic() - began:.0f} s", flush=True)
        until = began + options.seconds
        jobs: dict[str, Callable[[Path, Random, float, int], Tally]] = {
            "calls": lambda place, random, end, share: phases.calls(template, place, share, end, random),
            "damage": lambda place, random, end, share: phases.damage(template, place, share, end, random),
            "kills": lambda place, random, end, share: phases.kills(template, place, share, end, random),
            "twins": lambda place, _random, end, share: phases.twins(template, place, share, end),
            "disk": lambda place, random, end, share: phases.full_disk(template, place, share, end, random),
        }
        counts = {
            "calls": options.calls,
            "damage": options.files,
            "kills": options.kills,
            "twins": options.kills,
            "disk": options.disks,
        }
        waiting = [name for name in PHASES if name in selected]
        if "bombs" in waiting:
            waiting.remove("bombs")
            _report("bombs", _bombs(folder, template), options.examples)
        for place, name in enumerate(waiting):
            left = until - time.monotonic()
            end = time.monotonic() + left / (len(waiting) - place)
            workers = 1 if name in ("twins", "kills") else WORKERS
            tally = _spread(jobs[name], folder / name, -(-counts[name] // workers), end, options.seed, workers)
            _report(name, tally, options.examples)


def _spread(
    job: Callable[[Path, Random, float, int], Tally], folder: Path, share: int, end: float, seed: int, workers: int
) -> Tally:
    """Runs a job in forked workers, each with a folder and a generator of its own."""
    context = get_context("fork")
    results = folder / "results"
    results.mkdir(parents=True)

    def work(number: int) -> None:
        place = folder / str(number)
        place.mkdir()
        os.chdir(place)
        tally = job(place, Random(f"{seed} {folder.name} {number}"), end, share)
        (results / str(number)).write_text(tally.json(), encoding="utf-8")

    processes = [context.Process(target=work, args=(number,)) for number in range(workers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    total = Tally()
    for path in sorted(results.iterdir()):
        total.merge(path.read_text(encoding="utf-8"))
    return total


def _bombs(folder: Path, template: Template) -> Tally:
    tally = Tally()
    place = folder / "bombs"
    place.mkdir()
    for number, (name, make, words) in enumerate(bombs(place)):
        home = template.copy(place / "home")
        path = make()
        size = sum(item.stat().st_size for item in path.rglob("*")) if path.is_dir() else path.lstat().st_size
        code, err, seconds, peak = explode(home, words, path)
        last = err.strip().splitlines()[-1] if err.strip() else ""
        print(f"  {name}: {size:,} bytes, exit {code}, {seconds:.1f} s, {peak:,.0f} MB: {last[:150]}", flush=True)
        tally.counts["bombs"] += 1
        tally.peak_mb = max(tally.peak_mb, peak)
        tally.counts["tracebacks"] += TRACEBACK in err or UNEXPECTED in err or code < 0
        tally.counts["hangs"] += seconds > SECONDS
        tally.counts["over 2 GB"] += peak > 2_048
        (place / "home").rename(place / f"home{number}")
    return tally


def _report(name: str, tally: Tally, examples: int) -> None:
    bad = (
        "tracebacks",
        "hangs",
        "silent changes",
        "wrong without a word",
        "lost",
        "half a run as complete",
        "not repeatable",
    )
    counts = {**tally.counts, **{key: tally.counts[key] for key in bad}}
    print(f"{name}: " + ", ".join(f"{key} {value:,}" for key, value in counts.items()), flush=True)
    print(f"  peak memory {tally.peak_mb:,.0f} MB", flush=True)
    for line in tally.examples[:examples]:
        print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
