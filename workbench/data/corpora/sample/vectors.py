"""The sample's vectors by e5-small, which ship with it: the first start computes none.

`python -m workbench.data.corpora.sample.vectors` writes them again, in two minutes on one core; a test fails when one
is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.core import Passage, Query
from workbench.data.corpora.sample.content import languages, passages, questions
from workbench.retrieval import sentence_passages

SAMPLE_VECTORS = Path(__file__).with_name("vectors.npz")


def encoded_texts() -> Iterator[Passage]:
    """Every passage of the sample, and every sentence as a passage."""
    for passage in passages():
        yield passage
        yield from sentence_passages(passage)


def encoded_questions() -> Iterator[Query]:
    """Every question of the sample."""
    for code in languages():
        for question in questions(code):
            yield Query(question.text, code, ())


def main() -> None:
    """Computes and writes the file."""
    from workbench.retrieval import E5SmallEncoder, ShippedVectors

    ShippedVectors.save(SAMPLE_VECTORS, E5SmallEncoder(), list(encoded_texts()), list(encoded_questions()))


if __name__ == "__main__":
    main()
