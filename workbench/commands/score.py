"""`score`: predictions from anywhere, measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.commands.shared import Json, open_workbench, print_json, say
from workbench.errors import DataError, UsageError, shorten, unknown

if TYPE_CHECKING:
    from workbench.datasets.files.record import Record
    from workbench.metrics.case_report import Figures, Report
    from workbench.metrics.measure import Case, Measure
    from workbench.metrics.statistics.aggregate import Aggregate

DEFAULT = "char3_recall,char3_recall_paper,flexible_em,clr"
SEMSCORE = "semscore"
SHOWN_EVERY = 10_240
"""Rows between two lines of progress."""
ROW = '{"id": …, "prediction": …, "answers": […], "language": …}'


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command()(score)


def score(
    file: Annotated[Path, typer.Argument(help=f"JSON lines, one answer a line: {ROW}")],
    metrics: Annotated[str, typer.Option(help="Names parted by commas.")] = DEFAULT,
    encoder: Annotated[str, typer.Option(help="The encoder of semscore, such as bge-m3.")] = "",
    judge: Annotated[str, typer.Option(help="The generator that judges g_eval, correctness …")] = "",
    as_json: Json = False,
) -> None:
    """Measure predictions: means with 95 % intervals, over all and by language."""
    from workbench import settings
    from workbench.components.identifiers import BUILTIN, identifier_choice
    from workbench.metrics.case_report import score_cases
    from workbench.metrics.catalogue import BY_IDENTIFIER
    from workbench.metrics.judged.judge import NAMES as JUDGED

    measures = _measures(metrics, encoder, judge)

    def progress(rows: int) -> None:
        if rows % SHOWN_EVERY == 0:
            say(f"rows {rows:,}")

    report = score_cases(_cases(file), measures, progress)
    if not report.rows:
        raise DataError(f"“{shorten(file.name)}” holds no rows. Expected lines of the form {ROW}.")
    judged = any(item.name in JUDGED for item in measures)
    identifier = (
        identifier_choice(settings.load().home).name if any(item.name in BY_IDENTIFIER for item in measures) else ""
    )
    if as_json:
        print_json(
            {
                **({"judge": judge.strip()} if judged else {}),
                **({"identifier": identifier} if identifier not in ("", BUILTIN) else {}),
                "metrics": _json(report.metrics),
                "languages": {code: _json(figures) for code, figures in report.languages.items()},
            }
        )
        return
    if judged:
        say(f"Judged by {judge.strip()}.")
    if identifier not in ("", BUILTIN):
        say(f"Languages told by {identifier}.")
    _print_table(report, measures)


def _measures(given: str, encoder: str, judge: str) -> list[Measure]:
    """The measures named, each once. Raises UsageError."""
    from workbench.metrics.catalogue import BY_IDENTIFIER, MEASURES, measures_by
    from workbench.metrics.judged import judge as judging

    names = list(dict.fromkeys(name for part in given.split(",") if (name := part.strip())))
    if not names:
        raise UsageError(f"No metrics are named. Type names parted by commas, for example: --metrics {DEFAULT}")
    # Those made with a model are not in the catalogue.
    allowed = (*MEASURES, SEMSCORE, *judging.NAMES)
    for name in names:
        if name not in allowed:
            raise unknown("metric", name, allowed, f"For example: --metrics {DEFAULT}")
    judged = [name for name in names if name in judging.NAMES]
    if judge.strip() and not judged:
        raise UsageError("A judge is named, but no metric that it gives. Leave it out, or add one: --metrics g_eval")
    if encoder.strip() and SEMSCORE not in names:
        raise UsageError(f"An encoder is named, but not its metric. Leave it out, or add: --metrics {SEMSCORE}")
    made = dict(MEASURES)
    if BY_IDENTIFIER & set(names):
        from workbench import settings
        from workbench.components.identifiers import identifier

        made = measures_by(identifier(settings.load().home))
    if SEMSCORE in names:
        made[SEMSCORE] = _semscore(encoder)
    if judged:
        made.update(_judged(judged[0], judge))
    return [made[name] for name in names]


def _semscore(encoder: str) -> Measure:
    if not encoder:
        raise UsageError("The metric semscore needs an encoder. Type, for example: --encoder bge-m3")
    from workbench import settings
    from workbench.components.makers import dense_encoder, sends_to
    from workbench.metrics.answers.semscore import semscore_with

    home = settings.load().home
    made = dense_encoder(encoder, home)
    if host := sends_to(encoder, home):
        say(f"Texts are sent to {host}.")
    return semscore_with(made)


def _judged(wanted: str, name: str) -> dict[str, Measure]:
    """The judged measures by name. Replies are kept in the workspace, so that none is paid for twice."""
    from workbench.experiments.cells import Sharing
    from workbench.experiments.plan import judge_hosts
    from workbench.metrics.judged.judge import judged_by
    from workbench.results.judging import SharedJudge, checked_judge

    judge = checked_judge(name)
    if not judge:
        raise UsageError(f"The metric {wanted} needs a judge. Type, for example: --judge openai-like:MODEL@ENDPOINT")
    bench = open_workbench()
    home = bench.settings.home
    for host in judge_hosts(judge, home):
        say(f"Texts are sent to {host}.")
    return {item.name: item for item in judged_by(SharedJudge(judge, home, Sharing(bench.cache)))}


def _cases(path: Path) -> Iterator[Case]:
    """The rows of a file as cases. Raises UsageError for the path, DataError with file and line for a row."""
    from workbench.datasets.files.record import NOTHING
    from workbench.datasets.files.text_files import json_records

    seen: dict[tuple[str, str], str] = {}
    try:
        for record in json_records(path):
            case = _case(record)
            key = (record.id("id"), case.language.code)
            if key in seen:
                raise record.wrong(f"has the id “{shorten(key[0])}” in “{key[1]}”, which {seen[key]} has already")
            seen[key] = record.where
            yield case
    except DataError as error:
        # The reader is made for imports; here nothing was to be kept.
        raise DataError(str(error).replace(NOTHING, "so nothing was scored")) from error


def _case(record: Record) -> Case:
    from workbench.languages.labels import language_of
    from workbench.metrics.measure import Case

    prediction = record.values.get("prediction")
    if not isinstance(prediction, str):
        raise record.wrong('lacks a text “prediction” (an empty answer is "")')
    code = record.text("language")
    try:
        known = language_of(code)
    except UsageError as error:
        raise record.wrong(f"has the language “{shorten(code)}” in place of an ISO 639 code such as fi") from error
    return Case(
        prediction,
        record.texts("answers"),
        known,
        question=record.text_or_none("question"),
        passages=record.texts("passages") if record.has("passages") else (),
        instructions=record.text_or_none("instructions"),
        id=record.id("id"),
    )


def _json(figures: Figures) -> dict[str, Any]:
    return {
        name: {
            "mean": figure.mean,
            "low": figure.low,
            "high": figure.high,
            "n": figure.n,
            "unscored": figure.unscored,
        }
        for name, figure in figures.items()
    }


def _print_table(report: Report, measures: Sequence[Measure]) -> None:
    width = max(len(item.name) for item in measures)
    groups = {"all": report.metrics, **report.languages} if len(report.languages) > 1 else {"all": report.metrics}
    for group, figures in groups.items():
        for name, figure in figures.items():
            typer.echo(f"{group:>4}  {name:<{width}}  {_figure(figure)}")
    for name, figure in report.metrics.items():
        for reason, times in figure.reasons.items():
            say(f"{name}: {times:,} unscored. {reason}")


def _figure(figure: Aggregate) -> str:
    counts = f"n {figure.n:,}, unscored {figure.unscored:,}"
    if figure.mean is None:
        return f"unscored  ({counts})"
    interval = f"  [{figure.low:.4f}, {figure.high:.4f}]" if figure.low is not None and figure.high is not None else ""
    return f"{figure.mean:.4f}{interval}  ({counts})"
