"""A sample of a dataset by seed: the same everywhere, whatever the order of the file.

Ids are ordered by SHA-256 over the seed and the id, and the first `limit` are taken. So a sample of 50 lies within the
sample of 100, and a parallel dataset gives the same ids in every language, even when languages are added one by one.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

from workbench.errors import UsageError
from workbench.records import Question


def sample(questions: Sequence[Question], limit: int | None, seed: int, *, parallel: bool) -> tuple[Question, ...]:
    """At most `limit` questions of each language, in their order; all of them where `limit` is None.

    `parallel`: `limit` ids, each in every language that has it. Ids that all languages have come first, where there are
    enough of them. Raises UsageError for a limit below 1.
    """
    if limit is None:
        return tuple(questions)
    if limit < 1:
        raise UsageError(
            f"A sample of {limit} questions cannot be taken. Allowed: 1 and more. For example: --limit 100"
        )
    ids: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        ids[question.language].append(question.id)
    if parallel:
        everywhere = set.intersection(*map(set, ids.values())) if ids else set()
        anywhere = {name for names in ids.values() for name in names}
        chosen = first(everywhere if len(everywhere) >= limit else anywhere, limit, seed)
        return tuple(question for question in questions if question.id in chosen)
    by_language = {code: first(names, limit, seed) for code, names in ids.items()}
    return tuple(question for question in questions if question.id in by_language[question.language])


def first(ids: Iterable[str], limit: int, seed: int) -> frozenset[str]:
    """The first `limit` of `ids` in the order of `seed`."""
    return frozenset(sorted(ids, key=lambda name: hashlib.sha256(f"{seed}\n{name}".encode()).digest())[:limit])
