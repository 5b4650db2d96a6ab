"""Groups of passages about the same thing in several languages, which the built-in encoder learns from.

A Wikipedia has millions of groups and the encoder learns from some thousand, so only those that are drawn are read:
what memory holds beside them is some 40 bytes a passage.
The draw is by the groups' order in the table, not by their names, which are as many as the articles.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from workbench.data.corpora.passage_table import NO_ROWS, PassageTable, Rows

Numbers = NDArray[np.int32]
NO_NUMBERS: Numbers = np.zeros(0, dtype=np.int32)

AlignedTexts = Sequence[tuple[str, str]]
"""Texts with the same meaning, each as (language, text)."""
SEED = 1
"""That of the draw, so that a corpus built again is the same."""


def aligned_groups(table: PassageTable, most: int) -> Iterator[AlignedTexts]:
    """Groups of two languages or more, in order of their names; `most` of them, drawn at random, where there are more.

    Of each language a group gives its first passage: an article's first ones say what it is about, and later ones of
    two languages are seldom translations of each other.
    """
    rows, groups, languages = _group_numbers(table)
    if not len(rows):
        return
    pairs = np.unique(np.stack([groups, languages]), axis=1)
    numbers, counts = np.unique(pairs[0], return_counts=True)
    aligned = numbers[counts > 1].tolist()
    if len(aligned) > most:
        aligned = random.Random(SEED).sample(aligned, most)  # noqa: S311 (a repeatable sample, nothing secret)
    places = np.flatnonzero(np.isin(groups, aligned))
    # `unique` gives the first place of each pair, and rows ascend.
    _, first = np.unique(np.stack([groups[places], languages[places]]), axis=1, return_index=True)
    members = table.passages(sorted(rows[places[first]].tolist()))
    for _, passages in groupby(sorted(members, key=lambda item: item.group), key=lambda item: item.group):
        yield [(passage.language, passage.searchable) for passage in passages]


def _group_numbers(table: PassageTable) -> tuple[Rows, Numbers, Numbers]:
    """The rows of passages with a group, ascending, and their groups and languages, each as a number from 0."""
    import pyarrow.compute as pc

    if not table.size:
        return NO_ROWS, NO_NUMBERS, NO_NUMBERS
    groups, languages = (table.column(name).dictionary_encode() for name in ("group", "language"))
    group_of, language_of = (
        np.concatenate([chunk.indices.to_numpy() for chunk in column.chunks]) for column in (groups, languages)
    )
    with_group = group_of != pc.index(groups.chunk(0).dictionary, "").as_py()
    with_group[table.removed] = False
    return np.flatnonzero(with_group), group_of[with_group], language_of[with_group]
