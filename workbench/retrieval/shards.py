"""An index of an encoded corpus, parts by language: what dense, sparse and sentence indexes have in common.

A part holds what the encoder computed for passages of a language, in files of the index's kind, and next to them which
passages they are: `<part>.rows.npy` (int64, shape (passages,)) and `<part>.ids.npy` (UTF-8 bytes, same shape). The
manifest names the encoder, the parts and the fingerprint of all files. A scope is a set of languages, hence exact.
Passages that were removed from the corpus since stay in the files, and are left out of every search.
Lexical search shares the manifest only: it is built passage by passage, without an encoder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from workbench.core import component, fingerprint
from workbench.retrieval.parts.index_layout import Identified, IndexLayout, ShardManifest
from workbench.retrieval.parts.opened_once import OPENED, folder_state
from workbench.retrieval.parts.shard_files import IndexPart, Numbers, ShardPassages

EncoderT = TypeVar("EncoderT", bound=Identified)
ShardT = TypeVar("ShardT", bound=IndexPart)


@dataclass(frozen=True, slots=True)
class StoredParts:
    """What an index holds, read without its encoder: its parts, by language, and the identity that it has opened."""

    parts: Mapping[str, Mapping[str, IndexPart]]
    identity: str

    @property
    def live(self) -> int:
        """The number of its passages that were not removed."""
        return sum(part.members.live for named in self.parts.values() for part in named.values())

    def encoded(self, batch: int) -> Iterator[tuple[str, list[int], Any]]:
        """A language, rows of the corpus in it, and what the encoder computed for each: `batch` passages at a time."""
        for language, named in self.parts.items():
            for part in named.values():
                places = part.members.live_places()
                for start in range(0, len(places), batch):
                    some = places[start : start + batch]
                    yield language, part.members.rows[some].tolist(), part.encoded(some)


class ShardedIndex(ABC, Generic[EncoderT, ShardT]):
    """An opened index: an encoder for questions, and parts by language, in alphabetical order."""

    layout: ClassVar[IndexLayout]

    def __init__(self, encoder: EncoderT, parts: Mapping[str, Mapping[str, ShardT]], content: str) -> None:
        """`parts` by language and name, in order of row; `content` is the fingerprint of what they hold."""
        self._encoder = encoder
        self._parts = parts
        self._content = content

    @classmethod
    def _open(
        cls, directory: Path, encoder: EncoderT, width_of: Callable[[ShardManifest], int], removed: Numbers
    ) -> Self:
        """Opens a built index; `width_of` returns how many numbers a row of the encoder's has.

        `removed` are the rows, ascending, of passages to leave out. Its files are read once in a process, until they
        change. Raises MissingError where there is no index, DataError where it is damaged or another encoder made it.
        """

        def opened() -> tuple[dict[str, dict[str, ShardT]], str]:
            manifest = cls.layout.manifest(directory, encoder)
            return cls._opened(directory, manifest, width_of(manifest), removed)

        files = folder_state(directory)
        state = (files, encoder.identity, removed.tobytes()) if files else ()
        return cls(encoder, *OPENED.get((cls, directory), state, opened))

    @classmethod
    def stored(cls, directory: Path, width: Callable[[ShardManifest], int], removed: Numbers) -> StoredParts:
        """What the index holds, without its encoder. Raises as `_open`."""
        manifest = cls.layout.stored_manifest(directory)
        parts, content = cls._opened(directory, manifest, width(manifest), removed)
        return StoredParts(parts, component(cls.layout.kind, encoder=manifest.encoder, index=content))

    @classmethod
    def _opened(
        cls, directory: Path, manifest: ShardManifest, width: int, removed: Numbers
    ) -> tuple[dict[str, dict[str, ShardT]], str]:
        """The parts that have passages, by language and name, and the fingerprint of what they hold."""
        parts: dict[str, dict[str, ShardT]] = {}
        with cls.layout.reading(directory):
            for language, name in manifest.parts:
                members = ShardPassages.open(directory, name, removed)
                part = cls._open_shard(directory, name, members, width)
                if members.live:
                    parts.setdefault(language, {})[name] = part
        content = fingerprint("without", [manifest.fingerprint, removed.tolist()]) if len(removed) else ""
        return dict(sorted(parts.items())), content or manifest.fingerprint

    @staticmethod
    @abstractmethod
    def _open_shard(directory: Path, part: str, members: ShardPassages, width: int) -> ShardT:
        """One part. Raises ValueError where its files match neither `members` nor `width`."""

    @property
    def identity(self) -> str:
        """Names the encoder and the indexed files."""
        return component(self.layout.kind, encoder=self._encoder.identity, index=self._content)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have passages, in alphabetical order."""
        return tuple(self._parts)

    def _within(self, scope: Sequence[str]) -> Iterator[tuple[str, ShardT]]:
        """The parts of the languages in `scope`, each once."""
        return ((code, part) for code in dict.fromkeys(scope) for part in self._parts.get(code, {}).values())

    def _part_with(self, language: str, row: int) -> ShardT:
        """The part of a language that holds the passage in `row` of the corpus."""
        parts = list(self._parts[language].values())
        # A part's rows lie above those of the part before it.
        return next((part for part in reversed(parts[1:]) if part.members.rows[0] <= row), parts[0])
