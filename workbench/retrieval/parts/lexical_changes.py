"""Adding passages to one shard of a lexical index and removing some from it; the files that are there stay as they are.

tantivy writes what is added as further segments, so a folder that shares the shard's files by hard links changes alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.retrieval.lexical_shard import LexicalShard, LexicalShardWriter
from workbench.retrieval.parts.removed_passages import FILLER, FILLER_ROW, Removals

REMOVED = "removed"
"""The folder, in a lexical index's own, of the shards of removed passages."""
SHARDS = "shards"
BROKEN = "broken"


@dataclass(slots=True)
class ShardChange:
    """The passages to add to a shard and to remove from it, each as its row in the corpus, its id and its tokens."""

    added: list[tuple[int, str, Sequence[str]]] = field(default_factory=list)
    removed: list[tuple[int, str, Sequence[str]]] = field(default_factory=list)


def change_shard(directory: Path, place: str, change: ShardChange, removals: Removals) -> Removals:
    """Changes the shard `place` of the index in `directory`; `removals` are those before, and the new ones returned."""
    after = removals.with_removed([tokens for _, _, tokens in change.removed])
    folder = directory / place
    writer = LexicalShardWriter(folder, adds=True)
    for row, passage_id, tokens in change.added:
        writer.add(tokens, passage_id, row)
    if after.rows:
        after = _balanced(folder, change, after)
        for number in range(after.fillers - removals.fillers):
            count = after.filler_tokens - removals.filler_tokens if number == 0 else 0
            writer.add([FILLER] * count, "", FILLER_ROW)
    writer.close()
    if change.removed:
        beside = LexicalShardWriter(directory / REMOVED / place, adds=True)
        for row, passage_id, tokens in change.removed:
            beside.add(tokens, passage_id, row)
        beside.close()
    return after


def open_shards(
    directory: Path, folder: str, counts: Mapping[str, int], removals: Mapping[str, Removals]
) -> dict[str, LexicalShard]:
    """The shards in `folder` of an index by language, of those languages that have passages in it."""
    opened: dict[str, LexicalShard] = {}
    for language, count in counts.items():
        place = f"{folder}/{language}"
        removed = removals.get(place, Removals())
        without = directory / REMOVED / place if removed.rows else None
        if count:
            opened[language] = LexicalShard(directory / place, without, removed.fillers)
    return opened


def _balanced(folder: Path, change: ShardChange, removals: Removals) -> Removals:
    """The removals with the fillers that the shard needs after the change."""
    shard = LexicalShard(folder)
    tokens = 0
    if shard.total and (token := removals.token or shard.any_token()):
        tokens = round(shard.mean_length(token) * shard.total)
    added = sum(len(each) for _, _, each in change.added)
    return removals.balanced(shard.total + len(change.added), tokens + added)
