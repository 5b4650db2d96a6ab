"""How long Ask takes while a large corpus is indexed in the background, against the same without.

python -m benchmarks.indexing [--passages 100000] [--pairs 60] [--seconds 60] [--seed 0] [--home FOLDER] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from workbench.app.workbench import Workbench
from workbench.core.records import Passage
from workbench.data.corpora.build import CorpusManifest
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.jobs.indexing.index_report import IndexJobs, index_id, installed_on_demand
from workbench.pipeline.recipe import Recipe
from workbench.workspace import settings
from workbench.workspace.jobs.job import Job

NAME = "large"
SYLLABLES = ("ka", "lo", "mi", "ren", "tu", "sa", "vel", "po", "di", "nor", "ga", "shi", "be", "fum", "ra", "ty")
VOCABULARY = 5_000
SENTENCES, WORDS = 4, 9
LANGUAGES = ("en", "fi")
SETTLE = 0.5
"""Seconds between waking the job, or putting it to sleep, and the question."""
LOOK_AGAIN = 0.1


def random_passages(count: int, seed: int) -> Iterator[Passage]:
    """Passages of invented words, frequent and rare ones, always the same for a seed."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(VOCABULARY)]
    weights = [1 / rank for rank in range(1, VOCABULARY + 1)]
    for number in range(count):
        sentences = (" ".join(chance.choices(words, weights, k=WORDS)).capitalize() + "." for _ in range(SENTENCES))
        yield Passage(
            f"d{number}.0", f"d{number}", words[number % VOCABULARY], LANGUAGES[number % 2], " ".join(sentences)
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.indexing", description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=60, help="questions, each asked with and without the job")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the job works before it is stopped")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--home", type=Path, help="keep the workspace here; a fresh one where left out")
    parser.add_argument("--out", type=Path, help="write the figures to this file as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh:
        bench = Workbench(settings.load(options.home or Path(fresh)))
        facts = measure(bench, options.passages, options.pairs, options.seconds, options.seed)
    text = json.dumps(facts, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


def measure(bench: Workbench, passages: int, pairs: int, seconds: float, seed: int) -> dict[str, object]:
    """Every figure. Builds the corpus where the workspace lacks it."""
    (encoder, *_) = installed_on_demand()
    bench.corpus("sample")
    began = time.perf_counter()
    if all(item.name != NAME for item in bench.library.list()):
        bench.library.add(NAME, random_passages(passages, seed), source="benchmarks.indexing", licence="none")
    built = time.perf_counter() - began
    manifest = bench.corpus(NAME).manifest
    questions = sample_questions(bench, pairs, seed)
    for number, (text, language) in enumerate(questions[:5]):
        timed(bench, f"{text} {-number}", language)
    jobs = IndexJobs(bench.settings)
    jobs.start(manifest, encoder)
    worker = wait(
        jobs, manifest, encoder, lambda status: status.state == "running" and status.result.get("rate", 0) > 0
    ).pid
    if worker is None:
        raise RuntimeError("the job ended before it encoded anything; see its log in the workspace")
    before = time.perf_counter()
    without, alongside = paired(bench, questions, worker)
    time.sleep(max(0.0, seconds - (time.perf_counter() - before)))
    wish = time.perf_counter()
    jobs.stop(index_id(manifest, encoder))
    stopped = wait(jobs, manifest, encoder, never)
    stop_seconds = time.perf_counter() - wish
    jobs.start(manifest, encoder)
    resumed = wait(jobs, manifest, encoder, lambda status: status.done > stopped.done)
    jobs.stop(index_id(manifest, encoder))
    wait(jobs, manifest, encoder, never)
    ratios = sorted(on / off for on, off in zip(alongside, without, strict=True))
    return {
        "passages": manifest.passages,
        "corpus searchable by words after s": round(built, 1),
        "n": len(ratios),
        "ask without, median s": round(statistics.median(without), 3),
        "ask alongside, median s": round(statistics.median(alongside), 3),
        "ratio, median of pairs": round(statistics.median(ratios), 3),
        "ratio, 90 % of pairs below": round(ratios[int(0.9 * (len(ratios) - 1))], 3),
        "ratio of medians": round(statistics.median(alongside) / statistics.median(without), 3),
        "passages a second": round(stopped.result["rate"], 2),
        "left, s": round((stopped.total - stopped.done) / stopped.result["rate"]),
        "stopped at": stopped.done,
        "stop took s": round(stop_seconds, 1),
        "resumed beyond": resumed.done,
        "load of the machine": [round(value, 1) for value in os.getloadavg()],
    }


def sample_questions(bench: Workbench, count: int, seed: int) -> list[tuple[str, str]]:
    """Questions of the sample with their languages."""
    library = DatasetLibrary(bench.settings.datasets)
    languages = library.info("sample").languages
    questions = [(item.text, code) for code in languages for item in library.questions("sample", code)]
    return random.Random(seed).choices(questions, k=count)


def paired(bench: Workbench, questions: Sequence[tuple[str, str]], job: int) -> tuple[list[float], list[float]]:
    """Seconds of each question while the job sleeps, and while it works; which comes first alternates.

    A number behind the question keeps its vector from being known already.
    """
    seconds: dict[bool, list[float]] = {False: [], True: []}
    for number, (text, language) in enumerate(questions):
        for works in (False, True) if number % 2 else (True, False):
            os.kill(job, signal.SIGCONT if works else signal.SIGSTOP)
            time.sleep(SETTLE)
            seconds[works].append(timed(bench, f"{text} {number}{int(works)}", language))
    os.kill(job, signal.SIGCONT)
    return seconds[False], seconds[True]


def timed(bench: Workbench, question: str, language: str) -> float:
    """Seconds of one answer by the default recipe, every step run anew."""
    began = time.perf_counter()
    bench.ask(question, language, Recipe(), cached=False)
    return time.perf_counter() - began


def never(_job: Job) -> bool:
    """A condition for waiting until the process has ended."""
    return False


def wait(jobs: IndexJobs, manifest: CorpusManifest, encoder: str, until: Callable[[Job], bool]) -> Job:
    """The status once a condition is fulfilled or the process has ended."""
    while True:
        status = jobs.of(manifest, encoder)
        assert status is not None
        if not status.active or until(status):
            return status
        time.sleep(LOOK_AGAIN)


if __name__ == "__main__":
    main()
