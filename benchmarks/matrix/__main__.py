"""The sample as one matrix: how much sharing saves, and that a killed job ends like an unbroken one.

    python -m benchmarks.matrix                 7 modes × 4 scopes × 6 prompts × 13 languages × all questions
    python -m benchmarks.matrix --limit 4       four questions per language
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

from workbench.app.workbench import Workbench, warm_up
from workbench.data.corpora import sample
from workbench.experiments.experiment import Experiment, experiment_to_yaml, make_experiment, row_of
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.experiments.results.writer import Writer, add_experiment
from workbench.experiments.runner import Runner
from workbench.pipeline.choices import MODES, SCOPES
from workbench.pipeline.prompts.variants import VARIANTS
from workbench.pipeline.recipe import Recipe, make_recipe
from workbench.workspace import settings
from workbench.workspace.jobs.job import Job

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
    """One run of the complete matrix in this process: steps, time, memory."""
    inputs = ExperimentInputs(workbench, experiment)
    store = ResultStore.at(workbench.settings.database_url)
    rows = [row_of(run) for run in inputs.runs]
    spec = experiment_to_yaml(experiment)
    experiment_id = add_experiment(
        store.engine, experiment.name, "matrix", spec, inputs.cells, inputs.fingerprint, rows
    )
    distinct: dict[str, set[int]] = {}

    def on_key(stage: str, key: str) -> None:
        distinct.setdefault(stage, set()).add(int(key, 16))

    writer = Writer(store.engine, experiment_id, inputs.metrics)
    runner = Runner(workbench, inputs, writer, on_key=on_key)
    began = time.perf_counter()
    counts = runner.run()
    together = time.perf_counter() - began
    print(f"cells {inputs.cells:,}, of {len(inputs.runs)} runs")
    print(f"{'stage':20} {'run':>9} {'distinct':>9} {'seconds':>9}")
    for stage, keys in distinct.items():
        print(f"{stage:20} {counts.ran[stage]:9,} {len(keys):9,} {counts.seconds[stage]:9.1f}")
    print(f"steps run {sum(counts.ran.values()):,}, distinct steps {sum(map(len, distinct.values())):,}")
    print(f"failed steps {sum(counts.failed.values()):,}, answers {store.of(experiment_id).count():,}")
    print(f"together: {together:.0f} s; peak memory {getrusage(RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    alone = one_by_one(workbench, inputs, cells=300, seed=0)
    separate = alone * inputs.cells
    print(
        f"one by one: {alone * 1000:.1f} ms per cell (mean of 300), so {separate:.0f} s; "
        f"together takes {together / separate:.0%} of it"
    )


def one_by_one(workbench: Workbench, inputs: ExperimentInputs, cells: int, seed: int) -> float:
    """Mean seconds of one cell run alone, uncached, by a process that has all models and indexes open."""
    generator = random.Random(seed)
    places = list(inputs.counts)
    durations = []
    for _ in range(cells):
        run = generator.choice(inputs.runs)
        dataset, language = generator.choice(places)
        question = generator.choice(inputs.questions(dataset, language))
        began = time.perf_counter()
        workbench.ask(question.text, language, run.recipe, cached=False)
        durations.append(time.perf_counter() - began)
    return statistics.fmean(durations)


def rows_of(view: ResultView) -> list[Row]:
    """All about the answers of an experiment except their seconds, sorted."""
    return sorted(
        (
            (cell.run.number, cell.language, cell.question, cell.output, cell.answer_language, cell.passages,
             cell.error, tuple(sorted(cell.scores.items())), tuple(sorted(cell.reasons.items())))
            for cell in view.all_instances()
        ),
        key=repr,
    )  # fmt: skip


def totals_of(view: ResultView) -> list[Row]:
    """Its totals by run and language; sums are rounded, because their order may differ."""
    means = view.means(view.metrics(), ("title", "language"))
    effort = view.effort(("title", "language"))
    return [
        *((*item.key, item.metric, item.n, item.unscored, round(item.mean or 0.0, 9)) for item in means),
        *((*item.key, item.answers, item.failed, item.prompt_tokens, item.completion_tokens) for item in effort),
    ]


def to_the_end(jobs: ExperimentJobs, experiment_id: str) -> float:
    """Starts a job and waits for it; seconds from start to end."""
    began = time.perf_counter()
    jobs.start(experiment_id)
    last = last_status(jobs, experiment_id)
    if last.state != "done":
        raise SystemExit(f"The job ended as {last.state}: {last.error}")
    return time.perf_counter() - began


def last_status(jobs: ExperimentJobs, experiment_id: str) -> Job:
    """Waits until no process is at work on it; how it ended."""
    *_, last = jobs.watch(experiment_id, 0.1)
    return last


def kill(base: Path, experiment: Experiment, kills: int, seed: int) -> None:
    """The experiment unbroken in one workspace, and killed at random moments in another."""
    generator = random.Random(seed)
    unbroken, broken = ExperimentJobs(settings.load(base / "unbroken")), ExperimentJobs(settings.load(base / "broken"))
    expected = unbroken.create(Workbench(unbroken.settings), experiment)
    warm_up(Workbench(unbroken.settings), plain_recipe(experiment), list(sample.languages()))
    duration = to_the_end(unbroken, expected)
    print(f"unbroken: {duration:.1f} s")
    experiment_id = broken.create(Workbench(broken.settings), experiment)
    warm_up(Workbench(broken.settings), plain_recipe(experiment), list(sample.languages()))
    killed = 0
    while killed < kills:
        broken.start(experiment_id)
        next(status for status in broken.watch(experiment_id, 0.02) if status.pid or not status.active)
        # Long enough that kills fall in every stage, not only while a process opens its indexes.
        time.sleep(generator.uniform(0.0, 0.8 * duration))
        now = broken.status(experiment_id)
        if now is not None and now.active and now.pid:
            os.kill(now.pid, signal.SIGKILL)
            killed += 1
            last_status(broken, experiment_id)
            print(f"killed {killed:2} at {now.phase} {now.done}/{now.total}", flush=True)
        elif now is not None and now.state == "done":
            compare(results(unbroken, expected), results(broken, experiment_id))
            print(f"done after {killed} kills; started again, with nothing cached, for the others", flush=True)
            Workbench(broken.settings).cache.forget()
            experiment_id = broken.create(Workbench(broken.settings), experiment)
    to_the_end(broken, experiment_id)
    compare(results(unbroken, expected), results(broken, experiment_id))


def results(jobs: ExperimentJobs, experiment_id: str) -> ResultView:
    """All results of one experiment."""
    return ResultStore(jobs.engine).of(experiment_id)


def plain_recipe(experiment: Experiment) -> Recipe:
    """A recipe to warm up with."""
    return make_recipe(dict(experiment.recipe))


def compare(expected: ResultView, actual: ResultView) -> None:
    """Prints whether two experiments have the same results, and ends the benchmark where they have not."""
    expected_rows, rows = rows_of(expected), rows_of(actual)
    twice = len(rows) - len({row[:3] for row in rows})
    equal, totals_equal = expected_rows == rows, totals_of(expected) == totals_of(actual)
    print(f"rows: {len(expected_rows):,} expected, {len(rows):,} stored, {twice} twice; equal: {equal}", end="; ")
    print(f"totals equal: {totals_equal}", flush=True)
    if not (equal and totals_equal):
        raise SystemExit(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="questions per language (all by default)")
    parser.add_argument("--languages", nargs="*", default=[], help="codes (all by default)")
    parser.add_argument("--kill", type=int, default=0, metavar="N", help="SIGKILL at N random moments")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        experiment = matrix(options.limit, options.languages)
        if options.kill:
            kill(Path(folder), experiment, options.kill, options.seed)
            return
        workbench = Workbench(settings.load(Path(folder)))
        warm_up(workbench, plain_recipe(experiment), list(sample.languages()))
        shared(workbench, experiment)


if __name__ == "__main__":
    main()
