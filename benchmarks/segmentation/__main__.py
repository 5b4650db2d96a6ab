"""Same-language lexical MRR on XQuAD: `python -m benchmarks.segmentation --xquad DIR`.

Each language alone: its paragraphs in one index, its questions searched in its scope, k = 50.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.segmentation.xquad import languages, load
from workbench.core.errors import WorkbenchError
from workbench.core.records import Query
from workbench.languages.segment import index_tokens
from workbench.retrieval.lexical import LexicalIndex


def measure(directory: Path, language: str) -> tuple[float, float, float, int]:
    """MRR, Hit@1, mean tokens per passage, and the number of questions."""
    passages, questions = load(directory, language)
    with tempfile.TemporaryDirectory() as folder:
        LexicalIndex.build(Path(folder), passages)
        rankings = LexicalIndex.open(Path(folder)).retrieve(
            [Query(question.text, language, (language,)) for question in questions], 50
        )
    ranks = [
        next((rank for rank, hit in enumerate(ranking, 1) if hit.id == question.gold), 0)
        for ranking, question in zip(rankings, questions, strict=True)
    ]
    tokens = sum(len(index_tokens(passage.searchable)) for passage in passages) / len(passages)
    reciprocal = sum(1 / rank for rank in ranks if rank)
    return reciprocal / len(ranks), sum(rank == 1 for rank in ranks) / len(ranks), tokens, len(ranks)


def main() -> int:
    """Reads the command line and prints one row per language."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.segmentation", description=__doc__)
    parser.add_argument("--xquad", type=Path, required=True, metavar="DIR", help="folder with xquad.<language>.json")
    parser.add_argument("--languages", help="comma-separated codes; default: all in DIR")
    arguments = parser.parse_args()
    try:
        codes = arguments.languages.split(",") if arguments.languages else languages(arguments.xquad)
        rows = {code: measure(arguments.xquad, code) for code in codes}
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print("| language | MRR | Hit@1 | tokens per passage | n |\n| --- | --- | --- | --- | --- |")
    for code, (mrr, first, tokens, n) in rows.items():
        print(f"| {code} | {mrr:.4f} | {first:.4f} | {tokens:.0f} | {n} |")
    print(f"| mean | {sum(row[0] for row in rows.values()) / len(rows):.4f} | | | |")
    print(f"lowest: {min(rows, key=lambda code: rows[code][0])}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
