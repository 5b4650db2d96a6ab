"""`run` and `runs`: experiments from files, in separate processes, and their results."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.shared import (
    ExperimentId,
    Follow,
    Json,
    Judge,
    JudgeLanguage,
    Metrics,
    Ray,
    Workers,
    check_writable,
    checked_ray,
    open_workbench,
    print_json,
    say,
    say_hosts,
)
from workbench.core import UsageError, WorkbenchError, shorten, unknown_name

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.experiments import ExperimentJobs
    from workbench.workspace import Job


def state_of(job: Job | None) -> str:
    """The job's state as JSON names it; "complete" for stored results, which have no job."""
    return job.state if job else "complete"


def state_words(job: Job | None) -> str:
    """The job's state as a person reads it."""
    from workbench.workspace import STATE_TITLES

    return STATE_TITLES[job.state if job else "done"]


def follow_job(bench: Workbench, experiment_id: str, *, follow: bool, as_json: bool) -> None:
    """Follows a job to its end if wanted, and reports its state. Raises WorkbenchError where it failed."""
    from workbench.experiments import ExperimentJobs, ends_of, left_words

    jobs = ExperimentJobs(bench.settings)
    status = jobs.status(experiment_id)
    line = ""
    for status in jobs.watch(experiment_id) if follow else ():
        if line != (line := f"{status.phase} {status.done:,}/{status.total:,}" if status.total else status.phase):
            left = left_words(status.phase, ends_of(status), time.time())
            say(f"{line}, {left}" if left else line)
    if follow and status is not None and status.state in ("done", "stopped"):
        _say_outcome(bench, experiment_id)
    if as_json:
        print_json({"experiment": experiment_id, "state": state_of(status)})
    if status is not None and status.state in ("failed", "interrupted"):
        ending = "failed" if status.state == "failed" else "was interrupted"
        raise WorkbenchError(f"The job {ending}. {status.error} Resume it: runs resume {experiment_id}")


def _say_outcome(bench: Workbench, experiment_id: str) -> None:
    """How many cells have an answer, and why others have none."""
    from workbench.experiments import ResultStore

    store = ResultStore.at(bench.settings.database_url)
    row = store.experiment(experiment_id)
    for reason, count in store.of(experiment_id).failures():
        say(f"  {count:,} {'cell' if count == 1 else 'cells'} failed: {reason}")
    say(f"{row.answered:,} of {row.cells:,} cells have an answer. See more: runs show {experiment_id}")


def register(app: typer.Typer, runs: typer.Typer) -> None:
    """Adds the verb `run` to the program, and the verbs on runs to their group."""
    app.command()(run)
    runs.command("list")(list_experiments)
    runs.command("show")(show)
    runs.command("resume")(resume)
    runs.command("stop")(stop)
    runs.command("export")(export)
    runs.command("import")(import_run)
    runs.command("rename")(rename_experiment)
    runs.command("delete")(delete_experiment)


def run(
    file: Annotated[Path, typer.Argument(help="An experiment as YAML, or a shipped one: borderlines.")],
    plan_only: Annotated[bool, typer.Option("--plan", help="Show what it would take, and run nothing.")] = False,
    pilot: Annotated[
        int, typer.Option(min=0, help="Run this many questions per language and estimate the full run.")
    ] = 0,
    ray: Ray = None,
    workers: Workers = 0,
    follow: Follow = True,
    as_json: Json = False,
) -> None:
    """Run an experiment in a separate process; ending this program does not stop it."""
    from workbench.components import default_generator, model_title
    from workbench.experiments import (
        ExperimentJobs,
        estimate,
        experiment_from_file,
        hosts_of,
        measure,
        pilot_experiment,
        plan as plan_experiment,
    )
    from workbench.pipeline import EXTRACTIVE
    from workbench.workspace import duration_words, settings

    experiment = experiment_from_file(file)
    home = settings.load().home
    if "models" not in experiment.model_fields_set and (generator := default_generator(home)) != EXTRACTIVE:
        experiment = experiment.model_copy(update={"models": (generator,)})
        say(f"Model: {model_title(generator, home)}, the workspace's default.")
    choice = checked_ray(ray, workers)
    if choice and pilot:
        raise UsageError("A pilot runs in one process, so it says nothing about workers: leave --ray out, or --pilot.")
    bench = open_workbench()
    hosts = hosts_of(experiment, bench.settings.home)
    plan = plan_experiment(bench, experiment)
    say(f"{plan.cells:,} cells of {plan.runs:,} runs; steps, at most:")
    for name, count in plan.steps.items():
        say(f"  {name:20} {count:>10,} of {plan.unshared[name]:,}")
    for reason, count in plan.impossible.items():
        say(f"  {count:,} cells cannot run: {reason}")
    for sentence in plan.idle:
        say(f"  {sentence}")
    if not plan_only:
        say_hosts(hosts)
    if pilot:
        measurement = measure(bench, pilot_experiment(experiment, pilot), on_batch=_say_batch)
        forecast = estimate(plan, measurement)
        say(f"Pilot of {forecast.cells:,} cells: the full run takes about {duration_words(forecast.seconds)}.")
        if forecast.unmet:
            say(f"  not counted, since the pilot did not reach them: {', '.join(forecast.unmet)}")
        for reason, count in forecast.reasons.items():
            say(f"  {count:,} of its cells failed: {reason}")
        if as_json:
            print_json({"plan": asdict(plan), "estimate": asdict(forecast)})
        return
    if plan_only:
        if as_json:
            print_json({"plan": asdict(plan)})
        return
    jobs = ExperimentJobs(bench.settings)
    experiment_id = jobs.create(bench, experiment)
    jobs.start(experiment_id, choice)
    say(f"Experiment {experiment_id}. It continues when this program ends. Stop it: runs stop {experiment_id}")
    follow_job(bench, experiment_id, follow=follow, as_json=as_json)


def list_experiments(as_json: Json = False) -> None:
    """List every experiment, the newest first, with its state."""
    jobs = _jobs()
    rows = jobs.statuses()
    if not rows:
        jobs.check_sound()
    if as_json:
        print_json([{**asdict(row.experiment), "state": state_of(row.job)} for row in rows])
        return
    if not rows:
        say("There are no experiments yet. Start one: python -m workbench run FILE")
    for row in rows:
        item = row.experiment
        counts = f"{item.answered:,} of {item.cells:,} cells, {item.failed:,} failed"
        print(f"{item.id}\t{state_words(row.job)}\t{counts}\t{item.name}")


def show(
    experiment_id: ExperimentId,
    metrics: Annotated[str, typer.Option(help="Metric names, separated by commas. Default: all.")] = "",
    as_json: Json = False,
) -> None:
    """Show an experiment's state and the means of its runs."""
    from workbench.experiments import ExperimentJobs, ResultStore, job_to_json

    bench = open_workbench()
    jobs = ExperimentJobs(bench.settings)
    status = jobs.experiment_status(experiment_id)
    row, job = status.experiment, status.job
    view = ResultStore.at(bench.settings.database_url).of(experiment_id)
    known = view.metrics()
    names = [name.strip() for name in metrics.split(",") if name.strip()] or known
    titles = {run.id: run.title for run in view.runs()}
    if not titles or (row.answered and not known):
        jobs.check_sound()
    if missing := [name for name in names if name not in known]:
        raise unknown_name("metric", missing[0], known)
    means = [item for name in names for item in view.means_with_intervals(name)]
    failures = view.failures()
    empty = view.nothing_retrieved()
    if as_json:
        summary = [
            {
                "run": titles[item.key[0]],
                "metric": item.metric,
                "mean": item.mean,
                "low": item.low,
                "high": item.high,
                "n": item.n,
                "unscored": item.unscored,
            }
            for item in means
        ]
        failed = [{"reason": reason, "cells": count} for reason, count in failures]
        print_json(
            {
                **asdict(row),
                "state": state_of(job),
                "job": job_to_json(job) if job else None,
                "means": summary,
                "failures": failed,
                "nothing_retrieved": [{"run": titles[run], "cells": count} for run, count in empty],
            }
        )
        return
    print(f"{row.name}: {state_words(job)}, {row.answered:,} of {row.cells:,} cells, {row.failed:,} failed")
    for reason, count in failures:
        print(f"  {count:,} failed: {reason}")
    for run, count in empty:
        print(f"  {count:,} answered without a generator, as nothing was retrieved: {titles[run]}")
    for item in means:
        interval = "" if item.low is None else f" [{item.low:.4f}, {item.high:.4f}]"
        mean = "unscored" if item.mean is None else f"{item.mean:.4f}{interval}"
        print(f"{item.metric}\t{mean}\tn {item.n:,}\tunscored {item.unscored:,}\t{titles[item.key[0]]}")


def resume(
    experiment_id: ExperimentId,
    failed: Annotated[bool, typer.Option("--failed", help="Also retry failed cells.")] = False,
    ray: Ray = None,
    workers: Workers = 0,
    follow: Follow = True,
    as_json: Json = False,
) -> None:
    """Resume an experiment where it was stopped or killed."""
    from workbench.experiments import FINISHED, ExperimentJobs

    choice = checked_ray(ray, workers)
    bench = open_workbench()
    jobs = ExperimentJobs(bench.settings)
    if not (failed and jobs.retry_failed(experiment_id, choice)):
        if jobs.is_finished(experiment_id):
            say(FINISHED.format(experiment_id))
        else:
            jobs.start(experiment_id, choice)
    follow_job(bench, experiment_id, follow=follow, as_json=as_json)


def stop(experiment_id: ExperimentId) -> None:
    """Stop an experiment; finished cells are kept."""
    if _jobs().stop(experiment_id):
        say(f"Stop requested. Resume it later: runs resume {experiment_id}")
    else:
        say("It is not running.")


def export(
    experiment_id: ExperimentId,
    out: Annotated[Path, typer.Option(help="The file to write.")],
    kind: Annotated[
        str, typer.Option("--format", help="csv, jsonl, parquet, trec-run, trec-qrels, inspectorraget, html or pdf.")
    ] = "",
    metrics: Annotated[
        str, typer.Option(help="Up to three metrics of a report (html, pdf), separated by commas.")
    ] = "",
) -> None:
    """Write an experiment's results, or a report of them, in the format of the file's extension or of --format."""
    from workbench.experiments import EXPORTS, ResultStore, export as tables_export

    check_writable(out, "results.csv")
    bench = open_workbench()
    store = ResultStore.at(bench.settings.database_url)
    store.experiment(experiment_id)
    by_name = {suffix: name for name, (_, suffix) in EXPORTS.items()}
    file_format = kind or by_name.get(out.suffix, "")
    if not file_format:
        raise UsageError(f"The extension of “{shorten(out.name)}” names no format. Type, for example: --format csv")
    count = tables_export(bench, store.of(experiment_id), file_format, out, tuple(filter(None, metrics.split(","))))
    say(f"{count:,} cells written to {out}.")


def import_run(
    file: Annotated[Path, typer.Argument(help="Predictions: .jsonl, .csv, .tsv or .xlsx with id, answer, passages.")],
    dataset: Annotated[str, typer.Option(help="The dataset whose questions the predictions answer.")],
    name: Annotated[str, typer.Option(help="A name for the run.")],
    lang: Annotated[str, typer.Option("--lang", help="Their language, if there is no column “language”.")] = "",
    metrics: Metrics = "",
    judge: Judge = "",
    judge_language: JudgeLanguage = "answer",
    as_json: Json = False,
) -> None:
    """Import a run: score predictions from another system."""
    from workbench.components import checked_judge
    from workbench.experiments import DEFAULT_METRICS, checked_metrics, import_predictions, judge_hosts

    names = tuple(item.strip() for item in metrics.split(",") if item.strip()) or DEFAULT_METRICS
    bench = open_workbench()
    checked_metrics(names, checked_judge(judge), None, judge_language)
    say_hosts(judge_hosts(judge.strip(), bench.settings.home))
    result = import_predictions(
        bench, file, dataset, title=name, language=lang, metrics=names, judge=judge, judge_language=judge_language
    )
    if as_json:
        print_json(
            {
                "experiment": result.experiment_id,
                "predictions": result.predictions,
                "missing": result.missing,
                **({"thinking_left_out": result.thoughts} if result.thoughts else {}),
            }
        )
        return
    if result.thoughts:
        say(f"What a model wrote while thinking (<think> …) was left out of {result.thoughts:,} of the predictions.")
    print(f"{result.experiment_id}\t{result.predictions:,} predictions, {result.missing:,} questions without one")


def _say_batch(stage: str, done: int, total: int, _tally: object) -> None:
    say(f"{stage} {done:,}/{total:,}")


def rename_experiment(
    experiment_id: ExperimentId,
    name: Annotated[str, typer.Argument(help="The new name, 1 to 200 characters.")],
    as_json: Json = False,
) -> None:
    """Rename an experiment that is not running; its id and its results stay."""
    new_name = _jobs().rename(experiment_id, name)
    if as_json:
        print_json({"experiment": experiment_id, "name": new_name})
        return
    say(f"The experiment {experiment_id} is now called “{new_name}”.")


def delete_experiment(
    experiment_id: ExperimentId,
    confirmed: Annotated[bool, typer.Option("--yes", help="Delete it for good.")] = False,
    as_json: Json = False,
) -> None:
    """Delete an experiment that is not running, with its answers and scores; cached steps stay."""
    jobs = _jobs()
    row = jobs.experiment_status(experiment_id).experiment
    if not confirmed:
        raise UsageError(
            f"This deletes “{shorten(row.name)}” with {row.answered:,} answers for good. To confirm, type: "
            f"runs delete {experiment_id} --yes"
        )
    jobs.discard(experiment_id)
    if as_json:
        print_json({"experiment": experiment_id, "deleted": True})
        return
    say(f"The experiment {experiment_id} (“{shorten(row.name)}”) is deleted.")


def _jobs() -> ExperimentJobs:
    from workbench.experiments import ExperimentJobs

    return ExperimentJobs(open_workbench().settings)
