"""How an index of an encoded corpus lies in its folder: parts by language, and a manifest written last.

A build writes one part for each language, called by its code. Passages that are added later are parts of their own,
`<language>.<first row>`; small ones are taken into the next, so that their number grows with the logarithm of what was
added. Files are never written again once the manifest names them: a copy of the folder may share them by hard links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from workbench.core import DataError, Passage, file_fingerprint, fingerprint, shorten
from workbench.languages import language as known_language
from workbench.retrieval.index_manifest import HINT, manifest_path, read_facts, read_manifest, write_manifest
from workbench.retrieval.parts.opened_once import OPENED, folder_state
from workbench.retrieval.parts.shard_files import BATCH, IDS, ROWS, IndexPart, PartWriter, ShardWriter, load_arrays
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
        self._fill(writers, passages, count() if rows is None else rows, encode, lambda _: writer(), batch, progress)
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
        writer: Callable[[str], ShardWriter],
        former: Mapping[str, Mapping[str, IndexPart]],
        *,
        batch: int = BATCH,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Adds `passages` to the index in `directory`; `rows` of the corpus are theirs, above all others.

        `former` are the opened parts with passages, by language and name; `writer` makes one for a language. Files that
        the manifest names are not written to. A kill at any moment leaves the old index.
        """
        facts = read_facts(directory, self.kind)
        manifest = self._parse(facts)
        writers: dict[str, PartWriter] = {}
        gone: set[str] = set()
        for language in dict.fromkeys(passage.language for passage in passages):
            writers[known_language(language).code] = PartWriter(writer(language))
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
        writer: Callable[[str], ShardWriter],
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
                    writers[known_language(language).code] = PartWriter(writer(language))
                places = [place for place, passage in enumerate(part) if passage.language == language]
                ids = [part[place].id for place in places]
                writers[language].add([row_of[place] for place in places], ids, encoded[places])
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
