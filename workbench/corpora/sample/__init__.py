"""The sample corpus: our own articles and questions in thirteen languages, in plain files (see LICENSE.md here)."""

from workbench.corpora.sample.content import (
    SAMPLE,
    Article,
    Sentence,
    aligned_sentences,
    articles,
    fingerprint,
    languages,
    passages,
    questions,
)

__all__ = [
    "SAMPLE",
    "Article",
    "Sentence",
    "aligned_sentences",
    "articles",
    "fingerprint",
    "languages",
    "passages",
    "questions",
]
