"""An index of an encoded corpus, parts by language: what dense, sparse and sentence indexes have in common.

A part holds what the encoder computed for passages of a language, in files of the index's kind, and next to them which
passages they are: `<part>.rows.npy` (int64, shape (passages,)) and `<part>.ids.npy` (UTF-8 bytes, same shape). The
manifest names the encoder, the parts and the fingerprint of all files. A scope is a set of languages, hence exact.
Passages that were removed from the corpus since stay in the files, and are left out of every search.
Lexical search shares the manifest only: it is built passage by passage, without an encoder.

A build writes one part for each language, called by its code. Passages that are added later are parts of their own,
`<language>.<first row>`; small ones are taken into the next, so that their number grows with the logarithm of what was
added. Files are never written again once the manifest names them: a copy of the folder may share them by hard links.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from workbench.core import DataError, Encoder, Passage, component, file_fingerprint, fingerprint, shorten
from workbench.languages import language as known_language
from workbench.retrieval.index_files import (
    BATCH,
    HINT,
    IDS,
    NONE,
    OPENED,
    ROWS,
    IndexPart,
    Numbers,
    PartWriter,
    ShardPassages,
    ShardWriter,
    folder_state,
    load_arrays,
    manifest_path,
    read_facts,
    read_manifest,
    write_manifest,
)
from workbench.workspace import batched

FORMAT = 1
SMALL = 1_024
"""A part of added passages that has no more is taken into the next one, however small that is."""
ADDED = "added"

Encode = Callable[[int, list[Passage]], Any]
"""The number of a batch and its passages → what is computed for each."""


class Identified(Protocol):
    """All that an index requires of its encoder here."""

    @property
    def identity(self) -> str:
        """Everything about the encoder that affects its vectors, as text."""
        ...


@dataclass(frozen=True, slots=True)
class ShardManifest:
    """What a complete index states about itself. `sizes`: see `IndexLayout`; `added`: the parts added since its build.

    `languages` are those of the build.
    """

    encoder: str
    sizes: Mapping[str, int]
    languages: tuple[str, ...]
    fingerprint: str
    added: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The language and the name of each part, in order of their first rows within a language."""
        return (*((name, name) for name in self.languages), *((name.partition(".")[0], name) for name in self.added))


@dataclass(frozen=True, slots=True)
class IndexLayout:
    """How an index of one `kind` is laid out in its folder.

    `endings` are those of a part's files, after `<part>.`, of which a part need not have each; `sizes` names the
    integers that its manifest holds besides the facts of every index.
    """

    kind: str
    endings: tuple[str, ...]
    sizes: tuple[str, ...] = ()

    def build(
        self,
        directory: Path,
        encoder: Identified,
        passages: Iterable[Passage],
        encode: Encode,
        writer: Callable[[], ShardWriter],
        *,
        sizes: Mapping[str, int] | None = None,
        batch: int = BATCH,
        progress: Callable[[int], None] | None = None,
        rows: Iterable[int] | None = None,
    ) -> None:
        """Indexes `passages` into `directory`, replacing any index in it; the n-th gets row n, or the n-th of `rows`.

        `encode` gets the number of a batch and its passages, and returns one row each (an array or a sparse matrix);
        each language has a `writer` of its own. `progress` is given the number of passages done. Until the new
        manifest is written the directory holds no index that `open` would accept. Raises UsageError for a language
        that is not an ISO 639 code.
        """
        self._clear(directory)
        writers: dict[str, PartWriter] = {}
        self._fill(writers, passages, count() if rows is None else rows, encode, writer, batch, progress)
        for language, part in writers.items():
            part.write(directory, language)
        files = _present(self._files(directory, writers))
        facts = {
            "format": FORMAT,
            "encoder": encoder.identity,
            **(sizes or {}),
            "languages": sorted(writers),
            "fingerprint": fingerprint(self.kind, [[path.name, file_fingerprint(path)] for path in files]),
        }
        write_manifest(directory, self.kind, facts, files)

    def extend(
        self,
        directory: Path,
        passages: Sequence[Passage],
        rows: Sequence[int],
        encode: Encode,
        writer: Callable[[], ShardWriter],
        former: Mapping[str, Mapping[str, IndexPart]],
        *,
        batch: int = BATCH,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Adds `passages` to the index in `directory`; `rows` of the corpus are theirs, above all others.

        `former` are the opened parts with passages, by language and name. Files that the manifest names are not
        written to. A kill at any moment leaves the old index.
        """
        facts = read_facts(directory, self.kind)
        manifest = self._parse(facts)
        writers: dict[str, PartWriter] = {}
        gone: set[str] = set()
        for language in dict.fromkeys(passage.language for passage in passages):
            writers[known_language(language).code] = PartWriter(writer())
            opened = dict(former.get(language, {}))
            opened.pop(language, None)
            size = sum(passage.language == language for passage in passages)
            taken: list[IndexPart] = []
            while opened and (part := opened[next(reversed(opened))]).members.live <= max(SMALL, size):
                taken.append(part)
                opened.popitem()
                size += part.members.live
            gone |= {name for code, name in manifest.parts if code == language and name not in (language, *opened)}
            for part in reversed(taken):
                writers[language].take(part)
        self._fill(writers, passages, rows, encode, writer, batch, progress)
        names = {language: f"{language}.{rows[0]}" for language in writers}
        files = self._files(directory, names.values())
        for path in files:
            path.unlink(missing_ok=True)  # A killed attempt's, which the folder of another version may share.
        for language, part_writer in writers.items():
            part_writer.write(directory, names[language])
        files = _present(files)
        content = [[path.name, file_fingerprint(path)] for path in files]
        changed = {
            **facts,
            ADDED: [*(name for name in manifest.added if name not in gone), *names.values()],
            "fingerprint": fingerprint(self.kind, [manifest.fingerprint, content]),
        }
        # Their files stay for whoever is copying the folder; `remove_unnamed` removes them from the copy.
        write_manifest(directory, self.kind, changed, files, without=self._files(directory, gone))

    def _fill(
        self,
        writers: dict[str, PartWriter],
        passages: Iterable[Passage],
        rows: Iterable[int],
        encode: Encode,
        writer: Callable[[], ShardWriter],
        batch: int,
        progress: Callable[[int], None] | None,
    ) -> None:
        """Gives the passages and what is computed for them to `writers` by language; `writer` makes missing ones."""
        numbers = iter(rows)
        done = 0
        for number, part in enumerate(batched(passages, batch)):
            encoded = encode(number, part)
            row_of = [next(numbers) for _ in part]
            for language in dict.fromkeys(passage.language for passage in part):
                if language not in writers:
                    writers[known_language(language).code] = PartWriter(writer())
                positions = [position for position, passage in enumerate(part) if passage.language == language]
                ids = [part[position].id for position in positions]
                writers[language].add([row_of[position] for position in positions], ids, encoded[positions])
            done += len(part)
            if progress:
                progress(done)

    def _files(self, directory: Path, parts: Iterable[str]) -> list[Path]:
        return sorted(directory / f"{part}.{ending}" for part in parts for ending in (*self.endings, ROWS, IDS))

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
        manifest = self.stored_manifest(directory)
        if manifest.encoder != encoder.identity:
            raise DataError(
                f"The {self.kind} index in {shorten(directory)} was made by the encoder “{shorten(manifest.encoder)}”, "
                f"not by “{shorten(encoder.identity)}”. {HINT}"
            )
        return manifest

    def stored_manifest(self, directory: Path) -> ShardManifest:
        """As `manifest`, whichever encoder made the index."""
        return read_manifest(directory, self.kind, self._parse)

    def _parse(self, facts: Any) -> ShardManifest:
        if facts["format"] != FORMAT:
            raise ValueError("another format")
        return ShardManifest(
            str(facts["encoder"]),
            {name: int(facts[name]) for name in self.sizes},
            tuple(known_language(language).code for language in facts["languages"]),
            str(facts["fingerprint"]),
            tuple(str(name) for name in facts.get(ADDED, ())),
        )

    @contextmanager
    def reading(self, directory: Path) -> Iterator[None]:
        """Turns errors in reading a part's files, ValueError where they do not match each other, into DataError."""
        try:
            yield
        except (OSError, RuntimeError, ValueError, EOFError) as error:
            raise DataError(f"The {self.kind} index in {shorten(directory)} is damaged. {HINT}") from error


def _present(files: Iterable[Path]) -> list[Path]:
    return [path for path in files if path.is_file()]


def last_row(directory: Path, kind: str) -> int:
    """The highest row of the corpus that the index of this kind in `directory` has; -1 for an empty one.

    Raises MissingError where there is none, DataError, OSError and ValueError where it is damaged.
    """

    def read() -> int:
        facts = read_manifest(directory, kind, dict)
        rows = [load_arrays(directory, part, (ROWS,))[0] for part in (*facts["languages"], *facts.get(ADDED, ()))]
        return max((int(each[-1]) for each in rows if len(each)), default=-1)

    return OPENED.get((last_row, directory, kind), folder_state(directory), read)


def remove_unnamed(directory: Path, kind: str) -> None:
    """Removes the files of parts that the manifest in `directory` no longer names: they were taken into others.

    Raises as `read_manifest` does.
    """
    facts = read_manifest(directory, kind, dict)
    parts = {*facts["languages"], *facts.get(ADDED, ())}
    for path in directory.iterdir():
        language, _, rest = path.name.partition(".")
        row = rest.partition(".")[0]
        if path.suffix in (".npy", ".faiss") and (f"{language}.{row}" if row.isdigit() else language) not in parts:
            path.unlink()


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
                positions = part.members.live_positions()
                for start in range(0, len(positions), batch):
                    some = positions[start : start + batch]
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
        first, *others = self._parts[language].values()
        # A part's rows lie above those of the part before it.
        return next((part for part in reversed(others) if part.members.rows[0] <= row), first) if others else first


class VectorIndex(ShardedIndex[Encoder, ShardT]):
    """An opened index of what an `Encoder` computes; memory-mapped, safe to share between threads."""

    @staticmethod
    @abstractmethod
    def _encode(encoder: Encoder) -> Encode:
        """What is computed for each batch of passages."""

    @staticmethod
    @abstractmethod
    def _writer(encoder: Encoder, directory: Path) -> ShardWriter:
        """Writes that for one part of the index in `directory`."""

    @classmethod
    def build(
        cls,
        directory: Path,
        encoder: Encoder,
        passages: Iterable[Passage],
        progress: Callable[[int], None] | None = None,
        batch: int = BATCH,
        rows: Iterable[int] | None = None,
    ) -> None:
        """Indexes `passages` into `directory` as `IndexLayout.build` does. Streams `batch` passages at a time."""
        encode, writer = cls._encode(encoder), partial(cls._writer, encoder, directory)
        cls.layout.build(directory, encoder, passages, encode, writer, batch=batch, progress=progress, rows=rows)

    def extend(
        self,
        directory: Path,
        passages: Sequence[Passage],
        rows: Sequence[int],
        *,
        encoder: Encoder | None = None,
        batch: int = BATCH,
    ) -> None:
        """Adds passages to the files of this index in `directory`, as `IndexLayout.extend` does.

        `encoder`, with the identity of the index's, computes their vectors.
        """
        inner = encoder or self._encoder
        encode, writer = self._encode(inner), partial(self._writer, inner, directory)
        self.layout.extend(directory, passages, rows, encode, writer, self._parts, batch=batch)

    @classmethod
    def open(cls, directory: Path, encoder: Encoder, removed: Numbers = NONE) -> Self:
        """Opens a built index; `removed` rows, ascending, are left out.

        Raises MissingError where there is none, DataError where it is damaged or another encoder made it.
        """
        return cls._open(directory, encoder, lambda _: encoder.dimensions, removed)
