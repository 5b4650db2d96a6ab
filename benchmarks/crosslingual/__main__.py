"""MRR of lexical, dense (built-in) and hybrid search on XQuAD: `python -m benchmarks.crosslingual --xquad DIR`.

DIR holds xquad.<language>.json, all with the same paragraphs in the same order. Each setting (aligned paragraphs known
to the encoder or not) is searched in four scopes: the question's language, English, all languages, and all the others.
A gold passage is the question's paragraph in any language of the scope. Prints a table and the hybrid's greatest loss
against the better of its parts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.core.protocols import Retriever
from workbench.core.records import Passage, Query
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoders.builtin_encoder import BuiltinEncoder
from workbench.retrieval.hybrid import HybridRetriever
from workbench.retrieval.lexical import LexicalIndex

DEPTH = 100


@dataclass(frozen=True, slots=True)
class Collection:
    """One language's paragraphs, and its questions with the number of the paragraph each belongs to."""

    passages: tuple[Passage, ...]
    questions: tuple[tuple[str, int], ...]


def read(path: Path, language: str) -> Collection:
    """A SQuAD-format file; the n-th paragraph of every language is the group n."""
    passages: list[Passage] = []
    questions: list[tuple[str, int]] = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            number = len(passages)
            id = f"{language}-{number}"
            passages.append(Passage(id, id, "", language, paragraph["context"], group=str(number)))
            questions += [(qa["question"], number) for qa in paragraph["qas"]]
    return Collection(tuple(passages), tuple(questions))


def scopes(language: str, languages: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The scopes that are measured for a question's language."""
    by_name = {"same": (language,), "all": tuple(languages)}
    if language != "en":
        by_name |= {"en": ("en",), "others": tuple(code for code in languages if code != language)}
    return by_name


def mrr(retriever: Retriever, questions: Sequence[tuple[str, int]], language: str, scope: tuple[str, ...]) -> float:
    """Mean of 1 / rank of the first gold passage, 0 where it is not among DEPTH."""
    rankings = retriever.retrieve([Query(text, language, scope) for text, _ in questions], DEPTH)
    total = 0.0
    for ranking, (_, number) in zip(rankings, questions, strict=True):
        ranks = (rank for rank, hit in enumerate(ranking, start=1) if hit.id.partition("-")[2] == str(number))
        total += 1 / next(ranks, float("inf"))
    return total / len(questions)


def builtin(passages: Sequence[Passage], groups: Sequence[Sequence[tuple[str, str]]], folder: Path) -> DenseIndex:
    """The built-in encoder's index, fitted on `passages` and `groups`."""
    encoder = BuiltinEncoder.fit((p.searchable for p in passages), groups)
    encoder.save(folder)
    DenseIndex.build(folder / "dense", encoder, passages)
    return DenseIndex.open(folder / "dense", encoder)


def measure(collections: Mapping[str, Collection], aligned: bool, every: int, folder: Path) -> None:
    """Builds the indexes in `folder` and prints one table per scope, over each `every`-th question."""
    languages = tuple(collections)
    passages = [passage for part in collections.values() for passage in part.passages]
    count = min(len(part.passages) for part in collections.values())
    groups = [[(code, collections[code].passages[n].text) for code in languages] for n in range(count)]
    LexicalIndex.build(folder / "lexical", passages)
    lexical = LexicalIndex.open(folder / "lexical")
    dense = builtin(passages, groups if aligned else [], folder)
    retrievers: dict[str, Retriever] = {
        "lexical": lexical,
        "dense": dense,
        "hybrid": HybridRetriever(lexical, dense),
        "rrf": HybridRetriever(lexical, dense, fusion="rrf"),
        "cc": HybridRetriever(lexical, dense, fusion="cc"),
        "dbsf": HybridRetriever(lexical, dense, fusion="dbsf"),
    }
    print(f"\n## {'aligned paragraphs known' if aligned else 'no alignment'}")
    for scope in ("same", "en", "all", "others"):
        tested = [code for code in languages if scope in scopes(code, languages)]
        print(f"\n| {scope} | {' | '.join(tested)} | mean |\n|{' --- |' * (len(tested) + 2)}")
        table: dict[str, list[float]] = {}
        for name, retriever in retrievers.items():
            table[name] = [
                mrr(retriever, collections[code].questions[::every], code, scopes(code, languages)[scope])
                for code in tested
            ]
            row = " | ".join(f"{value:.3f}" for value in table[name])
            print(f"| {name} | {row} | {sum(table[name]) / len(tested):.3f} |", flush=True)
        parts = zip(table["lexical"], table["dense"], table["hybrid"], strict=True)
        print(f"\nhybrid against the better part, worst language: {min(h - max(a, b) for a, b, h in parts):+.4f}")


def main() -> None:
    """Reads the command line and measures both settings."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crosslingual", description=__doc__)
    parser.add_argument("--xquad", type=Path, required=True, metavar="DIR", help="folder of xquad.<language>.json")
    parser.add_argument("--langs", nargs="+", default=["en", "es", "de", "ru", "ar", "zh", "th", "tr"], metavar="L")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="use each N-th question only")
    arguments = parser.parse_args()
    absent = [code for code in arguments.langs if not (arguments.xquad / f"xquad.{code}.json").is_file()]
    if absent:
        parser.error(f"{arguments.xquad} has no xquad.{absent[0]}.json; give the folder with one file per language")
    collections = {code: read(arguments.xquad / f"xquad.{code}.json", code) for code in arguments.langs}
    for aligned in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            measure(collections, aligned, max(1, arguments.every), Path(folder))


if __name__ == "__main__":
    main()
