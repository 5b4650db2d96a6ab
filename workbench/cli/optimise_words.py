"""What `optimise` prints: a forecast, progress, the best recipe with its figures, and what was spent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli.shared import print_json, say
from workbench.core import WorkbenchError

if TYPE_CHECKING:
    from workbench.optimise import Forecast, SearchJobs, SearchReport, SearchRow, SearchSpace

NOT_STARTED = "not started"


def say_hosts(space: SearchSpace, home: Path) -> None:
    """Says which hosts texts are sent to, and which recipes name a component that means nothing."""
    from workbench.optimise import hosts_of_space, idle_words

    hosts, problems = hosts_of_space(space, home)
    for problem in problems:
        say(f"Recipes that need it will fail: {problem}")
    for host in hosts:
        say(f"Texts are sent to {host}.")
    if sentence := idle_words(space):
        say(sentence)


def say_forecast(cost: Forecast) -> None:
    """Says what a search will take, and what its questions can show."""
    from workbench.experiments import counted
    from workbench.optimise import size_words
    from workbench.workspace import duration_words

    at_most = "" if cost.exact else "at most "
    size = f"{at_most}{counted(cost.recipes, 'recipe')} on {counted(cost.questions, 'question')}"
    say(f"{size[0].upper()}{size[1:]}. Steps by stage, and how many of them remain:")
    for name, count in cost.steps.items():
        say(f"  {name:20} {count:>10,} {cost.remaining[name]:>10,}")
    say(f"Calls of a generator: {'' if cost.exact_calls else 'at most '}{cost.calls:,}.")
    if (later := cost.confirmation) is not None:
        time_words = "" if later.seconds is None else f", {duration_words(later.seconds)}"
        say(f"Confirming on {later.questions:,} held-out questions: at most {later.calls:,} more calls{time_words}.")
    for corpus, encoder in cost.unindexed:
        say(f"The index of {corpus} by {encoder} is built first; its recipes are not counted.")
    if cost.seconds is None:
        return
    tokens = f", {cost.tokens:,} tokens" if cost.tokens else ""
    money = f", {cost.money:,.4g} {cost.currency}" if cost.money else ""
    say(f"By the pilot it takes {at_most}about {duration_words(cost.seconds)}{tokens}{money}.")
    say(size_words(cost.groups, cost.recipes, cost.spread))
    for name in cost.unpriced:
        say(f"  {name} has no price in prices.yaml, so no cost is known.")
    if cost.unmet:
        say(f"  not counted, since the pilot did not reach them: {', '.join(cost.unmet)}")
    if cost.failed:
        say(f"  {counted(cost.failed, 'answer')} of the pilot failed.")


def state_words(row: SearchRow) -> str:
    """The state of a search, in words."""
    return row.state or NOT_STARTED


def summary(row: SearchRow, measured: int) -> dict[str, Any]:
    """A search as plain values, without its space."""
    return {
        "id": row.id,
        "name": row.name,
        "state": state_words(row),
        "strategy": row.options.strategy,
        "options": row.options.model_dump(mode="json"),
        "created": row.created,
        "recipes": measured,
        "spent": row.spent.to_json(),
        "progress": dict(row.progress),
        "error": row.error,
    }


def report_lines(report: SearchReport) -> Iterator[str]:
    """What a search came to, in sentences, and what each choice matters."""
    from workbench.optimise import confidence_words, headline, language_words, luck_words

    yield from filter(None, (headline(report), confidence_words(report), luck_words(report), language_words(report)))
    for overall in report.importances[:1]:
        for item in overall.fields:
            share = "cannot be told from others" if item.share is None else f"{item.share:.0%}"
            within = "" if item.interval is None else f" [{item.interval.low:.0%}, {item.interval.high:.0%}]"
            yield f"importance of {item.field}: {share}{within}"


def best_lines(row: SearchRow) -> Iterator[str]:
    """The best recipe so far: its choices that matter, and the mean of each metric with n and interval."""
    best = row.progress.get("best")
    if not best:
        return
    recipe = best["recipe"]
    names = ("mode", "scope", "retriever", "encoder", "reranker", "prompt", "generator", "k")
    yield f"best so far ({best['fingerprint']}): {' · '.join(f'{name} {recipe[name]}' for name in names)}"
    for metric, figures in best["metrics"].items():
        mean = "unscored" if figures["mean"] is None else f"{figures['mean']:.4f}"
        interval = "" if figures["low"] is None else f" [{figures['low']:.4f}, {figures['high']:.4f}]"
        yield f"  {metric}\t{mean}{interval}\tn {figures['n']:,}"


def spent_words(row: SearchRow) -> str:
    """What a search spent."""
    from workbench.workspace import duration_words

    spent = row.spent
    steps = ", ".join(f"{name} {count:,}" for name, count in spent.steps.items())
    money = f", {spent.money:,.4g}" if spent.money else ""
    tokens = f", {spent.tokens:,} tokens" if spent.tokens else ""
    return f"{duration_words(spent.seconds)}, {spent.calls:,} calls of a generator{tokens}{money}; steps run: {steps}"


def follow_search(jobs: SearchJobs, search_id: str, *, follow: bool, as_json: bool, more: dict[str, Any]) -> None:
    """Follows a search to its end if wanted, and reports its state. Raises WorkbenchError where it failed."""
    line = ""
    for job in jobs.watch(search_id) if follow else ():
        values = job.result
        now = f"recipe {values.get('trial', 0):,}, {values.get('phase', 'starting')}"
        if line != (line := f"{now}, {values['node']}" if values.get("node") else now):
            say(line)
    row = jobs.status(search_id)
    if follow and row.state in ("done", "stopped"):
        for text in (*([row.error] if row.error else []), *best_lines(row), f"spent: {spent_words(row)}"):
            say(text)
    if as_json:
        print_json({**more, "search": summary(row, jobs.store.measured(search_id))})
    if row.state in ("failed", "interrupted"):
        end = "was interrupted" if row.state == "interrupted" else "failed"
        raise WorkbenchError(f"The search {end}. {row.error} Resume it: mrag optimise resume {search_id}")
