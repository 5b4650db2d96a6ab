"""`score`: predictions from anywhere, scored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.shared import (
    Json,
    Judge,
    JudgeLanguage,
    Metrics,
    open_workbench,
    print_json,
    say,
    say_hosts,
)
from workbench.core import DataError, UsageError, shorten, unknown_name

if TYPE_CHECKING:
    from workbench.data import Record
    from workbench.metrics import Aggregate, Case, Figures, Measure, PromptLanguage, Report

DEFAULT = "char3_recall,char3_recall_paper,flexible_em,flexible_em_paper,clr,hallucination,abstention_error"
EXAMPLE = "char3_recall,flexible_em,clr"
SEMSCORE = "semscore"
JUDGED_IN = {"answer": "the answer's language", "en": "English", "both": "the answer's language and in English"}
PROGRESS_INTERVAL = 10_240
"""Rows between two lines of progress."""
ROW = '{"id": …, "prediction": …, "answers": […], "language": …}'
UNANSWERABLE = 'a question that the corpus does not answer has "answers": [] and "unanswerable": true'


def register(app: typer.Typer) -> None:
    """Adds the verb to the program."""
    app.command()(score)


def score(
    file: Annotated[Path, typer.Argument(help=f"JSON lines, one answer per line: {ROW}; {UNANSWERABLE}.")],
    metrics: Metrics = DEFAULT,
    encoder: Annotated[str, typer.Option(help="The encoder for semscore, such as bge-m3.")] = "",
    judge: Judge = "",
    judge_language: JudgeLanguage = "answer",
    chance: Annotated[
        bool,
        typer.Option(
            "--chance",
            help="Also score each answer against other questions' gold answers, by language: the level of chance.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Score predictions: means with 95 % intervals, overall and by language."""
    from workbench.components import identifier_choice
    from workbench.metrics import BY_IDENTIFIER, NAMES as JUDGED, score_cases
    from workbench.pipeline import BUILTIN
    from workbench.workspace import settings

    measures = _measures(metrics, encoder, judge, judge_language)

    def progress(rows: int) -> None:
        if rows % PROGRESS_INTERVAL == 0:
            say(f"rows {rows:,}")

    thoughts: Counter[str] = Counter()
    golds: dict[str, list[Sequence[str]]] = defaultdict(list)
    report = score_cases(_cases(file, thoughts, golds if chance else None), measures, progress)
    if not report.rows:
        raise DataError(f"“{shorten(file.name)}” holds no rows. Expected lines of the form {ROW}.")
    is_judged = any(item.name.partition("+")[0] in JUDGED for item in measures)
    identifier = (
        identifier_choice(settings.load().home).name if any(item.name in BY_IDENTIFIER for item in measures) else ""
    )
    if as_json:
        print_json(
            {
                **({"judge": judge.strip(), "judge_language": judge_language} if is_judged else {}),
                **({"identifier": identifier} if identifier not in ("", BUILTIN) else {}),
                **({"thinking_left_out": thoughts.total()} if thoughts else {}),
                "metrics": _json(report.metrics),
                "languages": {code: _json(figures) for code, figures in report.languages.items()},
                **({"chance": _chance(measures, golds)} if chance else {}),
            }
        )
        return
    if is_judged:
        say(f"Judged by {judge.strip()}, asked in {JUDGED_IN[judge_language]}.")
    if identifier not in ("", BUILTIN):
        say(f"Languages identified by {identifier}.")
    if thoughts:
        say(f"What a model wrote while thinking (<think> …) was left out of {thoughts.total():,} of the predictions.")
    _print_table(report, measures)
    for code, levels in _chance(measures, golds).items():
        for name, level in levels.items():
            typer.echo(f"{code:>4}  {name}  by chance {level:.4f}")


def _measures(metrics: str, encoder: str, judge: str, judge_language: str) -> list[Measure]:
    """The measures that are named, each once. Raises UsageError."""
    from workbench.metrics import BY_IDENTIFIER, MEASURES, NAMES, OF_CANDIDATES, measures_with, prompt_languages

    names = list(dict.fromkeys(name for part in metrics.split(",") if (name := part.strip())))
    if not names:
        raise UsageError(f"No metrics are named. Type names separated by commas, for example: --metrics {EXAMPLE}")
    # Measures that need a model are not in the catalogue; a file of predictions has no candidates.
    allowed = (*MEASURES, SEMSCORE, *(name for name in NAMES if name not in OF_CANDIDATES))
    for name in names:
        if name not in allowed:
            raise unknown_name("metric", name, allowed, f"For example: --metrics {EXAMPLE}")
    judged = [name for name in names if name in NAMES]
    if judge.strip() and not judged:
        raise UsageError("A judge is named, but no metric that uses it. Leave it out, or add one: --metrics g_eval")
    if encoder.strip() and SEMSCORE not in names:
        raise UsageError(f"An encoder is named, but no metric that uses it. Leave it out, or add: --metrics {SEMSCORE}")
    measures = dict(MEASURES)
    if BY_IDENTIFIER & set(names):
        from workbench.components import identifier
        from workbench.workspace import settings

        measures = measures_with(identifier(settings.load().home))
    if SEMSCORE in names:
        measures[SEMSCORE] = _semscore(encoder)
    if not judged:
        return [measures[name] for name in names]
    by_judge = _judged(judged[0], judge, prompt_languages(judge_language))
    return [item for name in names for item in (by_judge[name] if name in judged else [measures[name]])]


def _semscore(encoder: str) -> Measure:
    if not encoder:
        raise UsageError("The metric semscore needs an encoder. Type, for example: --encoder bge-m3")
    from workbench.components import Registry
    from workbench.metrics import semscore_with
    from workbench.workspace import settings

    registry = Registry(settings.load().home)
    dense_encoder = registry.dense_encoder(encoder)
    if host := registry.host(encoder):
        say(f"Texts are sent to {host}.")
    return semscore_with(dense_encoder)


def _judged(metric: str, name: str, languages: Sequence[PromptLanguage]) -> dict[str, list[Measure]]:
    """The judged measures by name, one for each language that the judge is asked in; `+ul` names the answer's.

    Replies are cached in the workspace, so that none is paid for twice.
    """
    from workbench.components import checked_judge
    from workbench.experiments import SharedJudge, judge_hosts
    from workbench.metrics import IN_ANSWER_LANGUAGE, judged_by
    from workbench.pipeline import Executor

    judge = checked_judge(name)
    if not judge:
        raise UsageError(f"The metric {metric} needs a judge. Type, for example: --judge openai-like:MODEL@ENDPOINT")
    bench = open_workbench()
    home = bench.settings.home
    say_hosts(judge_hosts(judge, home))
    shared = SharedJudge(judge, home, Executor(bench.cache, "isolate"))
    measures: dict[str, list[Measure]] = {}
    for prompt_language in languages:
        mark = IN_ANSWER_LANGUAGE if prompt_language == "answer" else ""
        for item in judged_by(shared, prompt_language=prompt_language):
            measures.setdefault(item.name, []).append(replace(item, name=item.name + mark))
    return measures


def _cases(path: Path, thoughts: Counter[str], golds: dict[str, list[Sequence[str]]] | None = None) -> Iterator[Case]:
    """The rows of a file as cases.

    `thoughts` counts, by language, those with what a model wrote while thinking; `golds` collects, by language, the
    golds of each question that has any.

    Raises UsageError for the path, DataError with file and line for a row.
    """
    from workbench.data import NOTHING_IMPORTED, json_records

    places: dict[tuple[str, str], str] = {}
    try:
        for record in json_records(path):
            case = _case(record)
            key = (record.id("id"), case.language.code)
            if key in places:
                raise record.error(f"has the id “{shorten(key[0])}” in “{key[1]}”, which {places[key]} already has")
            places[key] = record.where
            thoughts.update([key[1]] if case.prediction != record.values["prediction"] else ())
            if golds is not None and case.answers:
                golds[key[1]].append(case.answers)
            yield case
    except DataError as error:
        # The reader is shared with imports; here nothing was to be imported.
        raise DataError(str(error).replace(NOTHING_IMPORTED, "so nothing was scored")) from error


def _chance(measures: Sequence[Measure], golds: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, dict[str, float]]:
    """By language and metric, what golds of other questions score; without metrics that need more than golds."""
    from workbench.languages import language
    from workbench.metrics import AGAINST_GOLDS, chance_level

    levels = {
        code: {
            item.name: chance_level(item, answers, language(code)).mean
            for item in measures
            if item.name in AGAINST_GOLDS
        }
        for code, answers in golds.items()
    }
    return {code: {name: mean for name, mean in row.items() if mean is not None} for code, row in levels.items()}


def _case(record: Record) -> Case:
    from workbench.core import FALSE_PREMISE, NO_EVIDENCE, without_thinking
    from workbench.languages import language_of
    from workbench.metrics import Case

    prediction = record.values.get("prediction")
    if not isinstance(prediction, str):
        raise record.error('lacks a text “prediction” (an empty answer is "")')
    mark = record.values.get("unanswerable", record.values.get("evidence_in") == NO_EVIDENCE)
    if not isinstance(mark, bool):
        raise record.error(f"has “unanswerable”: “{shorten(mark)}” instead of true or false")
    code = record.text("language")
    try:
        language = language_of(code)
    except UsageError as error:
        raise record.error(f"has the language “{shorten(code)}” instead of an ISO 639 code such as fi") from error
    return Case(
        without_thinking(prediction),
        record.texts("answers"),
        language,
        question=record.optional_text("question"),
        passages=record.texts("passages") if record.has("passages") else (),
        instructions=record.optional_text("instructions"),
        id=record.id("id"),
        unanswerable=mark,
        false_premise=mark and record.values.get("phenomenon") == FALSE_PREMISE,
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
