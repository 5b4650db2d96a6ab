"""Seconds to add a document to a corpus, replace and remove it; how far results are from those of a corpus built anew.

python -m benchmarks.incremental [--passages 100000] [--quick] [--changes 5] [--rebuild] [--home FOLDER] [--out FILE]

The passages are of invented words (`benchmarks.indexing`). --rebuild builds the changed corpus anew with the same
fitted encoder and compares rankings. Last: hit@5 of the sample's English questions over its English articles, before
and after its Chinese articles are added, by the default recipe.

--quick builds the corpus of texts that repeat after 10,000, by random vectors, in a twentieth of the time. A change
costs the same: it is made by the real encoder, and reads nothing of the other texts and vectors.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.indexing.__main__ import random_passages
from workbench.app.workbench import Workbench
from workbench.core.protocols import FloatArray, Retriever
from workbench.core.records import Passage, Query, Ranking
from workbench.data.corpora import sample
from workbench.data.corpora.build import DENSE, LEXICAL, build_corpus, read_manifest
from workbench.data.corpora.changes import add_documents, remove_documents, replace_documents
from workbench.data.corpora.corpus import Corpus
from workbench.languages.segment import index_tokens
from workbench.pipeline.recipe import Recipe
from workbench.retrieval import lexical
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoders.builtin_encoder import DIMENSIONS, BuiltinEncoder
from workbench.retrieval.hybrid import HybridRetriever
from workbench.retrieval.index_files import BATCH
from workbench.retrieval.lexical import LexicalIndex
from workbench.workspace.settings import load

K = 10
QUESTIONS = 50
QUICK_TEXTS, QUICK_FIT = 10_000, 600


def opened(folder: Path) -> Corpus:
    """The corpus in `folder`, opened afresh."""
    manifest = read_manifest(folder)
    assert manifest is not None
    return Corpus(manifest, folder / manifest.version)


def repeated(passages: Iterable[Passage], count: int) -> Iterator[Passage]:
    """`count` passages with the texts of a few, each a document."""
    texts = list(passages)
    for number in range(count):
        yield replace(texts[number % len(texts)], id=f"d{number}.0", document=f"d{number}")


def quick_build(folder: Path, count: int) -> None:
    """A corpus of `count` passages by random vectors; its encoder is fitted on some hundreds."""
    vectors = np.random.default_rng(0).standard_normal((4 * BATCH, DIMENSIONS), dtype=np.float32)
    fit = BuiltinEncoder.fit

    def fitted(texts: Iterable[str], groups: Iterable[Any] = ()) -> BuiltinEncoder:
        return fit(list(islice(texts, QUICK_FIT)), groups)

    def encoded(encoder: BuiltinEncoder, passages: Sequence[Passage]) -> FloatArray:
        some = vectors[: len(passages), : encoder.dimensions]
        unit: FloatArray = (some / np.linalg.norm(some, axis=1, keepdims=True)).astype(np.float32)
        return unit

    tokens = lru_cache(QUICK_TEXTS)(index_tokens)
    with (
        patch.object(BuiltinEncoder, "fit", fitted),
        patch.object(BuiltinEncoder, "encode_passages", encoded),
        patch.object(lexical, "index_tokens", tokens),
    ):
        passages = repeated(random_passages(QUICK_TEXTS, 0), count)
        build_corpus(folder, passages, source="invented", licence="CC0")


def document(number: int) -> list[Passage]:
    """A document of three passages that the corpus does not have."""
    texts = [passage.text for passage in random_passages(3, 1_000 + number)]
    return [Passage(f"new{number}.{n}", f"new{number}", "New", "en", text, n) for n, text in enumerate(texts)]


def seconds(work: Callable[[], object]) -> float:
    """How long the work takes."""
    began = time.perf_counter()
    work()
    return round(time.perf_counter() - began, 3)


def timed_changes(folder: Path, changes: int) -> dict[str, list[float]]:
    """Seconds of each change: documents added one by one, replaced by others, and every second one removed."""
    fresh = [document(number) for number in range(changes)]
    other = [[replace(passage, text=passage.text[::-1]) for passage in each] for each in fresh]
    names = [*(f"new{number}" for number in range(0, changes, 2)), "d7", "d8"]
    return {
        "add": [seconds(partial(add_documents, folder, each)) for each in fresh],
        "add the same again": [seconds(partial(add_documents, folder, each)) for each in fresh],
        "replace": [seconds(partial(replace_documents, folder, each)) for each in other],
        "remove": [seconds(partial(remove_documents, folder, [name])) for name in names],
    }


def rankings(words: LexicalIndex, dense: DenseIndex) -> tuple[dict[str, list[Ranking]], dict[str, float]]:
    """The rankings of some questions by each retriever, and the median seconds of one."""
    queries = [
        Query(" ".join(passage.text.split()[:8]), "en", ("en", "fi")) for passage in random_passages(QUESTIONS, 77)
    ]
    by_name: dict[str, list[Ranking]] = {}
    medians: dict[str, float] = {}
    retrievers: dict[str, Retriever] = {"lexical": words, "dense": dense, "hybrid": HybridRetriever(words, dense)}
    for name, retriever in retrievers.items():
        took: list[float] = []
        by_name[name] = []
        for query in queries:
            began = time.perf_counter()
            by_name[name] += retriever.retrieve([query], K)
            took.append(time.perf_counter() - began)
        medians[name] = round(statistics.median(took), 4)
    return by_name, medians


def difference(one: Sequence[Ranking], other: Sequence[Ranking]) -> dict[str, float]:
    """The share of rankings with the same passages in the same order, and the largest difference of scores by rank."""
    same = [[hit.id for hit in a] == [hit.id for hit in b] for a, b in zip(one, other, strict=True)]
    apart = [abs(x.score - y.score) for a, b in zip(one, other, strict=True) for x, y in zip(a, b, strict=False)]
    return {"same": sum(same) / len(same), "scores apart": round(max(apart, default=0.0), 6)}


def compared_with_rebuild(folder: Path, work: Path) -> dict[str, Any]:
    """How the changed corpus ranks, against one of its passages built anew with the same encoder."""
    corpus = opened(folder)
    LexicalIndex.build(work / LEXICAL, iter(corpus.table))
    DenseIndex.build(work / DENSE, corpus.encoder, iter(corpus.table))
    anew, _ = rankings(LexicalIndex.open(work / LEXICAL), DenseIndex.open(work / DENSE, corpus.encoder))
    changed, _ = rankings(corpus.lexical, corpus.dense)
    return {name: difference(changed[name], anew[name]) for name in anew}


def hits_at_5(bench: Workbench, name: str, languages: tuple[str, ...], recipe: Recipe) -> dict[str, bool]:
    """By English question of the sample with English evidence, whether one of its passages is among the first five."""
    corpus = bench.corpus(name)
    english = {passage.id for passage in corpus.table if passage.language == "en"}
    questions = [item for item in sample.questions("en") if set(item.gold) & english]
    queries = [Query(item.text, "en", languages) for item in questions]
    ranked = bench.registry.retriever(recipe, corpus).retrieve(queries, 5)
    return {
        item.id: any(hit.id in item.gold for hit in ranking) for item, ranking in zip(questions, ranked, strict=True)
    }


def chinese_beside_english(home: Path) -> dict[str, dict[str, float]]:
    """By encoder: hit@5 of English questions before Chinese articles are added and after, and how many were lost."""
    figures: dict[str, dict[str, float]] = {}
    bench = Workbench(load(home))
    for encoder in dict.fromkeys((Recipe().encoder, "builtin")):
        recipe, name = Recipe().with_(encoder=encoder), f"english-{encoder}"
        english = [passage for passage in sample.passages() if passage.language == "en"]
        chinese = [passage for passage in sample.passages() if passage.language == "zh"]
        bench.library.add(name, english, source="the sample", licence="CC BY 4.0")
        _index(bench, name, recipe)
        before = hits_at_5(bench, name, ("en",), recipe)
        bench.library.add_documents(name, chinese)
        _index(bench, name, recipe)
        for scope in (("en",), ("en", "zh")):
            after = hits_at_5(bench, name, scope, recipe)
            figures[f"{encoder}, {'+'.join(scope)}"] = {
                "questions": len(before),
                "before": round(statistics.mean(before.values()), 4),
                "after": round(statistics.mean(after.values()), 4),
                "lost": sum(before[key] and not after[key] for key in before),
            }
    return figures


def _index(bench: Workbench, name: str, recipe: Recipe) -> None:
    if recipe.encoder != "builtin":
        bench.registry.index(bench.corpus(name), recipe.encoder, "dense", lambda *_: None)


def main() -> None:
    """Prints the figures, and writes them where `--out` says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.incremental", description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--quick", action="store_true", help="texts that repeat, and random vectors")
    parser.add_argument("--changes", type=int, default=5, help="documents to add, replace and remove")
    parser.add_argument("--rebuild", action="store_true", help="compare with the corpus built anew")
    parser.add_argument("--home", type=Path, help="keep the corpora here; a fresh folder where left out")
    parser.add_argument("--out", type=Path, help="write the figures to this file as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh:
        home = options.home or Path(fresh)
        folder = home / f"large-{options.passages}"
        figures: dict[str, Any] = {"passages": options.passages}
        if read_manifest(folder) is None:
            passages = random_passages(options.passages, 0)
            build = partial(build_corpus, folder, passages, source="invented", licence="CC0")
            figures["build"] = seconds(partial(quick_build, folder, options.passages) if options.quick else build)
        corpus = opened(folder)
        figures["search before"] = rankings(corpus.lexical, corpus.dense)[1]
        figures["changes"] = timed_changes(folder, options.changes)
        corpus = opened(folder)
        figures["open and search after"] = seconds(lambda: rankings(corpus.lexical, corpus.dense))
        figures["search after"] = rankings(corpus.lexical, corpus.dense)[1]
        figures["peak memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        if options.rebuild:
            figures["against a rebuild"] = compared_with_rebuild(folder, Path(fresh) / "anew")
        figures["hit@5 of English questions"] = chinese_beside_english(Path(fresh) / "workspace")
    text = json.dumps(figures, indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
