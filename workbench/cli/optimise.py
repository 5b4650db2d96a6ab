"""`optimise`: searches for the best recipe, from files, in separate processes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from workbench.cli.shared import (
    Follow,
    Json,
    check_writable,
    open_workbench,
    print_json,
    say,
    say_hosts,
)
from workbench.core import UsageError, WorkbenchError

if TYPE_CHECKING:
    from workbench.optimise import Cap, SearchJobs, SearchReport, SearchRow, SearchSpace


NOT_STARTED = "not started"


def _say_space_hosts(space: SearchSpace, home: Path) -> None:
    """Says which hosts texts are sent to, and which recipes name a component that means nothing."""
    from workbench.optimise import hosts_of_space, idle_words

    hosts, problems = hosts_of_space(space, home)
    for problem in problems:
        say(f"Recipes that need it will fail: {problem}")
    say_hosts(hosts)
    if sentence := idle_words(space):
        say(sentence)


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
    from workbench.optimise import NO_SHARE, comparison_words, headline, language_words, luck_words, verdict

    yield from filter(
        None, (verdict(report), headline(report), comparison_words(report), luck_words(report), language_words(report))
    )
    for overall in report.importances[:1]:
        for item in overall.fields:
            share = NO_SHARE[item.separable] if item.share is None else f"{item.share:.0%}"
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


SearchId = Annotated[str, typer.Argument(metavar="ID", help="A search's id, from: optimise list")]
MaxCalls = Annotated[int | None, typer.Option(min=1, help="Stop before more calls of a generator than this.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Stop before more tokens than this.")]
MaxSeconds = Annotated[float | None, typer.Option(min=0.001, help="Stop before more seconds of work than this.")]
MaxMoney = Annotated[float | None, typer.Option(min=0.000001, help="Stop before a higher cost, by prices.yaml.")]


class FileOrVerb(TyperGroup):
    """A group in which anything that is not a verb is the file of a new search: `optimise space.yaml`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb, or `start` where the first word is not one."""
        is_file = args and args[0] not in self.commands and not args[0].startswith("-")
        return super().resolve_command(ctx, ["start", *args] if is_file else args)


def register(app: typer.Typer) -> None:
    """Adds the verb `optimise` with those under it."""
    group = typer.Typer(
        cls=FileOrVerb,
        no_args_is_help=True,
        help="Search for the best recipe: optimise FILE; list, show, resume, stop, winner, autorag, delete.",
    )
    app.add_typer(group, name="optimise")
    group.command("start")(start)
    group.command("list")(list_searches)
    group.command("show")(show)
    group.command("resume")(resume)
    group.command("stop")(stop)
    group.command("winner")(winner)
    group.command("autorag")(autorag)
    group.command("delete")(delete)


def start(
    file: Annotated[
        Path,
        typer.Argument(help="A search space as YAML, ours or AutoRAG's, or a built-in one: sample-without-models …"),
    ],
    strategy: Annotated[str, typer.Option(help="How to search: exhaustive, greedy, models-first, random, tpe …")] = "",
    trials: Annotated[int | None, typer.Option(min=1, help="Measure at most this many recipes.")] = None,
    pilot: Annotated[int, typer.Option(min=0, help="Questions per language of the pilot; 0 for no pilot.")] = 3,
    plan_only: Annotated[bool, typer.Option("--plan", help="Show what it would take, and start nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Start without asking.")] = False,
    holdout: Annotated[
        float, typer.Option(min=0, max=0.99, help="The share of the questions that confirm the result; 0 for none.")
    ] = 0.5,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_seconds: MaxSeconds = None,
    max_money: MaxMoney = None,
    follow: Follow = True,
    as_json: Json = False,
) -> None:
    """Search a space: shows what that will take, asks, and starts a separate process."""
    from workbench.optimise import (
        DEFAULT_STRATEGY,
        SearchJobs,
        SearchOptions,
        forecast,
        forecast_lines,
        size_words,
        strategy_facts,
    )

    space = _space(file)
    name = strategy_facts(strategy or DEFAULT_STRATEGY).name
    cap = _cap(max_calls, max_tokens, max_seconds, max_money)
    options = SearchOptions(strategy=name, trials=trials, holdout=holdout, cap=cap)
    bench = open_workbench()
    _say_space_hosts(space, bench.settings.home)
    say("Counting steps, and a pilot …" if pilot else "Counting steps …")
    cost = forecast(bench, space, options, pilot)
    for line in (*forecast_lines(cost), size_words(cost.groups, cost.recipes, cost.spread)):
        say(line)
    if plan_only:
        if as_json:
            print_json({"forecast": cost.to_json()})
        return
    if not yes and not (sys.stdin.isatty() and typer.confirm("Start the search?", err=True)):
        raise UsageError("The search was not started. To start it without being asked, add: --yes")
    jobs = SearchJobs(bench.settings)
    search_id = jobs.create(bench, space, options)
    jobs.start(search_id)
    say(f"Search {search_id}. It continues when this program ends. Stop it: mrag optimise stop {search_id}")
    follow_search(jobs, search_id, follow=follow, as_json=as_json, more={"forecast": cost.to_json()})


def _space(file: Path) -> SearchSpace:
    """The space in a file, or a shipped one by its name; says what became of each module of AutoRAG's."""
    from workbench.optimise import example_spaces, read_space_file

    shipped = example_spaces().get(str(file))
    if shipped is not None and not file.exists():
        return shipped
    reading = read_space_file(file)
    for note in reading.notes:
        say(f"{file.name}, line {note.line}: {note.subject}: {note.sentence}")
    return reading.space


def list_searches(as_json: Json = False) -> None:
    """List every search, the newest first, with its state."""
    jobs = _jobs()
    rows = jobs.statuses()
    if as_json:
        print_json([summary(row, jobs.store.measured(row.id)) for row in rows])
        return
    if not rows:
        say("There are no searches yet. Start one: mrag optimise FILE")
    for row in rows:
        print(
            f"{row.id}\t{state_words(row)}\t{jobs.store.measured(row.id):,} recipes\t{row.options.strategy}\t{row.name}"
        )


def show(search_id: SearchId, as_json: Json = False) -> None:
    """Show a search's state, its decisions, its best recipe and how sure that is, and what it spent."""
    from workbench.optimise import SearchJobs, report_of

    bench = open_workbench()
    jobs = SearchJobs(bench.settings)
    row = jobs.status(search_id)
    measured = jobs.store.measured(search_id)
    if as_json:
        print_json({**summary(row, measured), "outcome": dict(row.outcome), "spec": row.spec})
        return
    print(f"{row.name}: {state_words(row)}, {row.options.strategy}, {measured:,} recipes measured")
    if row.error and row.error != row.outcome.get("stopped_early"):
        print(f"  {row.error}")
    for decision in row.outcome.get("decisions", ()):
        module = decision["variants"][decision["taken"]]["module"]
        print(f"  {decision['node']}: {module}. {decision['reason']}")
    if reason := row.outcome.get("stopped_early"):
        print(f"  {reason}")
    for line in best_lines(row):
        print(line)
    if measured:
        try:
            for line in report_lines(report_of(bench, jobs.store, row)):
                print(f"  {line}")
        except UsageError as error:
            print(f"  {error.on_screen}")
    print(f"  spent: {spent_words(row)}")


def resume(
    search_id: SearchId,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_seconds: MaxSeconds = None,
    max_money: MaxMoney = None,
    follow: Follow = True,
    as_json: Json = False,
) -> None:
    """Resume a search where it was stopped or killed; a cap that is named replaces the former one."""
    jobs = _jobs()
    cap = _cap(max_calls, max_tokens, max_seconds, max_money)
    named = {name: value for name, value in cap.model_dump().items() if value is not None}
    jobs.start(search_id, jobs.status(search_id).options.cap.model_copy(update=named) if named else None)
    follow_search(jobs, search_id, follow=follow, as_json=as_json, more={})


def stop(search_id: SearchId) -> None:
    """Stop a search; what was measured is kept."""
    if _jobs().stop(search_id):
        say(f"Stop requested. Resume it later: mrag optimise resume {search_id}")
    else:
        say("It is not running.")


def winner(
    search_id: SearchId,
    out: Annotated[Path | None, typer.Option(help="The file to write; without it, the recipe is printed.")] = None,
) -> None:
    """Write the recipe that a search recommends, or else took, as YAML, for: ask --recipe."""
    from workbench.optimise import SearchJobs, report_of, verdict
    from workbench.pipeline import recipe_to_yaml

    bench = open_workbench()
    jobs = SearchJobs(bench.settings)
    row = jobs.status(search_id)
    report = report_of(bench, jobs.store, row) if row.outcome.get("best") else None
    pick = report.recommended if report else None
    if report:
        say(verdict(report))
    recipe = pick.recipe if pick is not None else jobs.winner(search_id)
    _write(recipe_to_yaml(recipe), out, "recipe.yaml", "Ask it: mrag ask QUESTION --recipe {}")


def autorag(
    search: Annotated[str, typer.Argument(metavar="ID|FILE", help="A search's id, a search space, or a built-in one.")],
    out: Annotated[Path | None, typer.Option(help="The file to write; without it, the YAML is printed.")] = None,
) -> None:
    """Write a search space as AutoRAG's YAML; what AutoRAG cannot say is in comments."""
    from workbench.optimise import autorag_of, example_spaces

    is_file = Path(search).exists() or search in example_spaces()
    space = _space(Path(search)) if is_file else _jobs().status(search).space
    text, notes = autorag_of(space)
    for note in notes:
        say(f"left out: {note.subject}: {note.sentence}")
    _write(text, out, "autorag.yaml", "Run it: autorag evaluate --config {} …")


def _write(text: str, out: Path | None, example: str, remark: str) -> None:
    """Prints a text, or writes it to a file, with what can be done with that."""
    from workbench.workspace import atomic

    if out is None:
        print(text, end="")
        return
    check_writable(out, example)
    atomic.write_text(out, text)
    say(f"Written to {out}. {remark.format(out)}")


def delete(search_id: SearchId) -> None:
    """Delete a search with all that was measured; cached steps stay."""
    _jobs().discard(search_id)
    say(f"Search {search_id} is deleted.")


def _jobs() -> SearchJobs:
    from workbench.optimise import SearchJobs

    return SearchJobs(open_workbench().settings)


def _cap(calls: int | None, tokens: int | None, seconds: float | None, money: float | None) -> Cap:
    from workbench.optimise import Cap

    return Cap(calls=calls, tokens=tokens, seconds=seconds, money=money)
