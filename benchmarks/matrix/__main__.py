"""The sample as one matrix: how much sharing saves, and that a killed job ends as an unbroken one.

    python -m benchmarks.matrix                 7 modes × 4 scopes × 6 prompts × 13 languages × all questions
    python -m benchmarks.matrix --limit 4       four questions a language
    python -m benchmarks.matrix --kill 30       SIGKILL at 30 random moments, then compare with an unbroken run

The same cells one by one, without sharing, would take hours: their cost is measured on a seeded sample of cells, each
asked alone and uncached by a warm process, and multiplied. Figures: benchmarks/matrix/README.md.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

from workbench import settings
from workbench.corpora import sample
from workbench.experiments.experiment import Experiment, experiment_to_yaml, make_experiment, row_of
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.jobs import control
from workbench.experiments.runner import Runner
from workbench.prompts.variant import VARIANTS
from workbench.recipes.mode import MODES
from workbench.recipes.recipe import Recipe, make_recipe
from workbench.recipes.scope import SCOPES
from workbench.results import instances, result_store
from workbench.results.filters import Filter
from workbench.results.writer import Writer, add_experiment
from workbench.settings import Settings
from workbench.storage.database import open_store
from workbench.workspace.warm_up import warm_up
from workbench.workspace.workbench import Workbench

Row = tuple[object, ...]


def matrix(limit: int | None, languages: list[str]) -> Experiment:
    """Every mode, scope and prompt over the sample."""
    return make_experiment(
        {
            "name": "The sample",
            "modes": [mode.name for mode in MODES],
            "scopes": list(SCOPES),
            "prompts": [variant.name for variant in VARIANTS],
            "languages": languages or ["all"],
            "questions": limit,
            "metrics": ["char3_recall", "flexible_em", "clr", "hit@5"],
        }
    )


def shared(workbench: Workbench, experiment: Experiment) -> None:
    """One run of the whole matrix in this process: steps, time, memory."""
    material = ExperimentInputs(workbench, experiment)
    engine = open_store(workbench.settings.database_url)
    rows = [row_of(run) for run in material.runs]
    spec = experiment_to_yaml(experiment)
    identity = add_experiment(engine, experiment.name, "matrix", spec, material.cells, material.fingerprint, rows)
    distinct: dict[str, set[int]] = {}

    def on_key(stage: str, key: str) -> None:
        distinct.setdefault(stage, set()).add(int(key, 16))

    runner = Runner(workbench, material, Writer(engine, identity, material.metrics), on_key=on_key)
    began = time.perf_counter()
    tally = runner.run()
    taken = time.perf_counter() - began
    print(f"cells {material.cells:,}, of {len(material.runs)} runs")
    print(f"{'stage':20} {'run':>9} {'distinct':>9} {'seconds':>9}")
    for stage, keys in distinct.items():
        print(f"{stage:20} {tally.run[stage]:9,} {len(keys):9,} {tally.seconds[stage]:9.1f}")
    print(f"steps run {sum(tally.run.values()):,}, distinct steps {sum(map(len, distinct.values())):,}")
    print(
        f"failed steps {sum(tally.failed.values()):,}, "
        f"answers {instances.count(engine, Filter(experiments=(identity,))):,}"
    )
    print(f"together: {taken:.0f} s; peak memory {getrusage(RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    alone = one_by_one(workbench, material, cells=300, seed=0)
    whole = alone * material.cells
    print(
        f"one by one: {alone * 1000:.1f} ms a cell (mean of 300), so {whole:.0f} s; "
        f"together takes {taken / whole:.0%} of it"
    )


def one_by_one(workbench: Workbench, material: ExperimentInputs, cells: int, seed: int) -> float:
    """Mean seconds of one cell asked alone, uncached, by a process that has all models and indexes open."""
    drawn = random.Random(seed)
    places = list(material.counts)
    taken = []
    for _ in range(cells):
        run = drawn.choice(material.runs)
        dataset, code = drawn.choice(places)
        question = drawn.choice(material.questions(dataset, code))
        began = time.perf_counter()
        workbench.ask(question.text, code, run.recipe, cached=False)
        taken.append(time.perf_counter() - began)
    return statistics.fmean(taken)


def rows_of(chosen: Settings, identity: str) -> list[Row]:
    """All that an experiment found, but for how long it took, in an order of its own."""
    engine = open_store(chosen.database_url)
    found: list[Row] = []
    after = 0
    while page := instances.instances(engine, Filter(experiments=(identity,)), limit=1000, after=after):
        after = page[-1].answer
        found += [
            (one.run.number, one.language, one.question, one.output, one.answer_language, one.passages, one.error,
             tuple(sorted(one.scores.items())), tuple(sorted(one.reasons.items())))
            for one in page
        ]  # fmt: skip
    return sorted(found, key=repr)


def totals_of(chosen: Settings, identity: str) -> list[Row]:
    """What the totals say of it, by run and language; sums are rounded, for their order may differ."""
    engine, mine = open_store(chosen.database_url), Filter(experiments=(identity,))
    scored = result_store.aggregate(engine, mine, result_store.metrics(engine, mine), ("title", "language"))
    answered = result_store.effort(engine, mine, ("title", "language"))
    return [
        *((*one.key, one.metric, one.n, one.unscored, round(one.mean or 0.0, 9)) for one in scored),
        *((*one.key, one.answers, one.failed, one.prompt_tokens, one.completion_tokens) for one in answered),
    ]


def to_the_end(chosen: Settings, identity: str) -> float:
    """Starts a job and waits for it; seconds from start to end."""
    began = time.perf_counter()
    control.start(chosen, identity)
    now = to_its_end(chosen, identity)
    if now.state != "done":
        raise SystemExit(f"The job ended as {now.state}: {now.error}")
    return time.perf_counter() - began


def to_its_end(chosen: Settings, identity: str) -> control.Status:
    """Waits until no process is at work on it; how it ended."""
    *_, last = control.watch(chosen, identity, 0.1)
    return last


def kill(base: Path, experiment: Experiment, kills: int, seed: int) -> None:
    """The experiment unbroken in one workspace, and killed at random moments in another."""
    drawn = random.Random(seed)
    whole, broken = settings.load(base / "whole"), settings.load(base / "broken")
    expected = control.create(Workbench(whole), experiment)
    warm_up(Workbench(whole), plain_recipe(experiment), list(sample.languages()))
    taken = to_the_end(whole, expected)
    print(f"unbroken: {taken:.1f} s")
    identity = control.create(Workbench(broken), experiment)
    warm_up(Workbench(broken), plain_recipe(experiment), list(sample.languages()))
    killed = 0
    while killed < kills:
        control.start(broken, identity)
        next(one for one in control.watch(broken, identity, 0.02) if one.pid or not one.active)
        # Long enough that kills fall in every stage, not only while a process opens its indexes.
        time.sleep(drawn.uniform(0.0, 0.8 * taken))
        now = control.status(broken, identity)
        if now is not None and now.active and now.pid:
            os.kill(now.pid, signal.SIGKILL)
            killed += 1
            to_its_end(broken, identity)
            print(f"killed {killed:2} at {now.stage} {now.done}/{now.total}", flush=True)
        elif now is not None and now.state == "done":
            compare(whole, expected, broken, identity)
            print(f"done after {killed} kills; begun anew, with nothing cached, for the others", flush=True)
            Workbench(broken).cache.forget()
            identity = control.create(Workbench(broken), experiment)
    to_the_end(broken, identity)
    compare(whole, expected, broken, identity)


def plain_recipe(experiment: Experiment) -> Recipe:
    """A recipe to warm up with."""
    return make_recipe(dict(experiment.recipe))


def compare(whole: Settings, expected: str, broken: Settings, identity: str) -> None:
    """Says whether two experiments found the same, and ends the benchmark where they did not."""
    there, here = rows_of(whole, expected), rows_of(broken, identity)
    twice = len(here) - len({row[:3] for row in here})
    summed = totals_of(whole, expected) == totals_of(broken, identity)
    told = f"{len(there):,} expected, {len(here):,} found, {twice} twice; equal: {there == here}"
    print(f"rows: {told}; totals equal: {summed}", flush=True)
    if there != here or not summed:
        raise SystemExit(1)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--limit", type=int, help="questions a language (all by default)")
    options.add_argument("--languages", nargs="*", default=[], help="codes (all by default)")
    options.add_argument("--kill", type=int, default=0, metavar="N", help="SIGKILL at N random moments")
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        experiment = matrix(given.limit, given.languages)
        if given.kill:
            kill(Path(folder), experiment, given.kill, given.seed)
            return
        workbench = Workbench(settings.load(Path(folder)))
        warm_up(workbench, plain_recipe(experiment), list(sample.languages()))
        shared(workbench, experiment)


if __name__ == "__main__":
    main()
