"""The sample corpus: our own articles and questions in thirteen languages, in plain files (see LICENSE.md here)."""

from workbench.data.corpora.sample.content import (
    SAMPLE,
    SAMPLE_IS_FIXED,
    SAMPLE_STAYS,
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
    "SAMPLE_IS_FIXED",
    "SAMPLE_STAYS",
    "Article",
    "Sentence",
    "aligned_sentences",
    "articles",
    "fingerprint",
    "languages",
    "passages",
    "questions",
]
