"""The files that ship with the sample, made from its articles and questions: a translation memory and vectors.

`memory.tmx` holds its aligned texts; `vectors.npz` its texts by e5-small, so that the first start computes none. Run it
after editing them (make sample): two minutes on one core; a test fails when one is out of date.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core import Passage, Query
from workbench.data.corpora.sample.content import SAMPLE_VECTORS, aligned_sentences, languages, passages, questions
from workbench.models import Unit, write_tmx
from workbench.retrieval import E5SmallEncoder, ShippedVectors, sentence_passages


def units() -> list[Unit]:
    """The memory's units: one for each group of aligned texts, in order."""
    return [Unit(id=f"s{number:04d}", texts=tuple(group)) for number, group in enumerate(aligned_sentences(), start=1)]


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


if __name__ == "__main__":
    write_tmx(SAMPLE_VECTORS.with_name("memory.tmx"), units())
    ShippedVectors.save(SAMPLE_VECTORS, E5SmallEncoder(), list(encoded_texts()), list(encoded_questions()))
