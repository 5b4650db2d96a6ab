"""An index of an encoded corpus, one shard a language: what dense and sparse search have in common.

A shard holds what the encoder made of a language's passages, in files of the index's kind, and beside them which
passages they are: `<language>.rows.npy` (int64, shape (passages,)) and `<language>.ids.npy` (UTF-8 bytes, same shape).
The manifest names the encoder, the languages and the fingerprint of all files. A scope is a set of shards, hence exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from workbench.errors import DataError, shorten
from workbench.identity import component, file_fingerprint, fingerprint
from workbench.languages import language
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
    """All that is asked of an encoder here."""

    @property
    def identity(self) -> str: ...


class ShardWriter(Protocol):
    """Takes what the encoder made of one language's passages, batch by batch, and writes it in the end."""

    def add(self, encoded: Any) -> None: ...

    def write(self, directory: Path, code: str) -> None: ...


@dataclass(frozen=True, slots=True)
class ShardPassages:
    """Which passages a shard holds, by their place in it: rows in the corpus, and ids."""

    rows: npt.NDArray[np.int64]
    ids: npt.NDArray[np.bytes_]

    @classmethod
    def open(cls, directory: Path, code: str) -> ShardPassages:
        """Memory-mapped. Raises ValueError where the two files do not fit each other."""
        rows, ids = (np.load(directory / f"{code}.{end}", mmap_mode="r", allow_pickle=False) for end in (ROWS, IDS))
        if len(rows) != len(ids):
            raise ValueError("as many rows as ids")
        return cls(rows, ids)

    def __len__(self) -> int:
        return len(self.rows)

    def hit(self, place: int, code: str, score: float, kind: str) -> Hit:
        """The passage at `place`, of language `code`, with its score in an index of this kind."""
        rounded = round(score, DECIMALS)
        id = bytes(self.ids[place]).decode(errors="surrogatepass")
        return Hit(id, int(self.rows[place]), code, rounded, {kind: rounded})


@dataclass(frozen=True, slots=True)
class ShardManifest:
    """What a whole index says of itself. `sizes`: see `Layout`."""

    encoder: str
    sizes: Mapping[str, int]
    languages: tuple[str, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class IndexLayout:
    """How an index of one `kind` lies in its folder. `endings` are those of a shard's own files, after `<language>.`;
    `sizes` names the whole numbers that its manifest says besides what all say.
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
        """Indexes `passages` into `directory`, replacing an index that is there; the n-th passage gets row n.

        `encode` gets the number of a batch and its passages, and gives one row each (an array or a sparse matrix);
        each language's go to a `writer` of its own. `progress` is told how many are done. Until the new manifest is
        written the directory holds no index that `open` would take. Raises UsageError for a language that is no
        ISO 639 code.
        """
        self._clear(directory)
        writers: dict[str, ShardWriter] = {}
        members: defaultdict[str, _Gathered] = defaultdict(_Gathered)
        done = 0
        for number, part in enumerate(batched(passages, batch)):
            encoded = encode(number, part)
            for code in dict.fromkeys(passage.language for passage in part):
                if code not in writers:
                    writers[language(code).code] = writer()
                places = [place for place, passage in enumerate(part) if passage.language == code]
                writers[code].add(encoded[places])
                for place in places:
                    members[code].add(done + place, part[place].id)
            done += len(part)
            if progress:
                progress(done)
        for code, shard in writers.items():
            shard.write(directory, code)
            members[code].write(directory, code)
        files = sorted(directory / f"{code}.{ending}" for code in writers for ending in (*self.endings, ROWS, IDS))
        facts = {
            "format": FORMAT,
            "encoder": encoder.identity,
            **(sizes or {}),
            "languages": sorted(writers),
            "fingerprint": fingerprint(self.kind, [[path.name, file_fingerprint(path)] for path in files]),
        }
        write_manifest(directory, self.kind, facts)

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
        manifest = read_manifest(directory, self.kind, self._manifest)
        if manifest.encoder != encoder.identity:
            raise DataError(
                f"The {self.kind} index in {shorten(directory)} was made by the encoder “{shorten(manifest.encoder)}”, "
                f"not by “{shorten(encoder.identity)}”. {HINT}"
            )
        return manifest

    def _manifest(self, facts: Any) -> ShardManifest:
        if facts["format"] != FORMAT:
            raise ValueError("another format")
        return ShardManifest(
            str(facts["encoder"]),
            {name: int(facts[name]) for name in self.sizes},
            tuple(language(code).code for code in facts["languages"]),
            str(facts["fingerprint"]),
        )

    @contextmanager
    def reading(self, directory: Path) -> Iterator[None]:
        """Turns what is raised over a shard's files, ValueError where they do not fit each other, into DataError."""
        try:
            yield
        except (OSError, RuntimeError, ValueError, EOFError) as error:
            raise DataError(f"The {self.kind} index in {shorten(directory)} is damaged. {HINT}") from error


@dataclass(slots=True)
class _Gathered:
    """The members of a shard that is being built."""

    rows: list[int] = field(default_factory=list)
    ids: list[bytes] = field(default_factory=list)

    def add(self, row: int, id: str) -> None:
        self.rows.append(row)
        self.ids.append(id.encode(errors="surrogatepass"))

    def write(self, directory: Path, code: str) -> None:
        np.save(directory / f"{code}.{ROWS}", np.array(self.rows, dtype=np.int64), allow_pickle=False)
        np.save(directory / f"{code}.{IDS}", np.array(self.ids, dtype=np.bytes_), allow_pickle=False)


EncoderT = TypeVar("EncoderT", bound=Identified)
ShardT = TypeVar("ShardT")


class ShardedIndex(Generic[EncoderT, ShardT]):
    """An opened index: an encoder for questions, and shards by language, in alphabetical order."""

    layout: ClassVar[IndexLayout]

    def __init__(self, encoder: EncoderT, shards: Mapping[str, ShardT], mark: str) -> None:
        """`mark` is the fingerprint of the files."""
        self._encoder = encoder
        self._shards = shards
        self._mark = mark

    @property
    def identity(self) -> str:
        """Names the encoder and the indexed files."""
        return component(self.layout.kind, encoder=self._encoder.identity, index=self._mark)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have passages, in alphabetical order."""
        return tuple(self._shards)

    def _within(self, scope: Iterable[str]) -> Iterator[tuple[str, ShardT]]:
        """The shards of the languages in `scope` that have passages, each once."""
        return ((code, self._shards[code]) for code in dict.fromkeys(scope) if code in self._shards)
