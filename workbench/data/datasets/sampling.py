"""A sample of a dataset by seed: the same everywhere, whatever the order of the file.

Ids are ordered by SHA-256 over the seed and the id, and the first `limit` are taken. A sample of 50 is thus part of the
sample of 100, and a parallel dataset gives the same ids in every language, even when languages are added one by one.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

from workbench.core import Question, UsageError


def sample_questions(
    questions: Sequence[Question], limit: int | None, seed: int, *, parallel: bool
) -> tuple[Question, ...]:
    """Return at most `limit` questions of each language, in their order, or all of them if `limit` is None.

    If `parallel`, `limit` ids are taken, each in every language that has it. If enough ids are in all languages, only
    those are taken. Raises UsageError for a limit below 1.
    """
    if limit is None:
        return tuple(questions)
    if limit < 1:
        raise UsageError(f"A sample of {limit} questions cannot be taken. Allowed: 1 or more. For example: 100")
    ids: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        ids[question.language].append(question.id)
    if parallel:
        shared_ids = set.intersection(*map(set, ids.values())) if ids else set()
        all_ids = {name for names in ids.values() for name in names}
        sampled = sample_ids(shared_ids if len(shared_ids) >= limit else all_ids, limit, seed)
        return tuple(question for question in questions if question.id in sampled)
    by_language = {language: sample_ids(names, limit, seed) for language, names in ids.items()}
    return tuple(question for question in questions if question.id in by_language[question.language])


def sample_ids(ids: Iterable[str], limit: int, seed: int) -> frozenset[str]:
    """Return the first `limit` of `ids` in the order that `seed` gives them."""
    return frozenset(sorted(ids, key=lambda name: hashlib.sha256(f"{seed}\n{name}".encode()).digest())[:limit])
