"""The built-in encoder: vectors across languages with no downloaded weights.

Two views of a text, each a unit vector, are joined with weights that make one cosine search act like a weighted sum
of both similarities:

- *sounds*: character n-grams of the transliteration and of its consonant skeleton, reduced by latent semantic
  indexing over the corpus's own passages. It finds names, loan words and numbers in any script.
- *meaning*: each language's own character n-grams, in a cross-lingual latent space fitted on groups of translations.
  It is there only where groups were given, and weighs less in a text whose n-grams it does not know.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from workbench.errors import DataError, MissingError
from workbench.identity import component, file_fingerprint, fingerprint
from workbench.protocols import FloatArray
from workbench.records import Passage, Query
from workbench.retrieval.encoders.builtin.cross_lingual_space import CrossLingualSpace, Group
from workbench.retrieval.encoders.builtin.latent_space import unit_dense
from workbench.retrieval.encoders.builtin.transliteration_space import TransliterationSpace

VERSION = 3
DIMENSIONS = 512
ANCHORS = 2048
"""Passages, and groups, that are learnt from at most: all are compared with all, so time grows with the square."""
BATCH = 512
"""Texts encoded at once; bounds memory."""
MEANING_SHARE = 0.9
"""The share of a vector's squared length that meaning takes in a text it knows wholly; see decision 0003."""
QUESTION_SHARPNESS = 3
"""The power that a question's likenesses to the anchors are raised to; see decision 0003."""
MANIFEST = "encoder.json"
SEED = 13

T = TypeVar("T")


def sample(items: Iterable[T], size: int) -> list[T]:
    """All `items` in order where they are no more than `size`, else `size` of them, each as likely (algorithm R)."""
    chosen: list[T] = []
    draw = random.Random(SEED)  # noqa: S311 (a repeatable sample, nothing secret)
    for seen, item in enumerate(items):
        if seen < size:
            chosen.append(item)
        elif (place := draw.randrange(seen + 1)) < size:
            chosen[place] = item
    return chosen


class BuiltinEncoder:
    """Implements `protocols.Encoder`; its identity holds the fingerprint of what it was fitted to."""

    def __init__(self, sounds: TransliterationSpace, meaning: CrossLingualSpace | None) -> None:
        self._sounds = sounds
        self._meaning = meaning
        self._mark = ""

    @classmethod
    def fit(cls, texts: Iterable[str], groups: Iterable[Group] = (), *, dimensions: int = DIMENSIONS) -> BuiltinEncoder:
        """Learns from a corpus's searchable `texts` and from `groups` of translations (language, text).

        `dimensions` bounds each of the two views. Raises DataError where there is no text with a letter in it.
        """
        passages = [text for text in sample(texts, ANCHORS) if text.strip()]
        if not passages:
            raise DataError("The corpus has no text to learn an encoder from; add a document with text.")
        aligned = sample((tuple(group) for group in groups if len(group) > 1), ANCHORS)
        return cls(
            TransliterationSpace.fit(passages, dimensions),
            CrossLingualSpace.fit(aligned, dimensions) if aligned else None,
        )

    @property
    def dimensions(self) -> int:
        meaning = self._meaning.space.dimensions if self._meaning else 0
        return self._sounds.space.dimensions + meaning

    @property
    def identity(self) -> str:
        """Names the fitted files; asks for `save` first, since only files have a fingerprint."""
        if not self._mark:
            raise MissingError("A built-in encoder has an identity once it is saved: call save(directory) first.")
        return component("latent", fitted=self._mark, share=MEANING_SHARE, version=VERSION)

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        return self._encode([p.searchable for p in passages], [p.language for p in passages])

    def encode_questions(self, queries: Sequence[Query]) -> FloatArray:
        """A question's vector is the same to the last digit whichever others it is encoded with."""
        return self._encode([q.text for q in queries], [q.language for q in queries], QUESTION_SHARPNESS, apart=True)

    def _encode(
        self, texts: Sequence[str], languages: Sequence[str], sharpness: int = 1, *, apart: bool = False
    ) -> FloatArray:
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            batch = slice(start, start + BATCH)
            vectors[batch] = self._joined(texts[batch], languages[batch], sharpness, apart)
        return vectors

    def _joined(self, texts: Sequence[str], languages: Sequence[str], sharpness: int, apart: bool) -> FloatArray:
        sounds = self._sounds.encode(texts, apart=apart)
        if self._meaning is None:
            return sounds
        meaning, known = self._meaning.encode(texts, languages, sharpness, apart=apart)
        heard = np.any(sounds, axis=1)
        share = np.where(heard, MEANING_SHARE * known, np.any(meaning, axis=1))[:, None]
        parts = [np.sqrt(1.0 - share) * sounds, np.sqrt(share) * meaning]
        return unit_dense(np.hstack(parts).astype(np.float32))

    def save(self, directory: Path) -> None:
        """Writes the encoder into an existing `directory`; the manifest comes last."""
        self._sounds.save(directory)
        if self._meaning:
            self._meaning.save(directory)
        self._mark = _fingerprint_of(directory)
        manifest = {"version": VERSION, "meaning": self._meaning is not None, "fitted": self._mark}
        (directory / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")

    @classmethod
    def open(cls, directory: Path) -> BuiltinEncoder:
        """The encoder that `save` wrote, memory-mapped.

        Raises MissingError where there is none, DataError where it is damaged or of another version.
        """
        try:
            manifest = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise MissingError(f"There is no encoder in {directory}; index the corpus to make one.") from error
        except ValueError as error:
            raise DataError(f"The encoder in {directory} cannot be read; index the corpus again.") from error
        if not isinstance(manifest, dict) or manifest.get("version") != VERSION:
            raise DataError(f"The encoder in {directory} was made by another version; index the corpus again.")
        encoder = cls(
            TransliterationSpace.open(directory), CrossLingualSpace.open(directory) if manifest.get("meaning") else None
        )
        encoder._mark = str(manifest.get("fitted", ""))
        return encoder


def _fingerprint_of(directory: Path) -> str:
    files = sorted([*directory.glob("sounds.*"), *directory.glob("meaning.*")])
    return fingerprint("encoder", [[file.name, file_fingerprint(file)] for file in files])
