"""The built-in encoder: vectors across languages with no downloaded weights.

Two views of a text, each a unit vector, are joined with weights that make one cosine search act like a weighted sum
of both similarities:

- *transliteration*: character n-grams of the transliteration and of its consonant skeleton, reduced by latent semantic
  indexing over the corpus's passages. It finds names, loan words and numbers in any script. Files `sounds.*`.
- *cross-lingual*: character n-grams by language, in a latent space fitted on groups of translations. It exists only
  where groups were given, and weighs less in a text whose n-grams it does not know. Files `meaning.*`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

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
from workbench.retrieval.encoders.builtin.cross_lingual_space import CrossLingualSpace, Group
from workbench.retrieval.encoders.builtin.latent_space import unit_dense
from workbench.retrieval.encoders.builtin.transliteration_space import TransliterationSpace
from workbench.retrieval.index_manifest import HINT
from workbench.workspace import FILES, DamagedFile, check_files, checksums, sealed, unsealed

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
