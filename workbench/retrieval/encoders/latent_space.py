"""Latent semantic indexing over hashed character n-grams: which texts occur with which, as a small dense vector.

An n-gram is hashed from its code points, its length and a salt, in 64-bit arithmetic that is the same on every
machine, so there is no vocabulary to keep, and a count matrix computed today fits weights saved a year ago. Everything
is vectorised over a batch of texts. `native_form` of a text keeps its script. `latin_form` is its transliteration
(anyascii), and `skeleton` drops its vowels and folds consonants that languages write for one another (c/k/q, p/b, v/f,
s/z …), so that a name looks much the same in Latin, Cyrillic and Arabic script.

Texts become sublinear TF-IDF rows. The space is spanned by `anchors`: the passages of a corpus, or groups of
translations joined into one row each. With A = U S V' the truncated singular value decomposition of the anchor matrix,
there are two ways to fold in a text x. V would have a row for every n-gram, so it is never stored; A is sparse.

- `lsi`: x V = (x A') U S^-1, plain latent semantic indexing (Deerwester et al. (1990)).
- `esa`: (x A') U, the text by its similarity to each anchor, turned into the same directions; explicit semantic
  analysis (Gabrilovich and Markovitch (2007); across languages Potthast et al. (2008)) in few dimensions. A question's
  similarities may be sharpened, so that the few anchors nearest to it represent it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from workbench.core import DataError, FloatArray, shorten
from workbench.languages import words
from workbench.retrieval.index_files import HINT

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2**64 over the golden ratio, the usual odd multiplier of multiplicative hashing."""
MIXER = np.uint64(0xBF58476D1CE4E5B9)
"""The first multiplier of the splitmix64 finaliser."""
SEPARATOR = "\0"

VOWELS = "aeiouyw'`"
CONSONANTS = {"c": "k", "q": "k", "p": "b", "v": "f", "z": "s"}
DIGRAPHS = (("tsch", "s"), ("sch", "s"), ("sh", "s"), ("ch", "k"), ("ph", "f"), ("th", "t"), ("kh", "k"), ("x", "ks"))
SKELETON = str.maketrans({**CONSONANTS, **dict.fromkeys(VOWELS, "")})


class _Latin(dict[int, str]):
    """A `str.translate` table that calls anyascii once for each character it meets."""

    def __missing__(self, code: int) -> str:
        from anyascii import anyascii

        self[code] = anyascii(chr(code))
        return self[code]


_LATIN = _Latin()


def native_form(text: str) -> str:
    """The words of `text` in their own script, separated and enclosed by single spaces; "" where there are none."""
    parts = words(text)
    return f" {' '.join(parts)} " if parts else ""


def latin_form(text: str) -> str:
    """`native_form` transliterated to lower-case ASCII.

    >>> latin_form("Москва, 1980!")
    ' moskva 1980 '
    """
    return native_form(text).translate(_LATIN).lower()


def skeleton(latin: str) -> str:
    """A `latin_form` with the vowels dropped and like consonants folded; words left empty disappear.

    >>> skeleton(" moskva "), skeleton(" moscow ")
    (' mskf ', ' msk ')
    """
    for digraph, consonant in DIGRAPHS:
        latin = latin.replace(digraph, consonant)
    parts = latin.translate(SKELETON).split()
    return f" {' '.join(parts)} " if parts else ""


def count_ngrams(
    texts: Sequence[str], lengths: Sequence[int], width: int, salts: Sequence[str], *, within_words: bool = False
) -> csr_matrix:
    """How often each hashed n-gram occurs in each text: float32, shape (len(texts), width).

    `lengths` are the n-gram lengths, `width` a power of two, `salts` one word per text: the same n-gram under two salts
    is two features. An n-gram may begin and end with a space, and with `within_words` has none in between.
    """
    from scipy.sparse import csr_matrix

    if not texts:
        return csr_matrix((0, width), dtype=np.float32)
    joined = SEPARATOR.join(texts) + SEPARATOR
    codes = np.frombuffer(joined.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32).astype(np.uint64)
    sizes = np.fromiter((len(text) + 1 for text in texts), dtype=np.int64, count=len(texts))
    row_of = np.repeat(np.arange(len(texts), dtype=np.int64), sizes)
    left = np.repeat(np.cumsum(sizes) - 1, sizes) - np.arange(len(codes))
    salt = np.fromiter((zlib.crc32(word.encode()) for word in salts), dtype=np.uint64, count=len(texts))
    shift = np.uint64(64 - (width.bit_length() - 1))
    spaces = np.cumsum(codes == ord(" "))
    keys: list[npt.NDArray[np.int64]] = []
    rolling = np.zeros(len(codes), dtype=np.uint64)
    for n in range(1, max(lengths) + 1):
        rolling = rolling[: len(codes) - n + 1] * MULTIPLIER + codes[n - 1 :]
        if n not in lengths:
            continue
        starts = np.flatnonzero(left[: len(rolling)] >= n)
        if within_words and n > 2:
            starts = starts[spaces[starts + n - 2] == spaces[starts]]
        rows = row_of[starts]
        mixed = (rolling[starts] ^ (salt[rows] << np.uint64(20)) ^ np.uint64(n)) * MULTIPLIER
        mixed = (mixed ^ (mixed >> np.uint64(30))) * MIXER
        keys.append(rows * width + (mixed >> shift).astype(np.int64))
    features, counts = np.unique(np.concatenate(keys), return_counts=True)
    starts_of_rows = np.searchsorted(features, np.arange(len(texts) + 1, dtype=np.int64) * width)
    parts: Any = (counts.astype(np.float32), (features % width).astype(np.int32), starts_of_rows)
    return csr_matrix(parts, shape=(len(texts), width))


Folding = Literal["lsi", "esa"]
PARTS = ("data", "indices", "indptr")
"""The arrays of a sparse matrix in compressed rows."""
FLOOR = 1e-6
"""Directions with less than this share of the largest eigenvalue hold rounding errors only."""


def unit_rows(matrix: csr_matrix) -> csr_matrix:
    """The rows scaled to length 1; zero rows stay zero."""
    from scipy.sparse import csr_matrix

    lengths = np.sqrt(row_sums(matrix, matrix.data**2))
    scale = np.repeat(1.0 / np.where(lengths > 0, lengths, 1.0), np.diff(matrix.indptr))
    return csr_matrix(((matrix.data * scale).astype(np.float32), matrix.indices, matrix.indptr), shape=matrix.shape)


def row_sums(matrix: csr_matrix, values: FloatArray) -> npt.NDArray[np.float64]:
    """The sum of each row of `values`, one for each number that `matrix` stores: float64, shape (rows,).

    scipy's own sums and products allocate an array as wide as the matrix, which takes longer than a question's numbers.
    """
    rows = matrix.shape[0]
    summed = np.bincount(np.repeat(np.arange(rows), np.diff(matrix.indptr)), weights=values, minlength=rows)
    return np.asarray(summed, dtype=np.float64)


def unit_dense(matrix: FloatArray) -> FloatArray:
    """The rows scaled to length 1, float32; zero rows stay zero."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def inverse_document_frequency(occurrences: np.ndarray[Any, Any], texts: int) -> FloatArray:
    """log((1 + texts) / (1/2 + texts with the n-gram)), 0 for an n-gram in none; shape of `occurrences`."""
    frequency = np.minimum(occurrences, texts)
    return np.where(frequency > 0, np.log((1 + texts) / (0.5 + frequency)), 0.0).astype(np.float32)


def sublinear(counts: csr_matrix, idf: FloatArray) -> csr_matrix:
    """(1 + log count) x idf, not yet scaled; shape (texts, n-grams)."""
    weighted = counts.copy()
    weighted.data = ((1.0 + np.log(weighted.data)) * idf[weighted.indices]).astype(np.float32)
    return weighted


@dataclass(frozen=True)
class LatentSpace:
    """Sparse anchors, transposed, and the projection of similarities to them.

    Shapes (n-grams, anchors) and (anchors, dimensions). The anchors are made when first used: an answer from the cache
    needs none of them, nor scipy.
    """

    anchors: Callable[[], csr_matrix]
    projection: FloatArray

    @cached_property
    def anchors_transposed(self) -> csr_matrix:
        """The anchors. Raises DataError where their files are damaged."""
        return self.anchors()

    @property
    def dimensions(self) -> int:
        """The columns of the projection, at most as many as there are anchors."""
        return int(self.projection.shape[1])

    @classmethod
    def fit(cls, anchors: csr_matrix, dimensions: int, folding: Folding = "lsi") -> LatentSpace:
        """The space of `anchors` (unit rows), of `dimensions` or its rank, whichever is lower."""
        from scipy.linalg import eigh

        similarities = (anchors @ anchors.T).toarray().astype(np.float64)
        size = similarities.shape[0]
        first = max(0, size - dimensions)
        values, vectors = eigh(similarities, subset_by_index=(first, size - 1))
        values, vectors = values[::-1], vectors[:, ::-1]
        significant = values > FLOOR * values[0]
        values, vectors = values[significant], vectors[:, significant]
        # The sign of an eigenvector is arbitrary: fix it, so that two fits of the same anchors are the same space.
        signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))])
        scale = np.sqrt(values) if folding == "lsi" else np.ones_like(values)
        scaled = vectors * signs / scale
        return cls(lambda: anchors.T.tocsr(), scaled.astype(np.float32))

    def similarity(self, rows: csr_matrix) -> FloatArray:
        """That of `rows` (unit length) to each anchor, in [0, 1]: float32, shape (texts, anchors)."""
        return np.asarray((rows @ self.anchors_transposed).toarray(), dtype=np.float32)

    def project(self, similarity: FloatArray, sharpness: int = 1, *, row_by_row: bool = False) -> FloatArray:
        """Texts of this similarity to the anchors in the space: float32, shape (texts, dimensions).

        Raised to `sharpness` small similarities fade against the greatest. `row_by_row` multiplies one row at a time:
        the last digits of a matrix product depend on how many rows it has.
        """
        if sharpness > 1:
            greatest = similarity.max(axis=1, keepdims=True, initial=0.0)
            similarity = ((similarity / np.where(greatest > 0, greatest, 1.0)) ** sharpness).astype(np.float32)
        if row_by_row:
            projected = [row @ self.projection for row in similarity]
            return np.array(projected, dtype=np.float32).reshape(len(projected), self.dimensions)
        return np.asarray(similarity @ self.projection, dtype=np.float32)

    def save(self, directory: Path, name: str) -> None:
        """Writes `name`.*.npy into an existing directory."""
        np.save(directory / f"{name}.map.npy", self.projection, allow_pickle=False)
        for part in PARTS:
            np.save(directory / f"{name}.{part}.npy", getattr(self.anchors_transposed, part), allow_pickle=False)

    @classmethod
    def open(cls, directory: Path, name: str) -> LatentSpace:
        """The space that `save` wrote, memory-mapped. Raises DataError where the files are damaged."""
        data, indices, indptr = (load_array(directory / f"{name}.{part}.npy") for part in PARTS)
        projection = load_array(directory / f"{name}.map.npy")

        def anchors() -> csr_matrix:
            from scipy.sparse import csr_matrix

            try:
                return csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, len(projection)), copy=False)
            except (ValueError, TypeError, IndexError) as error:
                raise damaged_encoder(directory) from error

        return cls(anchors, projection)


def load_array(path: Path) -> FloatArray:
    """An array file, memory-mapped and without pickles. Raises DataError where it is missing or damaged."""
    try:
        loaded: FloatArray = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise damaged_encoder(path.parent) from error
    return loaded


def damaged_encoder(directory: Path) -> DataError:
    """The error for files in `directory` that do not make an encoder."""
    return DataError(f"The encoder in {shorten(directory)} is damaged. {HINT}")
