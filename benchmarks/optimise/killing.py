"""A search that is killed again and again ends as an unbroken one, and its cost is as foreseen."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

from workbench.app.workbench import Workbench
from workbench.optimise.forecast import forecast
from workbench.optimise.measurement import StoredTrials
from workbench.optimise.search_store import SearchJobs, SearchRow
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.space.space_files import space_from_text
from workbench.optimise.spending import CALLING, SearchOptions
from workbench.workspace import settings

LOOK = 0.02
SPACE = """
name: Small
languages: [en, fi, ar]
questions: 12
objective: char3_recall
recipe: {corpus: sample, encoder: builtin, generator: extractive, translator: builtin}
nodes:
  - node: mode
    modules:
      - {name: MultiRAG, values: {mode: multirag, scope: [all, en+ul]}}
  - node: retrieval
    metrics: [mrr]
    modules:
      - {name: BM25, values: {retriever: lexical}}
      - {name: RRF, values: {retriever: rrf, rrf_k: [10, 60]}}
  - node: reranker
    modules:
      - {name: none, values: {k: [1, 3, 5]}}
"""


def to_the_end(jobs: SearchJobs, search_id: str) -> SearchRow:
    """How a search ended."""
    list(jobs.watch(search_id, LOOK))
    return jobs.status(search_id)


def kill_after(jobs: SearchJobs, search_id: str, seconds: float) -> bool:
    """SIGKILL that long after its process is at work; False where it ended before."""
    began = 0.0
    for job in jobs.watch(search_id, LOOK):
        if job.state == "running" and job.pid:
            began = began or time.monotonic()
            if time.monotonic() - began >= seconds:
                os.kill(job.pid, signal.SIGKILL)
                break
    return to_the_end(jobs, search_id).state == "interrupted"


def figures_of(jobs: SearchJobs, search_id: str) -> dict[tuple[Any, ...], Any]:
    """Every score of a search by recipe, part, question and metric. Raises ValueError for one measured twice."""
    figures: dict[tuple[Any, ...], Any] = {}
    for piece in StoredTrials(jobs.engine, search_id).load():
        for metric, values in piece.scores.items():
            for row, value in zip(piece.rows, values, strict=True):
                key = (piece.recipe, piece.part, row, metric)
                if key in figures:
                    raise ValueError(f"measured twice: {key}")
                figures[key] = value
    return figures


def decisions_of(row: SearchRow) -> Any:
    """The outcome of a search without seconds, which differ from run to run."""
    decisions = [
        {
            "node": item["node"],
            "taken": item["taken"],
            "variants": [{"recipe": one["recipe"], "scores": one["scores"]} for one in item["variants"]],
        }
        for item in row.outcome["decisions"]
    ]
    return row.outcome["best"], decisions, row.outcome["stopped_early"]


def kills(strategy: str, count: int, seed: int, space: SearchSpace | None = None) -> int:
    """Kills a search at `count` random moments and compares it with an unbroken one; returns how many kills hit."""
    space = space or space_from_text(SPACE, "space.yaml")
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        whole = Workbench(settings.load(Path(folder) / "whole"))
        whole.corpus("sample")
        jobs = SearchJobs(whole.settings)
        whole_id = jobs.create(whole, space, SearchOptions(strategy=strategy))
        began = time.monotonic()
        jobs.start(whole_id)
        unbroken = to_the_end(jobs, whole_id)
        lasted = time.monotonic() - began
        print(f"unbroken: {unbroken.state}, {lasted:.1f} s, {jobs.store.measured(whole_id)} recipes", flush=True)
        hits, home = 0, 0
        while hits < count:
            home += 1
            broken = Workbench(settings.load(Path(folder) / f"broken-{home}"))
            broken.corpus("sample")
            broken_jobs = SearchJobs(broken.settings)
            broken_id = broken_jobs.create(broken, space, SearchOptions(strategy=strategy))
            while hits < count:
                broken_jobs.start(broken_id)
                hit = kill_after(broken_jobs, broken_id, draw.uniform(0, lasted / 2))
                hits += hit
                if not hit:
                    break
            else:
                broken_jobs.start(broken_id)
            ended = to_the_end(broken_jobs, broken_id)
            assert ended.state == "done", ended.error
            assert figures_of(broken_jobs, broken_id) == figures_of(jobs, whole_id)
            assert decisions_of(ended) == decisions_of(unbroken)
            print(f"search {home}: the same figures, decisions and winner after {hits} kills in all", flush=True)
    return hits


def cost(space: SearchSpace, strategy: str) -> float:
    """Prints what was foreseen of a search beside what it took; returns the seconds foreseen by those taken."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(settings.load(Path(folder)))
        bench.corpus("sample")
        options = SearchOptions(strategy=strategy, holdout=0.0)
        began = time.monotonic()
        foreseen = forecast(bench, space, options)
        print(
            f"{foreseen.recipes} recipes, {foreseen.questions} questions; forecast in {time.monotonic() - began:.0f} s"
        )
        print({name: round(seconds, 5) for name, seconds in foreseen.each.items()})
        jobs = SearchJobs(bench.settings)
        search_id = jobs.create(bench, space, options)
        jobs.start(search_id)
        row = to_the_end(jobs, search_id)
        print(f"{row.state}: seconds foreseen {foreseen.seconds:.1f}, taken {row.spent.seconds:.1f}")
        print(f"calls foreseen {foreseen.calls:,} (exact: {foreseen.exact_calls}), made {row.spent.calls:,}")
        for name, number in foreseen.remaining.items():
            calls = " (calls)" if name in CALLING else ""
            print(f"  {name}{calls}: foreseen {number:,}, run {row.spent.steps.get(name, 0):,}", flush=True)
        return (foreseen.seconds or 0.0) / row.spent.seconds
