"""The built-in encoder: vectors across languages with no downloaded weights.

Two views of a text, each a unit vector, are joined with weights that make one cosine search act like a weighted sum
of both similarities:

- *transliteration*: what a text sounds like. Character n-grams of the transliteration and of its consonant skeleton,
  reduced by latent semantic indexing over the corpus's passages, find names, loan words and numbers in any script.
  Fitting on unaligned passages of several languages still links them, by the names that they share. Files `sounds.*`.
- *cross-lingual*: what a text means, as far as translations teach it. Each group of translations is one anchor: the
  sum of its texts' rows, with separate n-grams for each language. A text in any of those languages is then described by
  the anchors that it resembles (Dumais et al. (1997); Potthast et al. (2008); character n-grams did better than words).
  A question is short, and most of its similarities are chance; sharpened, it is represented by the few anchors nearest
  to it, which is what carries it into the other languages (decision 0003). The view exists only where groups were
  given, and weighs less in a text whose n-grams it does not know. Files `meaning.*`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from workbench.core import (
    DataError,
    FloatArray,
    MissingError,
    Passage,
    Query,
    component,
    file_fingerprint,
    fingerprint,
    shorten,
)
from workbench.retrieval.encoders.latent_space import (
    LatentSpace,
    count_ngrams,
    inverse_document_frequency,
    latin_form,
    load_array,
    native_form,
    row_sums,
    skeleton,
    sublinear,
    unit_dense,
    unit_rows,
)
from workbench.retrieval.index_files import HINT
from workbench.workspace import FILES, DamagedFile, check_files, checksums, sealed, unsealed

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


SOUND_WIDTH = 1 << 19
LATIN_LENGTHS = (3, 4, 5)
SKELETON_LENGTHS = (3, 4, 5)
SKELETON_WEIGHT = 0.75
SOUND_FILES = "sounds"
"""How the files begin."""


def _sound_counts(texts: Sequence[str]) -> tuple[csr_matrix, csr_matrix]:
    latin = [latin_form(text) for text in texts]
    skeletons = [skeleton(text) for text in latin]
    return (
        count_ngrams(latin, LATIN_LENGTHS, SOUND_WIDTH, ["latin"] * len(texts), within_words=True),
        count_ngrams(skeletons, SKELETON_LENGTHS, SOUND_WIDTH, ["skeleton"] * len(texts), within_words=True),
    )


def _sound_rows(counts: tuple[csr_matrix, csr_matrix], idf: FloatArray) -> csr_matrix:
    from scipy.sparse import hstack

    latin, skeletons = (unit_rows(sublinear(part, idf[i])) for i, part in enumerate(counts))
    return unit_rows(hstack([latin, skeletons * np.float32(SKELETON_WEIGHT)]).tocsr())


@dataclass(frozen=True, slots=True)
class TransliterationSpace:
    """The space and the n-gram weights: `idf` has shape (2, SOUND_WIDTH), transliteration and skeleton."""

    idf: FloatArray
    space: LatentSpace

    @classmethod
    def fit(cls, texts: Sequence[str], dimensions: int) -> TransliterationSpace:
        """Learns from `texts`, a sample of the corpus that is small enough to compare all with all."""
        counts = _sound_counts(texts)
        idf = np.stack(
            [
                inverse_document_frequency(np.bincount(part.indices, minlength=SOUND_WIDTH), len(texts))
                for part in counts
            ]
        )
        return cls(idf, LatentSpace.fit(_sound_rows(counts, idf), dimensions))

    def encode(self, texts: Sequence[str], *, row_by_row: bool = False) -> FloatArray:
        """Unit vectors, shape (texts, dimensions); a zero row where no n-gram is known.

        `row_by_row`: see `LatentSpace.project`.
        """
        similarity = self.space.similarity(_sound_rows(_sound_counts(texts), self.idf))
        return unit_dense(self.space.project(similarity, row_by_row=row_by_row))

    def save(self, directory: Path) -> None:
        """Writes `sounds.*.npy` into an existing directory."""
        np.save(directory / f"{SOUND_FILES}.idf.npy", self.idf, allow_pickle=False)
        self.space.save(directory, SOUND_FILES)

    @classmethod
    def open(cls, directory: Path) -> TransliterationSpace:
        """The space that `save` wrote, memory-mapped. Raises DataError where the files are damaged."""
        return cls(load_array(directory / f"{SOUND_FILES}.idf.npy"), LatentSpace.open(directory, SOUND_FILES))


MEANING_WIDTH = 1 << 20
MEANING_LENGTHS = (1, 2, 3, 4)
MEANING_FILES = "meaning"
"""How the files begin."""
Group = Sequence[tuple[str, str]]
"""(language, text) of texts that are translations of each other."""


def _meaning_counts(texts: Sequence[str], languages: Sequence[str]) -> csr_matrix:
    return count_ngrams([native_form(text) for text in texts], MEANING_LENGTHS, MEANING_WIDTH, languages)


@dataclass(frozen=True, slots=True, eq=False)
class CrossLingualSpace:
    """The space and the n-gram weights.

    `idf` has shape (MEANING_WIDTH,), 0 for an n-gram that no group holds; `groups` is the number that was learnt from.
    """

    idf: FloatArray
    space: LatentSpace
    groups: int

    @classmethod
    def fit(cls, groups: Sequence[Group], dimensions: int) -> CrossLingualSpace:
        """Learns from `groups`, at least one; `dimensions` is the most that the space may have."""
        from scipy.sparse import csr_matrix

        texts = [text for group in groups for _, text in group]
        languages = [language for group in groups for language, _ in group]
        sizes = [len(group) for group in groups]
        counts = _meaning_counts(texts, languages)
        idf = inverse_document_frequency(np.bincount(counts.indices, minlength=MEANING_WIDTH), len(groups))
        rows = unit_rows(sublinear(counts, idf))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        members = csr_matrix((np.ones(len(texts), np.float32), np.arange(len(texts)), starts))
        return cls(idf, LatentSpace.fit((members @ rows).tocsr(), dimensions, "esa"), len(groups))

    def encode(
        self, texts: Sequence[str], languages: Sequence[str], sharpness: int = 1, *, row_by_row: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Unit vectors, shape (texts, dimensions), and how much of each text is known, in [0, 1], shape (texts,).

        `sharpness`, `row_by_row`: see `LatentSpace.project`.
        """
        compare = _questions_to_anchors if row_by_row else _to_anchors
        similarity, known = compare(self, tuple(texts), tuple(languages))
        return unit_dense(self.space.project(similarity, sharpness, row_by_row=row_by_row)), known

    def likeness(self, texts: Sequence[str], languages: Sequence[str]) -> FloatArray:
        """The cosine, in [0, 1], of each text's n-grams to those of the group's text nearest to it in its language."""
        # The texts of a group have n-grams of their own by language, so a product with their sum is one with that text.
        similarity, _ = _questions_to_anchors(self, tuple(texts), tuple(languages))
        return np.asarray(similarity.max(axis=1, initial=0.0), dtype=np.float32)

    def save(self, directory: Path) -> None:
        """Writes `meaning.*.npy` into an existing directory."""
        np.save(directory / f"{MEANING_FILES}.idf.npy", self.idf, allow_pickle=False)
        np.save(directory / f"{MEANING_FILES}.groups.npy", np.array([self.groups]), allow_pickle=False)
        self.space.save(directory, MEANING_FILES)

    @classmethod
    def open(cls, directory: Path) -> CrossLingualSpace:
        """The space that `save` wrote, memory-mapped. Raises DataError where the files are damaged."""
        groups = int(load_array(directory / f"{MEANING_FILES}.groups.npy")[0])
        return cls(
            load_array(directory / f"{MEANING_FILES}.idf.npy"), LatentSpace.open(directory, MEANING_FILES), groups
        )


def _to_anchors(
    space: CrossLingualSpace, texts: tuple[str, ...], languages: tuple[str, ...]
) -> tuple[FloatArray, FloatArray]:
    """The similarity of each text to each anchor, and how much of it is known: see `CrossLingualSpace.encode`."""
    counts = _meaning_counts(texts, languages)
    unseen = np.float32(np.log(2 * (1 + space.groups)))
    rows = sublinear(counts, space.idf)
    # An n-gram that no group holds weighs nothing in a row; in the share it counts as the rarest possible.
    weights = np.where(rows.data > 0, rows.data, (1.0 + np.log(counts.data)) * unseen)
    known = row_sums(counts, rows.data**2) / np.maximum(row_sums(counts, weights**2), 1e-9)
    return space.space.similarity(unit_rows(rows)), known.astype(np.float32)


_questions_to_anchors = lru_cache(maxsize=4)(_to_anchors)
"""A search asks three times for those of its questions; a few searches may run at once."""


BUILTIN_VERSION = 3
DIMENSIONS = 512
ANCHORS = 2048
"""The most passages, and groups, to learn from: all are compared with all, so time grows with the square."""
BATCH = 512
"""Texts encoded at once; bounds memory."""
CROSS_LINGUAL_SHARE = 0.9
"""The cross-lingual view's share of the squared length of a vector, for a text it knows fully; see decision 0003."""
QUESTION_SHARPNESS = 3
"""The power to which a question's similarities to the anchors are raised; see decision 0003."""
MANIFEST = "encoder.json"
SEED = 13

T = TypeVar("T")


def reservoir_sample(items: Iterable[T], size: int) -> list[T]:
    """All `items` in order where they are no more than `size`, else `size` of them, equally likely (algorithm R)."""
    reservoir: list[T] = []
    generator = random.Random(SEED)  # noqa: S311 (a repeatable sample, nothing secret)
    for count, item in enumerate(items):
        if count < size:
            reservoir.append(item)
        elif (place := generator.randrange(count + 1)) < size:
            reservoir[place] = item
    return reservoir


class BuiltinEncoder:
    """Implements `protocols.Encoder`; its identity holds the fingerprint of what it was fitted to."""

    def __init__(self, transliteration: TransliterationSpace, cross_lingual: CrossLingualSpace | None) -> None:
        """Joins two fitted spaces; use `fit` or `open`."""
        self._transliteration = transliteration
        self._cross_lingual = cross_lingual
        self._fingerprint = ""

    @classmethod
    def fit(cls, texts: Iterable[str], groups: Iterable[Group] = (), *, dimensions: int = DIMENSIONS) -> BuiltinEncoder:
        """Learns from a corpus's searchable `texts` and from `groups` of translations (language, text).

        `dimensions` bounds each of the two views. Raises DataError where there is no text with a letter in it.
        """
        passages = [text for text in reservoir_sample(texts, ANCHORS) if text.strip()]
        if not passages:
            raise DataError("The corpus has no text to learn an encoder from; add a document with text.")
        aligned = reservoir_sample((tuple(group) for group in groups if len(group) > 1), ANCHORS)
        return cls(
            TransliterationSpace.fit(passages, dimensions),
            CrossLingualSpace.fit(aligned, dimensions) if aligned else None,
        )

    @property
    def dimensions(self) -> int:
        """Those of both views together."""
        cross_lingual = self._cross_lingual.space.dimensions if self._cross_lingual else 0
        return self._transliteration.space.dimensions + cross_lingual

    @property
    def identity(self) -> str:
        """Names the fitted files. Raises MissingError before `save`, since only files have a fingerprint."""
        if not self._fingerprint:
            raise MissingError("A built-in encoder has an identity once it is saved: call save(directory) first.")
        return component("latent", fitted=self._fingerprint, share=CROSS_LINGUAL_SHARE, version=BUILTIN_VERSION)

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """Unit vectors, shape (passages, dimensions); a zero row for a text that it knows nothing of."""
        return self._encode([p.searchable for p in passages], [p.language for p in passages])

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """As passages, sharpened; a vector is the same to the last digit whatever else is encoded with it."""
        texts, languages = [q.text for q in queries], [q.language for q in queries]
        return self._encode(texts, languages, QUESTION_SHARPNESS, row_by_row=True)

    def likeness(self, queries: Sequence[Query]) -> FloatArray:
        """How like each query is to a text that it knows in translation: the cosine of their n-grams, in [0, 1]."""
        if self._cross_lingual is None or not queries:
            return np.zeros(len(queries), dtype=np.float32)
        return self._cross_lingual.likeness([q.text for q in queries], [q.language for q in queries])

    def encode_cross_lingual(self, queries: Sequence[Query]) -> FloatArray:
        """The cross-lingual view of queries alone, not sharpened: unit vectors of as many dimensions, else zero rows.

        Less certain of one translation than `encode_queries`: what joins another encoder must not drown it.
        """
        vectors = np.zeros((len(queries), self.dimensions), dtype=np.float32)
        if self._cross_lingual is not None and queries:
            texts, languages = [q.text for q in queries], [q.language for q in queries]
            vectors[:, self.cross_lingual_part], _ = self._cross_lingual.encode(texts, languages, row_by_row=True)
        return vectors

    @property
    def cross_lingual_part(self) -> slice:
        """The dimensions of the cross-lingual view."""
        return slice(self._transliteration.space.dimensions, self.dimensions)

    def _encode(
        self, texts: Sequence[str], languages: Sequence[str], sharpness: int = 1, *, row_by_row: bool = False
    ) -> FloatArray:
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            batch = slice(start, start + BATCH)
            vectors[batch] = self._joined(texts[batch], languages[batch], sharpness, row_by_row)
        return vectors

    def _joined(self, texts: Sequence[str], languages: Sequence[str], sharpness: int, row_by_row: bool) -> FloatArray:
        transliteration = self._transliteration.encode(texts, row_by_row=row_by_row)
        if self._cross_lingual is None:
            return transliteration
        cross_lingual, known = self._cross_lingual.encode(texts, languages, sharpness, row_by_row=row_by_row)
        is_transliterated = np.any(transliteration, axis=1)
        share = np.where(is_transliterated, CROSS_LINGUAL_SHARE * known, np.any(cross_lingual, axis=1))[:, None]
        parts = [np.sqrt(1.0 - share) * transliteration, np.sqrt(share) * cross_lingual]
        return unit_dense(np.hstack(parts).astype(np.float32))

    def save(self, directory: Path) -> None:
        """Writes the encoder into an existing `directory`; the manifest comes last."""
        self._transliteration.save(directory)
        if self._cross_lingual:
            self._cross_lingual.save(directory)
        self._fingerprint = _fingerprint_of(directory)
        manifest = {
            "version": BUILTIN_VERSION,
            "meaning": self._cross_lingual is not None,
            "fitted": self._fingerprint,
            FILES: checksums(directory, _files(directory)),
        }
        (directory / MANIFEST).write_text(json.dumps(sealed(manifest)), encoding="utf-8")

    @classmethod
    def open(cls, directory: Path, *, deep: bool = False) -> BuiltinEncoder:
        """The encoder that `save` wrote, memory-mapped; `deep`: all bytes of its files are compared first.

        Raises MissingError where there is none, DataError where it is damaged or of another version.
        """
        place = shorten(directory)
        try:
            manifest = unsealed(json.loads((directory / MANIFEST).read_text(encoding="utf-8")))
            files = manifest.get(FILES, {})
            if manifest.get("version") != BUILTIN_VERSION:
                raise DataError(f"The encoder in {place} was made by another version. {HINT}")
            check_files(directory, files, deep=deep)
        except FileNotFoundError as error:
            raise MissingError(f"There is no encoder in {place}. {HINT}") from error
        except DamagedFile as error:
            raise DataError(f"The encoder in {place} is damaged ({error}). {HINT}") from error
        except (ValueError, TypeError, AttributeError, OSError, RecursionError) as error:
            raise DataError(f"The encoder in {place} cannot be read. {HINT}") from error
        encoder = cls(
            TransliterationSpace.open(directory), CrossLingualSpace.open(directory) if manifest.get("meaning") else None
        )
        encoder._fingerprint = str(manifest.get("fitted", ""))
        return encoder


def _fingerprint_of(directory: Path) -> str:
    return fingerprint("encoder", [[file.name, file_fingerprint(file)] for file in _files(directory)])


def _files(directory: Path) -> list[Path]:
    return sorted([*directory.glob("sounds.*"), *directory.glob("meaning.*")])
