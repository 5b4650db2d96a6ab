"""`retrieve`: the retriever alone over a dataset, scored, with the languages of what it retrieves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.shared import Json, Lang, check_writable, open_workbench, print_json, progress, say
from workbench.workspace import atomic


def register(app: typer.Typer) -> None:
    """Adds the verb to the program."""
    app.command()(retrieve)


def retrieve(
    corpus: Annotated[str, typer.Option(help="The corpus to search.")],
    dataset: Annotated[str, typer.Option(help="The dataset whose questions are searched with.")],
    lang: Lang,
    scope: Annotated[str, typer.Option(help="en, ul, en+ul or all.")] = "all",
    retriever: Annotated[str, typer.Option(help="lexical, dense, hybrid, sparse, rrf, cc or dbsf.")] = "hybrid",
    encoder: Annotated[
        str | None, typer.Option(help="e5-small, builtin, a known encoder or adapter:MODEL. Default: e5-small.")
    ] = None,
    k: Annotated[int, typer.Option(min=1, max=1000, help="Passages retrieved for each question.")] = 50,
    balance: Annotated[str, typer.Option(help="none, equal or normalised.")] = "none",
    reranker: Annotated[str, typer.Option(help="pass, a known reranker or adapter:MODEL.")] = "pass",
    rrf_k: Annotated[int | None, typer.Option(help="The constant of rrf, 0 to 1000. Default: 60.")] = None,
    fusion_weight: Annotated[
        float | None, typer.Option(help="The lexical share of hybrid, cc and dbsf, 0 to 1. Default: the retriever's.")
    ] = None,
    fusion_depth: Annotated[
        int | None, typer.Option(help="The fewest candidates that a fusion takes from each part.")
    ] = None,
    query_expansion: Annotated[
        str | None,
        typer.Option(help="none, decompose, hyde or multi-query: what a model writes to search with."),
    ] = None,
    expander: Annotated[
        str | None, typer.Option(help="The generator that writes it: a known generator or adapter:MODEL.")
    ] = None,
    normalisation: Annotated[
        str | None, typer.Option(help="How cc compares scores: min-max, theoretical-min-max, z-score or distribution.")
    ] = None,
    neighbours: Annotated[
        int | None, typer.Option(help="Passages before and after each candidate that join it, 0 to 5. Default: 0.")
    ] = None,
    neighbour_side: Annotated[
        str | None, typer.Option(help="Which neighbours join: both, previous or next. Default: both.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the rankings to this file as a TREC run; of pages where gold is by page."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Retrieve for every question of a dataset and score the rankings and their languages."""
    from workbench.app import evaluate_retrieval
    from workbench.metrics import trec_run
    from workbench.pipeline import make_recipe

    flags = {
        "rrf_k": rrf_k,
        "fusion_weight": fusion_weight,
        "fusion_depth": fusion_depth,
        "normalisation": normalisation,
        "neighbours": neighbours,
        "neighbour_side": neighbour_side,
        "query_expansion": query_expansion,
        "expander": expander,
    }
    options = {name: value for name, value in flags.items() if value is not None}
    recipe = make_recipe(
        {
            "corpus": corpus,
            "scope": scope,
            "retriever": retriever,
            "balance": balance,
            "reranker": reranker,
            **options,
            **({} if encoder is None else {"encoder": encoder}),
        }
    )
    if out is not None:
        check_writable(out, "run.trec")
    bench = open_workbench()
    hosts = bench.registry.check(recipe)
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
        "scope": recipe.scope,
        "retriever": recipe.retriever,
        "reranker": recipe.reranker,
        "k": k,
        **options,
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
