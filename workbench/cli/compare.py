"""`runs compare`: which run beats which, by how much, in which languages, and whether it is significant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.shared import (
    ExperimentId,
    Json,
    check_writable,
    open_workbench,
    print_json,
    say,
)
from workbench.core import UsageError, shorten, unknown_name

if TYPE_CHECKING:
    from workbench.experiments import Delta
    from workbench.metrics import AssociationFigure, Scale

SIGNIFICANT = 0.05
TITLES_SHOWN = 12
TITLE_WORDS = "words of its title that no other has, for example: crossrag"


def register(runs: typer.Typer) -> None:
    """Adds the verb to its group."""
    runs.command("compare")(compare)
    runs.command("judges")(judge_prompts)
    runs.command("territories")(territories)


def judge_prompts(
    experiment_id: ExperimentId,
    as_json: Json = False,
) -> None:
    """Show a judge that was asked in both languages: its means by language under each, and how far the two agree."""
    from workbench.experiments import ResultStore, judge_languages

    store = ResultStore.at(open_workbench().settings.database_url)
    store.experiment(experiment_id)
    rows = judge_languages(store.of(experiment_id))
    if not rows:
        raise UsageError(
            "No metric of this experiment was judged in both languages: run it with “judge_language: both”, or import "
            "predictions with --judge-language both"
        )
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    for row in rows:
        figures = {"English": row.english, "answer's": row.answer, "difference": row.difference, "κ": row.kappa}
        words = "\t".join(f"{name} {_interval(figure)}" for name, figure in {**figures, "τ": row.tau_b}.items())
        same = "" if row.same is None else f"\tequal {row.same:.0%}"
        print(f"{row.metric}\t{row.language or 'all'}\t{words}{same}\tn {row.n:,}")


def territories(
    experiment_id: ExperimentId,
    out: Annotated[Path | None, typer.Option(help="A CSV file for every answer as it was read.")] = None,
    as_json: Json = False,
) -> None:
    """Show agreement with the controller and concurrence across languages, over a dataset such as BORDERLINES."""
    from workbench.data import DatasetLibrary
    from workbench.experiments import ResultStore, concurrence_rows, group_rows, read_answers
    from workbench.metrics import CONCURRENCE, KINDS
    from workbench.workspace import atomic, csv_text

    if out:
        check_writable(out, "territories.csv")
    bench = open_workbench()
    store = ResultStore.at(bench.settings.database_url)
    store.experiment(experiment_id)
    view = store.of(experiment_id)
    answers = read_answers(view, DatasetLibrary(bench.settings.datasets))
    if not answers:
        raise UsageError(
            "No answer of this experiment is about a territory: its dataset must be one like BORDERLINES, imported by "
            "mrag import borderlines FOLDER"
        )
    titles = {run.id: run.title for run in view.runs()}
    if out:
        rows = [
            (
                *(titles[answer.instance.run.id], answer.question.id, answer.question.region, answer.question.language),
                *(answer.words, answer.claimants[answer.controller], answer.instance.output),
            )
            for answer in answers
        ]
        head = ("run", "territory", "region", "language", "reading", "controller", "answer")
        atomic.write_text(out, "\ufeff" + csv_text([head, *rows]))
        say(f"{len(rows):,} answers as they were read written to {out}.")
    languages, regions = group_rows(answers, "language"), group_rows(answers, "region")
    tables = {"figures": concurrence_rows(answers), "languages": languages, "regions": regions}
    for row in (row for rows in tables.values() for row in rows):
        row["run"] = titles[row["run"]]
    if as_json:
        print_json(tables)
        return
    for row in tables["figures"]:
        print(f"{CONCURRENCE[row['figure']].title}\t{_share(row)}\t{row['run']}")
    for row in (*languages, *regions):
        counts = ", ".join(f"{row[kind]:,} {words}" for kind, words in KINDS.items() if row[kind])
        print(f"{row.get('language') or row.get('region') or 'no region'}\t{_share(row)}\t{counts}\t{row['run']}")


def _share(row: Mapping[str, Any]) -> str:
    interval = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
    value = "unscored" if row["value"] is None else f"{row['value']:.3f}{interval}"
    return f"{value}\tn {row['n']:,}\tunscored {row['unscored']:,}"


def _interval(figure: AssociationFigure) -> str:
    if figure.value is None:
        return "unscored"
    interval = "" if figure.low is None else f" (95 %: {figure.low:.2f} to {figure.high:.2f})"
    return f"{figure.value:.2f}{interval}"


def compare(
    experiment_ids: Annotated[
        list[str], typer.Argument(metavar="ID...", help="Experiments by their ids, from: runs list")
    ],
    metric: Annotated[str, typer.Option(help="The metric to compare by.")],
    what: Annotated[
        str, typer.Option(help="run, mode, scope, prompt, model, k, perturbation, or a field that was varied.")
    ] = "run",
    first: Annotated[str, typer.Option(help=f"What to compare with: a mode, scope …; a run by {TITLE_WORDS}.")] = "",
    second: Annotated[str, typer.Option(help="Compare only this one, in each language. Default: all others.")] = "",
    as_json: Json = False,
) -> None:
    """Show differences from one run (by default the best), or from one mode, scope …, question by question.

    95 % intervals and p are corrected for all pairs, or with --second over the languages. For modes, scopes … runs that
    differ in nothing else are paired.
    """
    from workbench.experiments import (
        ResultStore,
        candidates,
        comparable,
        comparisons,
        corrected_words,
        language_deltas,
        run_deltas,
    )
    from workbench.metrics import scale_of

    store = ResultStore.at(open_workbench().settings.database_url)
    for experiment_id in experiment_ids:
        store.experiment(experiment_id)
    view = store.of(*experiment_ids)
    if metric not in (known := view.metrics()):
        raise unknown_name("metric", metric, known)
    if what not in (known_choices := comparisons(view.runs())):
        raise unknown_name("comparison", what, known_choices)
    names = candidates(view, metric, what)
    titles = {name: name for name in names}
    if what == "run":
        titles = {str(run.id): run.title for run in view.runs()}
    candidate_titles = {name: titles[name] for name in names}
    rival = _named(second, candidate_titles) if second else ""
    # The best is compared with the next.
    base = _named(first, candidate_titles) if first else next((name for name in names if name != rival), rival)
    others = comparable(view, what, base, names)
    if not others:
        raise UsageError(
            f"Nothing can be compared with “{titles[base]}”. Type the ids of experiments with another {what}."
        )
    if second:
        label = titles[rival]
        if rival not in others:
            raise UsageError(
                f"“{label}” cannot be compared with “{titles[base]}”: they share no dataset, or are the same."
            )
        rows = [(item.language or "all", item.delta) for item in language_deltas(view, metric, others[rival])]
    else:
        label = f"each other {what}"
        rows = list(
            zip(
                (titles[name] for name in others),
                run_deltas(view, metric, list(others.values()), len(others) + 1 if what == "run" else len(names)),
                strict=True,
            )
        )
    if as_json:
        differences = [{"language" if second else what: name, **asdict(item)} for name, item in rows]
        print_json(
            {"metric": metric, "first": titles[base], "second": label if second else None, "differences": differences}
        )
        return
    print(f"{metric}: {label} minus {titles[base]}")
    if words := corrected_words(item for _, item in rows) if not second else "":
        print(words)
    for name, item in rows:
        print(_line(name, item, scale_of(metric)))


def _named(words: str, titles: Mapping[str, str]) -> str:
    """The one whose title has all these words. Raises UsageError."""
    required = set(words.casefold().split())
    # Complete words, since a mode's name may be part of another's (rag).
    matches = [name for name, title in titles.items() if required <= set(title.casefold().split())]
    if len(matches) == 1:
        return matches[0]
    options = [titles[name] for name in matches or titles]
    more = len(options) - TITLES_SHOWN
    listed = "; ".join(options[:TITLES_SHOWN]) + (f"; and {more:,} more" if more > 0 else "")
    many = "Several have" if matches else "None has"
    raise UsageError(f"{many} “{shorten(words)}” in the title. Type words that only one of these has: {listed}.")


def _line(name: str, item: Delta, scale: Scale) -> str:
    if item.mean is None:
        return f"nothing to compare\t{item.left_out:,} left out\t{name}"
    interval = "" if item.low is None else f"95 %: {item.low:+.4f} to {item.high:+.4f}"
    is_significant = item.p is not None and item.p < SIGNIFICANT
    detectable = "" if item.detectable is None else f" (this number of questions would show {item.detectable:.4f})"
    direction = "better" if (item.mean > 0) == scale.higher_is_better else "worse"
    verdict = direction if is_significant else f"not significant{detectable}"
    p = "" if item.p is None else f"p {item.p:.4f}"
    left_out = f", {item.left_out:,} left out" if item.left_out else ""
    n = f"n {item.n:,} of {item.questions:,} questions{left_out}"
    return f"{item.mean:+.4f}\t{interval}\t{p}\t{verdict}\t{n}\t{name}"
