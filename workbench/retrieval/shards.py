"""An index of an encoded corpus, one shard per language: what dense and sparse search have in common.

A shard holds what the encoder computed for a language's passages, in files of the index's kind, and next to them which
passages they are: `<language>.rows.npy` (int64, shape (passages,)) and `<language>.ids.npy` (UTF-8 bytes, same shape).
The manifest names the encoder, the languages and the fingerprint of all files. A scope is a set of shards, hence exact.
Lexical search shares the manifest only: it is built passage by passage, without an encoder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from workbench.errors import DataError, shorten
from workbench.identity import component, file_fingerprint, fingerprint
from workbench.languages import language as known_language
from workbench.records import Hit, Passage
from workbench.retrieval.index_manifest import HINT, manifest_path, read_manifest, write_manifest
from workbench.storage.batched import batched

FORMAT = 1
BATCH = 512
"""Passages encoded at once."""
DECIMALS = 5
"""Scores are rounded to this many decimals: below that, the order of float additions shows."""
ROWS, IDS = "rows.npy", "ids.npy"


class Identified(Protocol):
    """All that an index requires of its encoder here."""

    @property
    def identity(self) -> str:
        """Everything about the encoder that affects its vectors, as text."""
        ...


class ShardWriter(Protocol):
    """Collects what the encoder computed for one language's passages, batch by batch, and writes it at the end."""

    def add(self, encoded: Any) -> None:
        """Takes the rows of further passages, in order."""
        ...

    def write(self, directory: Path, language: str) -> None:
        """Writes the shard's files, `<language>.<ending>`, into `directory`."""
        ...


def save_array(directory: Path, language: str, ending: str, array: npt.NDArray[Any]) -> None:
    """Writes `<language>.<ending>`, without pickles."""
    np.save(directory / f"{language}.{ending}", array, allow_pickle=False)


def load_arrays(directory: Path, language: str, endings: Iterable[str]) -> list[npt.NDArray[Any]]:
    """The arrays `<language>.<ending>`, memory-mapped and without pickles."""
    return [np.load(directory / f"{language}.{ending}", mmap_mode="r", allow_pickle=False) for ending in endings]


@dataclass(frozen=True, slots=True)
class ShardPassages:
    """Which passages a shard holds, by their place in it: rows in the corpus, and ids."""

    rows: npt.NDArray[np.int64]
    ids: npt.NDArray[np.bytes_]

    @classmethod
    def open(cls, directory: Path, language: str) -> ShardPassages:
        """Memory-mapped. Raises ValueError where the two files do not match each other."""
        rows, ids = load_arrays(directory, language, (ROWS, IDS))
        if len(rows) != len(ids):
            raise ValueError("as many rows as ids")
        return cls(rows, ids)

    def __len__(self) -> int:
        """The number of passages."""
        return len(self.rows)

    def hit(self, place: int, language: str, score: float, kind: str) -> Hit:
        """The passage at `place`, in `language`, with its score in an index of this kind."""
        rounded = round(score, DECIMALS)
        passage_id = bytes(self.ids[place]).decode(errors="surrogatepass")
        return Hit(passage_id, int(self.rows[place]), language, rounded, {kind: rounded})


@dataclass(frozen=True, slots=True)
class ShardManifest:
    """What a complete index states about itself. `sizes`: see `IndexLayout`."""

    encoder: str
    sizes: Mapping[str, int]
    languages: tuple[str, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class IndexLayout:
    """How an index of one `kind` is laid out in its folder.

    `endings` are those of a shard's files, after `<language>.`; `sizes` names the integers that its manifest holds
    besides the facts of every index.
    """

    kind: str
    endings: tuple[str, ...]
    sizes: tuple[str, ...] = ()

    def build(
        self,
        directory: Path,
        encoder: Identified,
        passages: Iterable[Passage],
        encode: Callable[[int, list[Passage]], Any],
        writer: Callable[[], ShardWriter],
        *,
        sizes: Mapping[str, int] | None = None,
        batch: int = BATCH,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Indexes `passages` into `directory`, replacing any index in it; the n-th passage gets row n.

        `encode` gets the number of a batch and its passages, and returns one row each (an array or a sparse matrix);
        each language has a `writer` of its own. `progress` is given the number of passages done. Until the new
        manifest is written the directory holds no index that `open` would accept. Raises UsageError for a language
        that is not an ISO 639 code.
        """
        self._clear(directory)
        writers: dict[str, ShardWriter] = {}
        members: defaultdict[str, _MemberWriter] = defaultdict(_MemberWriter)
        done = 0
        for number, part in enumerate(batched(passages, batch)):
            encoded = encode(number, part)
            for language in dict.fromkeys(passage.language for passage in part):
                if language not in writers:
                    writers[known_language(language).code] = writer()
                places = [place for place, passage in enumerate(part) if passage.language == language]
                writers[language].add(encoded[places])
                for place in places:
                    members[language].add(done + place, part[place].id)
            done += len(part)
            if progress:
                progress(done)
        for language, shard in writers.items():
            shard.write(directory, language)
            members[language].write(directory, language)
        endings = (*self.endings, ROWS, IDS)
        files = sorted(directory / f"{language}.{ending}" for language in writers for ending in endings)
        facts = {
            "format": FORMAT,
            "encoder": encoder.identity,
            **(sizes or {}),
            "languages": sorted(writers),
            "fingerprint": fingerprint(self.kind, [[path.name, file_fingerprint(path)] for path in files]),
        }
        write_manifest(directory, self.kind, facts, files)

    def _clear(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        manifest_path(directory, self.kind).unlink(missing_ok=True)
        for ending in (*self.endings, ROWS, IDS):
            for old in directory.glob(f"*.{ending}"):
                old.unlink()

    def manifest(self, directory: Path, encoder: Identified) -> ShardManifest:
        """The manifest of the index in `directory`.

        Raises MissingError where there is none, DataError where it is damaged or another encoder made the index.
        """
        manifest = read_manifest(directory, self.kind, self._parse)
        if manifest.encoder != encoder.identity:
            raise DataError(
                f"The {self.kind} index in {shorten(directory)} was made by the encoder “{shorten(manifest.encoder)}”, "
                f"not by “{shorten(encoder.identity)}”. {HINT}"
            )
        return manifest

    def _parse(self, facts: Any) -> ShardManifest:
        if facts["format"] != FORMAT:
            raise ValueError("another format")
        return ShardManifest(
            str(facts["encoder"]),
            {name: int(facts[name]) for name in self.sizes},
            tuple(known_language(language).code for language in facts["languages"]),
            str(facts["fingerprint"]),
        )

    @contextmanager
    def reading(self, directory: Path) -> Iterator[None]:
        """Turns errors in reading a shard's files, ValueError where they do not match each other, into DataError."""
        try:
            yield
        except (OSError, RuntimeError, ValueError, EOFError) as error:
            raise DataError(f"The {self.kind} index in {shorten(directory)} is damaged. {HINT}") from error


@dataclass(slots=True)
class _MemberWriter:
    """Which passages a shard holds, while it is built."""

    rows: list[int] = field(default_factory=list)
    ids: list[bytes] = field(default_factory=list)

    def add(self, row: int, passage_id: str) -> None:
        self.rows.append(row)
        self.ids.append(passage_id.encode(errors="surrogatepass"))

    def write(self, directory: Path, language: str) -> None:
        save_array(directory, language, ROWS, np.array(self.rows, dtype=np.int64))
        save_array(directory, language, IDS, np.array(self.ids, dtype=np.bytes_))


EncoderT = TypeVar("EncoderT", bound=Identified)
ShardT = TypeVar("ShardT")


class ShardedIndex(ABC, Generic[EncoderT, ShardT]):
    """An opened index: an encoder for questions, and shards by language, in alphabetical order."""

    layout: ClassVar[IndexLayout]

    def __init__(self, encoder: EncoderT, shards: Mapping[str, ShardT], files_fingerprint: str) -> None:
        """`files_fingerprint` is that of all shards' files."""
        self._encoder = encoder
        self._shards = shards
        self._files_fingerprint = files_fingerprint

    @classmethod
    def _open(cls, directory: Path, encoder: EncoderT, width_of: Callable[[ShardManifest], int]) -> Self:
        """Opens a built index; `width_of` returns how many numbers a row of the encoder's has.

        Raises MissingError where there is none, DataError where it is damaged or another encoder made it.
        """
        manifest = cls.layout.manifest(directory, encoder)
        width = width_of(manifest)
        with cls.layout.reading(directory):
            shards = {
                language: cls._open_shard(directory, language, ShardPassages.open(directory, language), width)
                for language in manifest.languages
            }
        return cls(encoder, shards, manifest.fingerprint)

    @staticmethod
    @abstractmethod
    def _open_shard(directory: Path, language: str, members: ShardPassages, width: int) -> ShardT:
        """One language's shard. Raises ValueError where its files match neither `members` nor `width`."""

    @property
    def identity(self) -> str:
        """Names the encoder and the indexed files."""
        return component(self.layout.kind, encoder=self._encoder.identity, index=self._files_fingerprint)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have passages, in alphabetical order."""
        return tuple(self._shards)

    def _within(self, scope: Sequence[str]) -> Iterator[tuple[str, ShardT]]:
        """The shards of the languages in `scope` that have passages, each once."""
        return ((language, self._shards[language]) for language in dict.fromkeys(scope) if language in self._shards)
