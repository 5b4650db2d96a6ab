"""The report of results as a page of A4 width: findings in sentences, three charts, three metrics, what differs.

As HTML it fetches nothing and runs nothing, and all of its text is escaped. As PDF it is printed by a Chromium or
Chrome of this machine; where there is none, a sentence says how to print the HTML.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from workbench.core import UsageError, unknown_name
from workbench.experiments.results.queries.aggregates import MeanWithInterval
from workbench.experiments.results.queries.run_list import StoredRun, varied_fields
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.experiments.results.run_pairs import run_deltas
from workbench.experiments.results.summaries.findings import (
    SIGNIFICANT,
    Standing,
    documents_finding,
    elsewhere_finding,
    reach_finding,
    run_finding,
    standings,
)
from workbench.experiments.results.summaries.run_names import NAMING, choice_name, choice_title, run_names, searched
from workbench.languages import is_known, language
from workbench.metrics import Scale, metric_help, metric_name, scale_of, well_formed_name
from workbench.pipeline import stored_words

REPORT_METRICS = 3
"""Metrics of a report."""
RUNS_SHOWN = 20
USUAL = (
    ("char3_recall", "flexible_em", "f1", "em"),
    ("clr",),
    ("hit@10", "hit@5", "hit@3", "hit@1", "recall@5", "mrr"),
)
"""What a report is about where nobody chose: whether answers are right, in the right language, and passages found."""
STYLE = """
@page{size:A4;margin:16mm}
body{font:14px/1.5 system-ui,"Noto Sans","Noto Sans CJK SC","Noto Sans Arabic",sans-serif}
body{max-width:178mm;margin:2rem auto;padding:0 1rem;color:#1d2730;background:#fff}
@media print{body{margin:0;padding:0;max-width:none}h2{break-after:avoid}tr{break-inside:avoid}}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 .3rem}h2{font-size:1.15rem;margin:1.6rem 0 .4rem}
table{border-collapse:collapse;margin:.6rem 0;width:100%;table-layout:fixed}
th,td{border-bottom:1px solid #ddd;padding:.3rem .5rem .3rem 0;text-align:start;vertical-align:top}
th,td{overflow-wrap:anywhere}
td.figure{font-variant-numeric:tabular-nums}
small{color:#595959}li{margin:.3rem 0}*{print-color-adjust:exact}
.bars th:nth-child(2){width:45%}.bars th:nth-child(3){width:26%}.bars div{position:relative;height:1.2em}
.bars i{position:absolute;top:.1em;height:1em}.bars i+i{top:.5em;height:.15em}
.grid{font-size:12px}.grid th:first-child{width:30%}.grid td+td{text-align:center;padding-inline:0}
.grid th+th{writing-mode:vertical-rl;text-align:end;white-space:nowrap}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PATIENCE = 120
"""Seconds that a browser may take to print."""
BLUE, GREEN, RED, GREY = "#7fb2c6", "#79b598", "#d38873", "#b4b8bb"


class Bar(NamedTuple):
    """A named value with its 95 % interval, None where it has none, and how it is written out."""

    name: str
    mean: float | None
    low: float | None
    high: float | None
    words: str
    colour: str = BLUE


def report_metrics(names: Sequence[str], wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """The metrics of a report: those that were chosen, else one of answers, of their language and of retrieval.

    Raises UsageError for a metric that nothing was scored by, and for more than a report has room for.
    """
    for name in wanted:
        if name not in names:
            raise unknown_name("metric", name, names)
    if len(wanted) > REPORT_METRICS:
        raise UsageError(f"A report has room for {REPORT_METRICS} metrics; {len(wanted)} are named. Name fewer.")
    usual = [next((name for name in group if name in names), "") for group in USUAL]
    derived = {well_formed_name(name) for name in names}
    rest = [name for name in names if name not in derived and name not in usual]
    return tuple(wanted or [*filter(None, usual), *rest][:REPORT_METRICS])


def html_report(view: ResultView, metrics: Sequence[str] = ()) -> str:
    """The report of a view's results; raises as `report_metrics` does."""
    runs, names = view.runs(), {name.id: name.name for name in ResultStore(view.engine).experiment_names()}
    title = ", ".join(dict.fromkeys(names.get(run.experiment_id, run.experiment_id) for run in runs))
    shown = report_metrics(view.metrics(), metrics)
    body = "".join(
        [*_head(view, runs), *_results(view, runs, shown), *_recipes(runs), *_failures(view), *_notes(shown)]
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><style>{STYLE}</style></head>'
        f'<body><h1 dir="auto">{escape(title)}</h1>{body}</body></html>\n'
    )


def write_pdf(page: str, path: Path) -> None:
    """Prints a report. Raises UsageError where no browser is there to print it, or where it fails to."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    how = "Write the HTML report instead, open it in a browser and print it: it is as wide as a page of A4."
    if program is None:
        raise UsageError(f"A PDF is printed by Chromium or Chrome, and neither is on this machine. {how}")
    # As root, a browser works without its sandbox alone; the page is ours and runs nothing.
    alone = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "report.html"), Path(folder, "report.pdf")
        source.write_text(page, encoding="utf-8")
        words = ["--headless", "--disable-gpu", *alone, "--no-pdf-header-footer", f"--user-data-dir={folder}/profile"]
        try:
            subprocess.run(  # noqa: S603 - a browser found by its name, on a page of ours
                [program, *words, f"--print-to-pdf={target}", source.as_uri()],
                check=True,
                capture_output=True,
                timeout=PATIENCE,
            )
            shutil.copyfile(target, path)
        except (OSError, subprocess.SubprocessError) as error:
            raise UsageError(f"{Path(program).name} could not print the report. {how}") from error


def _head(view: ResultView, runs: Sequence[StoredRun]) -> Iterator[str]:
    cells, failed = view.count(), view.count(failed=True)
    datasets = escape(", ".join(dict.fromkeys(run.dataset for run in runs)))
    yield (
        f'<p>{cells:,} answers of {len(runs):,} runs to questions of <b dir="auto">{datasets}</b> in '
        f"{len(view.languages()):,} languages; {failed:,} failed. "
        f"<small>Written {time.strftime('%Y-%m-%d %H:%M')}.</small></p>"
    )


def _results(view: ResultView, runs: Sequence[StoredRun], metrics: Sequence[str]) -> Iterator[str]:
    """Findings, charts and the table of means, by the first metric where there is room for one."""
    if not metrics:
        yield "<p>These results have no scores.</p>"
        return
    names = run_names(runs)
    rows = standings(view, metrics[0], RUNS_SHOWN)[0]
    yield "<h2>Findings</h2>" + _list(_findings(view, metrics, rows, names))
    if len(runs) > RUNS_SHOWN:
        yield f"<p><small>The {RUNS_SHOWN} best of {len(runs):,} runs are shown.</small></p>"
    yield f"<h2>Which is best? {escape(metric_name(metrics[0]))}</h2>"
    words = {row.run: _span_words(row.mean, row.low, row.high, row.n) for row in rows}
    scale = scale_of(metrics[0])
    bars = [Bar(names[row.run], row.mean, row.low, row.high, words[row.run]) for row in rows]
    yield _bars(bars, scale.low, scale.high, scale.low)
    yield from _compared(view, metrics[0], rows, names)
    yield from _by_language(view, metrics[0], rows, names)
    yield "<h2>Means with 95 % intervals over questions</h2>"
    means = {name: {int(mean.key[0]): mean for mean in view.means_with_intervals(name)} for name in metrics}
    yield _table(
        ("Run", *map(metric_name, metrics)),
        ((_text(names[row.run]), *(_figure(means[name].get(row.run)) for name in metrics)) for row in rows),
    )


def _findings(
    view: ResultView, metrics: Sequence[str], rows: Sequence[Standing], names: Mapping[int, str]
) -> Iterator[str]:
    yield from (f"{metric_name(metrics[0])}: {sentence}" for sentence in run_finding(view, metrics[0], rows, names))
    yield elsewhere_finding(view, metrics[0])
    retrieval = next((name for name in metrics if name.startswith(("hit@", "recall@", "mrr"))), "")
    if retrieval:
        means = [mean for mean in view.means_with_intervals(retrieval) if mean.n]
        yield reach_finding([(names[int(mean.key[0])], mean.n, mean.n + mean.unscored) for mean in means])
    yield documents_finding(view.flows())


def _compared(view: ResultView, metric: str, rows: Sequence[Standing], names: Mapping[int, str]) -> Iterator[str]:
    """The differences of the others from the best of the first dataset."""
    ranked = [row for row in rows if row.rank is not None and row.dataset == rows[0].dataset]
    if len(ranked) < 2:
        return
    best, others = ranked[0], ranked[1:]
    deltas = run_deltas(view, metric, [[(best.run, row.run)] for row in others])
    bars = []
    for row, delta in zip(others, deltas, strict=True):
        surely = delta.p is not None and delta.p < SIGNIFICANT
        better = (delta.mean or 0.0) > 0 == scale_of(metric).higher_is_better
        words = "the same throughout" if delta.is_same else f"{round(delta.mean or 0.0, 2) + 0.0:+.2f}, n = {delta.n:,}"
        colour = GREY if not surely else GREEN if better else RED
        bars.append(Bar(names[row.run], delta.mean, delta.low, delta.high, words, colour))
    reach = max([abs(end) for bar in bars for end in bar[1:4] if end is not None], default=0.1)
    yield f"<h2>How far are the others from {escape(names[best.run])}?</h2>"
    yield _bars(bars, -reach, reach, 0.0)
    tests = "paired permutation tests, corrected, as the intervals are, for all pairs (Bonferroni)"
    yield f"<p><small>Coloured: p &lt; 0.05 by {tests}.</small></p>"


def _by_language(view: ResultView, metric: str, rows: Sequence[Standing], names: Mapping[int, str]) -> Iterator[str]:
    means = view.means_with_intervals(metric, ("run", "language"))
    codes = list(dict.fromkeys(str(mean.key[1]) for mean in means))
    titles = {code: language(code).name if is_known(code) else code for code in codes}
    values = {mean.key: mean.mean for mean in means}
    sizes = [mean.n for mean in means]
    n = f"{min(sizes):,} to {max(sizes):,}" if min(sizes) != max(sizes) else f"{sizes[0]:,}"
    yield f"<h2>Where does it work? {escape(metric_name(metric))} by question language</h2>"
    yield _table(
        ("Run", *titles.values()),
        (
            (_text(names[row.run]), *(_shade(values.get((row.run, code)), scale_of(metric)) for code in codes))
            for row in rows
        ),
        "grid",
    )
    yield f"<p><small>n = {n} answers in each cell.</small></p>"


def _recipes(runs: Sequence[StoredRun]) -> Iterator[str]:
    """What the runs differ in, and nothing else; and what they share, in a line."""
    names, varied = run_names(runs), varied_fields(runs)
    differing = [name for name in NAMING if len({getattr(run, name) for run in runs}) > 1]
    shared = [name for name in NAMING if name not in differing and getattr(runs[0], name)]
    line = "; ".join(f"{choice_title(name)}: {choice_name(name, str(getattr(runs[0], name)))}" for name in shared)
    yield "<h2>What differs between the runs</h2>"
    fields = [name for name in varied if name not in differing]
    if differing or fields:
        yield _table(
            ("Run", *map(choice_title, (*differing, *fields))),
            (
                (
                    _text(names[run.id]),
                    *(
                        _text(choice_name(name, searched(run) if name == "scope" else str(getattr(run, name))))
                        for name in differing
                    ),
                    *(_text(choice_name(name, stored_words(run.recipe).get(name, ""))) for name in fields),
                )
                for run in runs[:RUNS_SHOWN]
            ),
        )
    yield f'<p dir="auto"><small>All runs: {escape(line)}.</small></p>'


def _failures(view: ResultView) -> Iterator[str]:
    if failures := view.failures():
        yield "<h2>Failures</h2>"
        yield _table(("Reason", "Answers"), ((_text(reason), _text(f"{n:,}")) for reason, n in failures[:RUNS_SHOWN]))


def _notes(metrics: Sequence[str]) -> Iterator[str]:
    yield "<h2>How to read it</h2>" + _list(f"{metric_name(name)}: {metric_help(name)}" for name in metrics)
    yield "<p><small>Unscored answers are in no mean and are counted. Intervals draw complete questions.</small></p>"


def _span_words(mean: float | None, low: float | None, high: float | None, n: int) -> str:
    value = "unscored" if mean is None else f"{mean:.2f}"
    span = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    return f"{value}{span} n {n:,}"


def _figure(interval: MeanWithInterval | None) -> str:
    if interval is None:
        return '<td class="figure">–</td>'
    n = f"n {interval.n:,}" + (f", unscored {interval.unscored:,}" if interval.unscored else "")
    mean = "unscored" if interval.mean is None else f"{interval.mean:.3f}"
    span = "" if interval.low is None or interval.high is None else f" [{interval.low:.3f}, {interval.high:.3f}]"
    return f'<td class="figure">{mean}{span}<br><small>{n}</small></td>'


def _text(value: object) -> str:
    return f'<td dir="auto">{escape(str(value))}</td>'


def _bars(bars: Iterable[Bar], low: float, high: float, origin: float) -> str:
    """A row for each value: a bar from `origin` to it on a scale from `low` to `high`, and its interval as a line."""

    def piece(start: float, end: float, colour: str) -> str:
        left, right = (100 * (value - low) / ((high - low) or 1) for value in sorted((start, end)))
        return f'<i style="left:{left:.1f}%;width:{right - left:.1f}%;background:{colour}"></i>'

    rows = []
    for bar in bars:
        drawn = "" if bar.mean is None else piece(origin, bar.mean, bar.colour)
        drawn += "" if bar.low is None or bar.high is None else piece(bar.low, bar.high, "#1d2730")
        rows.append((_text(bar.name), f"<td><div>{drawn}</div></td>", _text(bar.words)))
    return _table(("Run", f"{low:.2g} to {high:.2g}", "Value, 95 % interval, n"), rows, "bars")


def _shade(value: float | None, scale: Scale) -> str:
    """A cell with a value, the darker the better."""
    if value is None:
        return "<td>–</td>"
    return f'<td style="background:rgba(47,127,159,{0.06 + 0.5 * scale.goodness(value):.2f})">{value:.2f}</td>'


def _list(sentences: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences if sentence)}</ul>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], css: str = "") -> str:
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f'<table class="{css}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'
