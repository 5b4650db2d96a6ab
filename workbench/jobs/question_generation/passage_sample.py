"""The passages that questions are written from: so many of each language, by seed, the same for the same corpus.

Passages with too little text to ask anything of, and those with broken words, are passed over. A passage of a document
that already gave one waits until every other document has.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workbench.core import DataError, Passage, UsageError, unknown_name
from workbench.data import Corpus
from workbench.jobs.question_generation.draft_store import WritingRequest
from workbench.languages import has_broken_words, language
from workbench.workspace import batched

MOST_PER_LANGUAGE = 1_000
FEWEST_CHARACTERS, FEWEST_UNSPACED = 80, 30
"""Characters of the shortest passage that is asked of; fewer in scripts without spaces, whose characters say more."""
READ_AT_ONCE = 200


def sample_passages(corpus: Corpus, request: WritingRequest) -> list[Passage]:
    """At most `per_language` passages of each language, in the order of languages.

    Raises UsageError for a number that is not allowed or a language that the corpus does not have, DataError where no
    passage can be asked of.
    """
    if not 1 <= request.per_language <= MOST_PER_LANGUAGE:
        raise UsageError(
            f"{request.per_language:,} questions per language cannot be written: type a number from 1 to "
            f"{MOST_PER_LANGUAGE:,}."
        )
    for code in request.languages:
        if code not in corpus.languages:
            raise unknown_name(f"language of corpus “{corpus.manifest.name}”", code, corpus.languages)
    passages = [
        passage
        for code in request.languages or sorted(corpus.languages)
        for passage in _of_language(corpus, code, request)
    ]
    if not passages:
        raise DataError(
            f"No passage of the corpus “{corpus.manifest.name}” has enough readable text for a question: "
            f"{FEWEST_CHARACTERS} characters, or {FEWEST_UNSPACED} in scripts without spaces."
        )
    return passages


def _of_language(corpus: Corpus, code: str, request: WritingRequest) -> list[Passage]:
    passages: list[Passage] = []
    repeated: list[Passage] = []
    documents: set[str] = set()
    for passage in _shuffled(corpus, code, request.seed):
        if passage.document in documents:
            if len(repeated) < request.per_language:
                repeated.append(passage)
            continue
        documents.add(passage.document)
        passages.append(passage)
        if len(passages) == request.per_language:
            return passages
    return (passages + repeated)[: request.per_language]


def _shuffled(corpus: Corpus, code: str, seed: int) -> Iterator[Passage]:
    rows, _ = corpus.table.rows_where(language=code, limit=corpus.table.size)
    order = np.random.default_rng([seed, *code.encode()]).permutation(rows)
    for some in batched(order.tolist(), READ_AT_ONCE):
        yield from filter(_suits_a_question, corpus.table.passages(list(some)))


def _suits_a_question(passage: Passage) -> bool:
    fewest = FEWEST_UNSPACED if language(passage.language).spaceless else FEWEST_CHARACTERS
    return len(passage.text.strip()) >= fewest and not has_broken_words(passage.text)
