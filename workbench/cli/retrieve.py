"""`retrieve`: the retriever alone over a dataset, scored, with the languages of what it retrieves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.recipe_options import RecipeCommand, recipe_choices
from workbench.cli.shared import Json, Lang, check_writable, open_workbench, print_json, progress, say
from workbench.workspace import atomic


class RetrieveCommand(RecipeCommand):
    """`retrieve` takes the fields of a search. It ranks as many candidates as it retrieves."""

    nodes = ("scope", "query-expansion", "retrieval", "language-balance", "augmenter", "reranker")
    without = ("candidates", "k")


def register(app: typer.Typer) -> None:
    """Adds the verb to the program."""
    app.command(cls=RetrieveCommand)(retrieve)


def retrieve(
    ctx: typer.Context,
    corpus: Annotated[str, typer.Option(help="The corpus to search.")],
    dataset: Annotated[str, typer.Option(help="The dataset whose questions are searched with.")],
    lang: Lang,
    k: Annotated[int, typer.Option(min=1, max=1000, help="Passages retrieved for each question.")] = 50,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the rankings to this file as a TREC run; of pages where gold is by page."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Retrieve for every question of a dataset and score the rankings and their languages."""
    from workbench.app import evaluate_retrieval
    from workbench.metrics import trec_run
    from workbench.pipeline import make_recipe, without_effect

    choices = recipe_choices(ctx)
    recipe = make_recipe({"corpus": corpus, **choices})
    if out is not None:
        check_writable(out, "run.trec")
    bench = open_workbench()
    hosts = bench.registry.check(recipe)
    if idle := without_effect(recipe, choices):
        say(idle)
    stand_in = bench.registry.stand_in(recipe, bench.corpus(corpus, progress()))
    for host in hosts:
        say(f"Texts are sent to {host}.")
    result = evaluate_retrieval(
        bench, dataset, lang, recipe, k, lambda done, total: progress()("questions", done, total)
    )
    if stand_in:
        say(stand_in)
    if out is not None:
        atomic.write_text(out, trec_run(result.scored_rankings, recipe.retriever))
    summary: dict[str, Any] = {
        "corpus": corpus,
        "dataset": dataset,
        "language": lang,
        **{name: getattr(recipe, name) for name in ("scope", "retriever", "reranker", *choices)},
        "k": k,
        **result.scores.means,
        "intervals": {
            name: [interval.low, interval.high]
            for name in result.scores.means
            if (interval := result.scores.interval(name))
        },
        "n": result.scores.n,
        "unscored": result.scores.unscored,
        "seconds": round(result.seconds, 6),
        "language_shares": dict(result.shares),
        "language_shares_n": result.ranked,
        "language_bias": dict(result.bias.bias),
        "bias_distance": result.bias.distance,
        "language_bias_n": result.bias.n,
        "language_bias_unscored": result.bias.unscored,
    }
    if as_json:
        print_json(summary)
        return
    intervals = summary.pop("intervals")
    width = max(map(len, summary))
    for name, value in summary.items():
        interval_text = "" if name not in intervals else "  [{:.4f}, {:.4f}]".format(*intervals[name])
        print(f"{name:>{width}}  {_text(name, value)}{interval_text}")


def _text(name: str, value: object) -> str:
    """A value on one line; biases with their signs."""
    if value is None or value == {}:
        return "unscored"
    if isinstance(value, Mapping):
        form = "+.4f" if name == "language_bias" else ".4f"
        return ", ".join(f"{code} {share:{form}}" for code, share in value.items())
    return f"{value:.4f}" if isinstance(value, float) else str(value)
