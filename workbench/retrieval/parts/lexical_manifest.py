"""What a lexical index states about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.retrieval.parts.lexical_changes import REMOVED
from workbench.retrieval.parts.removed_passages import Removals


@dataclass(frozen=True, slots=True)
class LexicalManifest:
    """What an index holds: passages by language, how many of these are broken, and the fingerprint of all in order.

    `removals` are what its shards have besides, by their folder.
    """

    languages: Mapping[str, int]
    broken: Mapping[str, int]
    fingerprint: str
    format: int
    segmenter: int
    removals: Mapping[str, Removals]

    @classmethod
    def of(cls, facts: Any) -> LexicalManifest:
        """The manifest, parsed. Raises KeyError, ValueError, TypeError and AttributeError for anything else."""
        return cls(
            {str(language): int(count) for language, count in facts["languages"].items()},
            {str(language): int(count) for language, count in facts.get("broken", {}).items()},
            str(facts["fingerprint"]),
            int(facts["format"]),
            int(facts["segmenter"]),
            {str(place): Removals.of(each) for place, each in facts.get(REMOVED, {}).items()},
        )

    @property
    def written(self) -> Mapping[str, int]:
        """By language the passages that are not broken."""
        return {name: count - self.broken.get(name, 0) for name, count in self.languages.items()}
