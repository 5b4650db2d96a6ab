"""The default hybrid by MRR on XQuAD: `python -m benchmarks.meaning --xquad DIR [--every 4] [--home DIR]`.

DIR holds xquad.<language>.json, all with the same paragraphs in the same order. They are imported into a workspace as
corpora, each searched with the default recipe (`--option levelling=0` changes a choice of it):

- `apart`: every paragraph in every language, nothing said about which translate each other: search in the question's
  language, in English, and in all languages at once (gold: the paragraph in any of them);
- `one`: every paragraph in one language only, drawn with seed 5 (`numpy.random.default_rng(5).integers`);
- `few`: every paragraph in English, but FEW each in one of the other languages: questions about those, and the others;
- `aligned`, `half`: as `apart`, but all paragraphs, or every second one, are known as translations of each other.

Prints one table; each figure with its 95 % interval, in which a question's translations are one draw. `--home` keeps
the workspace: vectors are then computed once.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.crosslingual.__main__ import Collection, read
from workbench.app.workbench import Workbench
from workbench.components.retrievers import index_dense
from workbench.core.protocols import Retriever
from workbench.core.records import Passage, Query
from workbench.data.corpora.build import quiet
from workbench.metrics.statistics.intervals import clustered_interval
from workbench.pipeline.recipe import BUILTIN, DEFAULT_ENCODER, Recipe, make_recipe
from workbench.workspace.settings import load

DEPTH = 100
SEED = 5
FEW = 3
Row = list[tuple[int, float]]
"""The paragraph of each question, in the order of the questions, and its reciprocal rank."""


def reciprocal_ranks(retriever: Retriever, part: Collection, language: str, scope: Sequence[str], every: int) -> Row:
    """1 / rank of the question's paragraph in any language of the scope, 0 beyond DEPTH; by paragraph."""
    questions = part.questions[::every]
    rankings = retriever.retrieve([Query(text, language, tuple(scope)) for text, _ in questions], DEPTH)
    ranks: Row = []
    for ranking, (_, number) in zip(rankings, questions, strict=True):
        places = (rank for rank, hit in enumerate(ranking, start=1) if hit.id.partition("-")[2] == str(number))
        ranks.append((number, 1 / next(places, float("inf"))))
    return ranks


def language_of(number: int, names: Sequence[str]) -> str:
    """The language of a paragraph in the corpus `few`: the first FEW are in the first of `names`, and so on."""
    return names[number // FEW] if number < FEW * len(names) else "en"


def corpora(collections: Mapping[str, Collection]) -> Iterator[tuple[str, list[Passage]]]:
    """The corpora by name."""
    everything = [passage for part in collections.values() for passage in part.passages]
    yield "apart", [replace(passage, group="") for passage in everything]
    count = min(len(part.passages) for part in collections.values())
    draw = np.random.default_rng(SEED).integers(0, len(collections), count)
    parts = list(collections.values())
    yield "one", [replace(parts[language].passages[n], group="") for n, language in enumerate(draw)]
    names = [code for code in collections if code != "en"]
    yield "few", [replace(collections[language_of(n, names)].passages[n], group="") for n in range(count)]
    yield "aligned", everything
    yield "half", [p if int(p.group) % 2 == 0 else replace(p, group="") for p in everything]


def line(name: str, by_language: Mapping[str, Mapping[int, float]]) -> str:
    """One row of the table: the mean over languages, its interval, and each language's mean; values are by question."""
    means = [float(np.mean(list(values.values()))) for values in by_language.values()]
    questions = [number for values in by_language.values() for number in values]
    pooled = [value for values in by_language.values() for value in values.values()]
    interval = clustered_interval(pooled, questions)
    bounds = f"{interval.low:.3f}-{interval.high:.3f}" if interval else "-"
    each = " ".join(f"{code} {mean:.3f}" for code, mean in zip(by_language, means, strict=True))
    return f"| {name} | {np.mean(means):.3f} | {bounds} | {len(pooled)} | {min(means):.3f} | {each} |"


def among(row: Row, of: Callable[[int], bool]) -> dict[int, float]:
    """The reciprocal ranks of the questions about some paragraphs, by the question's place in its language."""
    return {place: rank for place, (number, rank) in enumerate(row) if of(number)}


def measure(bench: Workbench, collections: Mapping[str, Collection], every: int, recipe: Recipe) -> None:
    """Imports, indexes and searches; prints the table."""
    languages = tuple(collections)
    others = [code for code in languages if code != "en"]
    for name, passages in corpora(collections):
        bench.library.add(name, passages, source="XQuAD", licence="CC BY-SA 4.0")
        corpus = bench.corpus(name)
        if recipe.encoder != BUILTIN:
            index_dense(corpus, recipe, bench.settings.home, quiet)
    print(f"Recipe: {recipe.model_dump(mode='json', exclude_defaults=True) or 'default'}, encoder {recipe.encoder}\n")
    print("| search | mean | 95 % | n | lowest | by language |\n| --- | --- | --- | --- | --- | --- |")

    def search(name: str, codes: Sequence[str], scope: Sequence[str] | None) -> dict[str, Row]:
        retriever = bench.registry.retriever(recipe.with_(corpus=name), bench.corpus(name))
        return {code: reciprocal_ranks(retriever, collections[code], code, scope or (code,), every) for code in codes}

    def row(name: str, rows: Mapping[str, Row], of: Callable[[int], bool] = lambda _: True) -> None:
        print(line(name, {code: among(each, of) for code, each in rows.items()}), flush=True)

    row("same language", search("apart", languages, None))
    row("to English, not aligned", search("apart", others, ("en",)))
    row("all languages", search("apart", languages, languages))
    row("gold in one random language", search("one", languages, languages))
    few = search("few", languages, languages)
    row(f"gold among {FEW} passages of its language", few, lambda n: n < FEW * len(others))
    row("the same corpus, gold in English", few, lambda n: n >= FEW * len(others))
    row("to English, aligned", search("aligned", others, ("en",)))
    half = search("half", others, ("en",))
    row("to English, half aligned: known half", half, lambda n: n % 2 == 0)
    row("to English, half aligned: other half", half, lambda n: n % 2 == 1)


def main() -> None:
    """Reads the command line and measures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.meaning", description=__doc__)
    parser.add_argument("--xquad", type=Path, required=True, metavar="DIR", help="folder of xquad.<language>.json")
    parser.add_argument("--langs", nargs="+", default=["en", "es", "de", "ru", "ar", "zh", "th", "tr"], metavar="L")
    parser.add_argument("--encoder", default=DEFAULT_ENCODER, help="the recipe's encoder")
    parser.add_argument("--retriever", default="hybrid", help="the recipe's retriever")
    parser.add_argument("--option", nargs="*", default=[], metavar="NAME=VALUE", help="further choices of the recipe")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="use each N-th question only")
    parser.add_argument("--home", type=Path, metavar="DIR", help="a workspace to keep")
    arguments = parser.parse_args()
    absent = [code for code in arguments.langs if not (arguments.xquad / f"xquad.{code}.json").is_file()]
    if absent:
        parser.error(f"{arguments.xquad} has no xquad.{absent[0]}.json; give the folder with one file per language")
    collections = {code: read(arguments.xquad / f"xquad.{code}.json", code) for code in arguments.langs}
    options = dict(option.split("=", 1) for option in arguments.option)
    recipe = make_recipe({"encoder": arguments.encoder, "retriever": arguments.retriever, **options})
    with tempfile.TemporaryDirectory() as folder:
        measure(Workbench(load(arguments.home or Path(folder))), collections, max(1, arguments.every), recipe)


if __name__ == "__main__":
    main()
