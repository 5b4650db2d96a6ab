"""The answers scored, as tables and as charts: failures of D-RAG's form, accuracy, instruction following, language.

Every figure states its n, and has a 95 % interval over questions: an answer over another set of documents is no further
draw. Differences are paired by prompt. Accuracy is the product's `flexible_em`; an output of D-RAG without a labelled
answer is wrong. Instruction following is what can be checked without a judge: of D-RAG all four parts in their order,
of plain RAG an answer that ended by itself and has none of D-RAG's labels. Correct language is the product's `clr` over
the complete output, by its identifier.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from benchmarks.tuning.runs import ANSWERS, HOLDOUT, TRAINING
from workbench.languages import language
from workbench.metrics.answers.answer_language import clr
from workbench.metrics.answers.flexible_em import flexible_em
from workbench.metrics.statistics.intervals import mean_interval, permutation_p
from workbench.pipeline.prompts.dialectic import PARTS, format_failure, parse

ENGLISH = language("en")
SYSTEMS = {
    "untuned, plain RAG": ("untuned", "rag"),
    "SFT, plain RAG": ("rag", "rag"),
    "untuned, D-RAG": ("untuned", "drag"),
    "D-RAG-tuned, D-RAG": ("drag-cpu", "drag"),
}
"""What is compared: by name, the run and the prompt. `drag-cpu` is tuned on a CPU."""
METRICS = ("accuracy", "instruction following", "correct language")
SHARES = {25: "-25", 50: "-50", 75: "-75", 100: ""}
COLOURS = ("#2f7f9f", "#c9803a", "#5b8c5a", "#8a6fb0")

Scores = Mapping[str, Mapping[str, float]]
"""By metric and prompt; a prompt without a score has none."""


def scores(folder: Path, run: str, prompt: str, questions: Mapping[str, Any]) -> Scores:
    """The scores of a run's answers to one kind of prompt, and the failures of form among them."""
    answers = json.loads((folder / run / ANSWERS).read_text(encoding="utf-8"))[prompt]
    table: dict[str, dict[str, float]] = {name: {} for name in (*METRICS, "failure")}
    for item in answers:
        name, text, sections = item["id"], item["text"], parse(item["text"])
        dialectic = prompt == "drag"
        failure = dialectic and bool(format_failure(sections))
        stated = flexible_em(sections.answer if dialectic else text, questions[name]["answers"], language=ENGLISH).value
        follows = sections.present == PARTS if dialectic else item["finish"] == "stop" and not sections.present
        spoken = clr(text, language=ENGLISH).value
        table["failure"][name] = float(failure)
        table["accuracy"][name] = float(stated == 1 and not failure)
        table["instruction following"][name] = float(follows)
        if spoken is not None:
            table["correct language"][name] = spoken
    return table


def by_question(values: Mapping[str, float]) -> list[float]:
    """The mean of each question over its sets of documents."""
    groups: dict[str, list[float]] = {}
    for name, value in values.items():
        groups.setdefault(name.rpartition("-")[0], []).append(value)
    return [sum(group) / len(group) for group in groups.values()]


def figure_of(values: Mapping[str, float]) -> tuple[float, float, float, str]:
    """The mean with its interval's ends, and all in words."""
    means = by_question(values)
    mean = sum(values.values()) / len(values)
    interval = mean_interval(means)
    low, high = (interval.low, interval.high) if interval else (mean, mean)
    return mean, low, high, f"{mean:.2f} ({low:.2f}–{high:.2f}), n {len(values)} of {len(means)} questions"


def report(folder: Path) -> None:
    """Prints the tables, and writes the charts as HTML beside the answers."""
    questions = {item["id"]: item for item in json.loads((folder / HOLDOUT).read_text(encoding="utf-8"))}
    systems = {name: scores(folder, *system, questions) for name, system in SYSTEMS.items()}
    print("| | accuracy | instruction following | correct language | failures of D-RAG's form |")
    print("| --- | --- | --- | --- | --- |")
    for name, table in systems.items():
        failures = figure_of(table["failure"])[3] if SYSTEMS[name][1] == "drag" else ""
        print(f"| {name} | {' | '.join(figure_of(table[metric])[3] for metric in METRICS)} | {failures} |")
    before, after = systems["untuned, D-RAG"]["failure"], systems["D-RAG-tuned, D-RAG"]["failure"]
    falls = {name: after[name] - before[name] for name in before}
    print(f"\nFailures, tuned less untuned: {_difference(falls)}")
    print("\n| tuned on | machine | foreseen | took | memory | held-out loss |\n| --- | --- | --- | --- | --- | --- |")
    for path in sorted(folder.glob(f"*/{TRAINING}")):
        facts = json.loads(path.read_text(encoding="utf-8"))
        losses = [point["loss"] for point in facts["holdout"]]
        print(
            f"| {path.parent.name}, {facts['data']['count']} | {facts['machine']} | "
            f"{facts['foreseen']['seconds']:.0f} s, {facts['foreseen']['memory'] / 1e9:.1f} GB | "
            f"{facts['seconds']:.0f} s | {facts['memory'] / 1e9:.1f} GB | {losses[0]:.3f} → {losses[-1]:.3f} |"
        )
    for name, figure in (("compared", _compared(systems)), ("shares", _shares(folder, questions))):
        figure.write_html(folder / f"{name}.html", include_plotlyjs="cdn")


def _difference(differences: Mapping[str, float]) -> str:
    means = by_question(differences)
    interval = mean_interval(means, low=-1)
    bounds = f" ({interval.low:+.2f} to {interval.high:+.2f})" if interval else ""
    p = permutation_p(means)
    return f"{sum(means) / len(means):+.2f}{bounds}, p {p:.2g}, n {len(differences)} of {len(means)} questions"


def _compared(systems: Mapping[str, Scores]) -> go.Figure:
    figure = go.Figure()
    for colour, (name, table) in zip(COLOURS, systems.items(), strict=True):
        _bars(figure, name, METRICS, [table[metric] for metric in METRICS], colour)
    n = len(next(iter(systems.values()))["accuracy"])
    return _finished(figure, f"smollm2, tuned and not: {n} held-out prompts, 95 % intervals over questions")


def _shares(folder: Path, questions: Mapping[str, Any]) -> go.Figure:
    figure = go.Figure()
    print("\n| share | D-RAG-tuned, D-RAG | SFT, plain RAG |\n| --- | --- | --- |")
    columns: dict[str, list[Mapping[str, float]]] = {"drag": [], "rag": []}
    for share, ending in SHARES.items():
        for kind, column in columns.items():
            column.append(scores(folder, f"{kind}{ending}", kind, questions)["accuracy"])
        print(f"| {share} % | {' | '.join(figure_of(column[-1])[3] for column in columns.values())} |")
    labels = [f"{share} %" for share in SHARES]
    _bars(figure, "D-RAG-tuned, D-RAG", labels, columns["drag"], COLOURS[3])
    _bars(figure, "SFT, plain RAG", labels, columns["rag"], COLOURS[1])
    n = len(columns["drag"][0])
    return _finished(figure, f"Accuracy by share of the demonstrations: {n} held-out prompts, 95 % intervals")


def _bars(
    figure: go.Figure, name: str, labels: Sequence[str], columns: Sequence[Mapping[str, float]], colour: str
) -> None:
    figures = [figure_of(column) for column in columns]
    figure.add_bar(
        name=name,
        x=list(labels),
        y=[item[0] for item in figures],
        error_y={
            "array": [item[2] - item[0] for item in figures],
            "arrayminus": [item[0] - item[1] for item in figures],
        },
        marker_color=colour,
    )


def _finished(figure: go.Figure, title: str) -> go.Figure:
    figure.update_layout(
        title=title, yaxis={"range": [0, 1], "title": "share"}, barmode="group", template="simple_white"
    )
    return figure
