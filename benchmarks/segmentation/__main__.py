"""Same-language lexical MRR on XQuAD: `python -m benchmarks.segmentation --xquad DIR`.

Each language alone: its paragraphs in one index, its questions searched in its scope, k = 50. With `--traditional` the
questions in Chinese, or its passages, are written in traditional characters by OpenCC (`s2tw`), the rest as it is.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from opencc import OpenCC

from benchmarks.segmentation.xquad import languages, load
from workbench.core.errors import WorkbenchError
from workbench.core.records import Query
from workbench.languages.segment import index_tokens
from workbench.retrieval.lexical import LexicalIndex


def measure(directory: Path, language: str, traditional: str = "") -> tuple[float, float, float, int]:
    """MRR, Hit@1, mean tokens per passage, and the number of questions.

    `traditional`: the "questions" or "passages" to be written in traditional characters, "" for neither.
    """
    passages, questions = load(directory, language)
    if traditional:
        convert = OpenCC("s2tw").convert
        if traditional == "questions":
            questions = [replace(question, text=convert(question.text)) for question in questions]
        else:
            passages = [replace(passage, text=convert(passage.text)) for passage in passages]
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
    parser.add_argument("--traditional", choices=("questions", "passages"), default="", help="Chinese alone")
    arguments = parser.parse_args()
    try:
        codes = arguments.languages.split(",") if arguments.languages else languages(arguments.xquad)
        if arguments.traditional:
            codes = ["zh"]
        rows = {code: measure(arguments.xquad, code, arguments.traditional) for code in codes}
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
