"""A question of a dataset, with what is known to be right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """`answers` are the gold answer and its aliases, in `language`. `gold` are ids of passages that answer it.

    `found_in` says where the answer is to be had: `en`, `ul`, `both`, `conflict`, `other` (another language only),
    or "" where the dataset does not say. `phenomenon` marks teaching examples.
    """

    id: str
    text: str
    language: str
    answers: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    found_in: str = ""
    phenomenon: str = ""
