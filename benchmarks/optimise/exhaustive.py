"""A space searched exhaustively in this process: are steps run once, how long does it take, and what is the optimum?"""

from __future__ import annotations

import resource
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from workbench.app.workbench import Workbench
from workbench.optimise.measurement import QuestionSet, RecipeTrial
from workbench.optimise.recipe_evaluator import RecipeEvaluator
from workbench.optimise.search_running import SearchRun
from workbench.optimise.search_store import SearchStore
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.spending import CALLING, SearchOptions
from workbench.pipeline.answering import Compose, ComposeDialectic, ParseSections, ReadAnswer
from workbench.workspace import settings
from workbench.workspace.database import opened_store

UNKEPT = frozenset(item.name for item in (Compose, ComposeDialectic, ReadAnswer, ParseSections) if not item.cacheable)
"""Stages whose outputs are not cached, because they take less time than reading them again."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Every recipe of a space on every question, in the order of the space."""

    questions: QuestionSet
    trials: tuple[RecipeTrial, ...]


def searched(space: SearchSpace, home: Path) -> Measured:
    """Every recipe of the space, measured by an exhaustive search in the workspace `home`; prints what that took.

    The search is stored there: one that was broken off goes on, and one that is complete is read.
    """
    bench = Workbench(settings.load(home))
    bench.corpus("sample")
    store = SearchStore(opened_store(bench.settings.database_url))
    known = [row.id for row in store.rows() if row.space.fingerprint == space.fingerprint]
    search_id = known[0] if known else store.add(bench, space, SearchOptions(strategy="exhaustive", holdout=0.0))
    run = SearchRun(bench, store, store.row(search_id))
    keys: dict[str, set[int]] = defaultdict(set)
    run.evaluator.runner.executor.on_key = lambda stage, key: keys[stage].add(hash(key))
    began = time.perf_counter()

    def on_trial() -> None:
        number = len(run.progress.trials)
        if number % 50 == 0:
            print(f"  {number} recipes after {time.perf_counter() - began:.0f} s", flush=True)

    outcome = run.run(on_trial)
    seconds = time.perf_counter() - began
    _print_steps(run.evaluator, keys, seconds, len(outcome.trials))
    return Measured(run.evaluator.questions, outcome.trials)


def _print_steps(evaluator: RecipeEvaluator, keys: dict[str, set[int]], seconds: float, recipes: int) -> None:
    """What an exhaustive search ran, beside the distinct steps that its recipes consist of."""
    counts, questions = evaluator.counts, len(evaluator.questions)
    print(f"{recipes} recipes x {questions} questions = {recipes * questions:,} answers")
    if not keys:
        print("read from an earlier search")
        return
    for stage, items in keys.items():
        calls = " (asks a generator)" if stage in CALLING else ""
        print(f"  {stage}{calls}: {len(items):,} distinct, {counts.ran[stage]:,} run")
    kept = [stage for stage in keys if stage not in UNKEPT]
    distinct, ran = sum(len(keys[stage]) for stage in kept), sum(counts.ran[stage] for stage in kept)
    verdict = "equal" if distinct == ran else "NOT EQUAL"
    print(f"  steps that are kept: {distinct:,} distinct, {ran:,} run, {verdict}")
    print(f"  failed: {sum(counts.failed.values())}")
    again = sum(counts.seconds[stage] for stage in UNKEPT)
    print(f"  {', '.join(sorted(UNKEPT & set(keys)))}: not kept, {again:.1f} s in all")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {seconds:.0f} s ({1000 * seconds / recipes / questions:.2f} ms an answer), peak memory {peak:.0f} MiB")
