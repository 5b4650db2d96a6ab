"""Language centring: what a language adds to all of its vectors is taken away, so that meaning decides.

A multilingual encoder puts a text's language into its vector as well as its meaning, so a passage in the question's
language beats a better one in another. The mean difference between parallel texts in a language and in English is that
part. A vector v becomes unit(v - strength · mean of its language). The means are a table that ships with an encoder,
not those of a corpus: a vector stays a function of text and language alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Self
from zipfile import BadZipFile

import numpy as np

from workbench.core import DataError, Encoder, FloatArray, Passage, Query, component, fingerprint, shorten
from workbench.languages import ENGLISH
from workbench.retrieval.encoders.latent_space import unit_dense
from workbench.workspace import write_bytes

STRENGTH = 0.7
"""How much of a language's mean is taken away: of 0 to 1, best on XQuAD (benchmarks/crosslingual)."""


ORIGIN = "origin"
"""The table's row for the mean of English itself."""


class LanguageMeans:
    """By language, the mean of its unit vectors less that of their English translations."""

    def __init__(self, means: Mapping[str, FloatArray], origin: FloatArray | None = None) -> None:
        """`means` are vectors of one length, by language code; English, the reference, needs none.

        `origin` is the mean of English vectors, None where it is not known.
        """
        self._means = dict(means)
        # A language without a mean of its own is more like the others than like English.
        self._otherwise: FloatArray = np.mean(list(self._means.values()), axis=0).astype(np.float32)
        self._origin: FloatArray = np.zeros_like(self._otherwise) if origin is None else origin

    @classmethod
    def open(cls, path: Path) -> Self:
        """The table in a file that `save` wrote. Raises DataError where it cannot be read."""
        try:
            with np.load(path, allow_pickle=False) as table:
                means = {code: table[code].astype(np.float32) for code in table.files}
            if not means.keys() - {ORIGIN} or len({mean.shape for mean in means.values()}) != 1:
                raise ValueError("vectors of one length")
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise DataError(f"The table of language means {shorten(path.name)} cannot be read; reinstall.") from error
        return cls(means, means.pop(ORIGIN, None))

    def save(self, path: Path) -> None:
        """Writes the table as float16, 2 bytes a number, at once or not at all."""
        data = BytesIO()
        table = {**self._means, ORIGIN: self._origin}
        np.savez(data, **{code: mean.astype(np.float16) for code, mean in sorted(table.items())})  # type: ignore[arg-type]
        write_bytes(path, data.getvalue())

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have a mean of their own, besides English."""
        return tuple(sorted(self._means))

    @cached_property
    def fingerprint(self) -> str:
        """Changes with any number."""
        return fingerprint("means", [[code, mean.tobytes().hex()] for code, mean in sorted(self._means.items())])

    @cached_property
    def fingerprint_apart(self) -> str:
        """Changes with any number, the mean of English included."""
        return fingerprint("means apart", [self.fingerprint, self._origin.tobytes().hex()])

    def centred(self, vectors: FloatArray, languages: Sequence[str], strength: float) -> FloatArray:
        """Unit vectors, shape as `vectors`, each without `strength` of its language's mean; zero rows stay zero."""
        shifts = np.stack([self._of(code) for code in languages]) if languages else np.zeros_like(vectors)
        is_known = np.any(vectors, axis=1, keepdims=True)
        return unit_dense(np.where(is_known, vectors - np.float32(strength) * shifts, 0).astype(np.float32))

    def centred_apart(self, vectors: FloatArray, languages: Sequence[str]) -> FloatArray:
        """Unit vectors without their language's mean and English's: what is left tells texts of one language apart."""
        return self.centred(vectors - self._origin * np.any(vectors, axis=1, keepdims=True), languages, 1.0)

    def _of(self, code: str) -> FloatArray:
        if code == ENGLISH:
            return np.zeros_like(self._otherwise)
        return self._means.get(code, self._otherwise)


class CentredEncoder:
    """Implements `Encoder` around another one, whose vectors it centres by the language of passage and question."""

    def __init__(self, encoder: Encoder, means: LanguageMeans, strength: float = STRENGTH) -> None:
        """`strength`, in [0, 1], is the share of the mean that is taken away."""
        self._encoder = encoder
        self._means = means
        self._strength = strength

    @cached_property
    def identity(self) -> str:
        """Names the inner encoder, the table and the strength."""
        return component(
            "centred", encoder=self._encoder.identity, means=self._means.fingerprint, strength=self._strength
        )

    @property
    def dimensions(self) -> int:
        """The inner encoder's."""
        return self._encoder.dimensions

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """The inner encoder's vectors, centred."""
        vectors = self._encoder.encode_passages(passages)
        return self._means.centred(vectors, [passage.language for passage in passages], self._strength)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """The inner encoder's vectors, centred."""
        vectors = self._encoder.encode_queries(queries)
        return self._means.centred(vectors, [query.language for query in queries], self._strength)
