"""How near sentences are to a question, token by token: late interaction, after Khattab and Zaharia (2020, ColBERT).

A vector of a whole sentence says what it is about; it loses which name or number it has. So each token of the question
looks for the token nearest to it in a sentence, in the states of the encoder's last layer, and the mean of these
cosines, weighed by how rare the question's tokens are, is the sentence's. The passage is encoded as a whole: a pronoun
knows whom it stands for. Beside it stands the cosine of the sentence's own vector. Both are centred: a language's mean
is taken away, and English's too, since what all texts have in common says nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
import numpy.typing as npt

from workbench.core import Encoder, FloatArray, Passage, Query, component, fingerprint
from workbench.retrieval.encoders.language_means import LanguageMeans
from workbench.retrieval.encoders.vector_cache import BlobFile, ByteVectors, text_digest

COMMON, LEAST_WEIGHT = 3.0, 0.3
"""What is taken from a token's rarity (a full stop has 3.6, a name 14), and the least that is left; it is squared."""
MOST_ENCODED = 64
"""Sentences whose vectors are compared for one question."""
KEPT_TOKENS, KEPT_BYTES = 60_000, 1 << 29
"""Tokens of passages whose vectors are kept in memory, at 388 bytes: those of some 400 passages. What the vectors take
on disk, of some 9,000 passages."""
VERSION = 1
"""Of the file that they are kept in."""


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The tokens of a text.

    `vectors` float32 unit rows, shape (tokens, dimensions); `spans` int64, shape (tokens, 2), the characters of the
    text that each stands for; `rarity` float32, shape (tokens,), minus the log-probability of the token in any text.
    """

    vectors: FloatArray
    spans: npt.NDArray[np.int64]
    rarity: FloatArray


class TokenEncoder(Encoder, Protocol):
    """An encoder that also gives the vectors of tokens in their text."""

    def question_tokens(self, question: Query) -> TokenVectors:
        """Those of a question."""
        ...

    def passage_tokens(self, passages: Sequence[Passage]) -> list[TokenVectors]:
        """Those of each passage's title, whose spans are negative, and text."""
        ...

    def rarity(self, word: str) -> float:
        """Minus the log-probability of a word that is one token, infinite for another."""
        ...


Span = tuple[int, int]
PassageTokens = tuple[ByteVectors, npt.NDArray[np.int64]]
"""The tokens of a passage, centred, and their spans."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A sentence's to a question, in [-1, 1]: of their vectors, and of the question's tokens to the nearest ones.

    `vector` is the sentence's, a centred unit row; None where it was not encoded.
    """

    sentence: float
    tokens: float
    vector: FloatArray | None = field(default=None, compare=False)


class LateInteraction:
    """Compares questions with the sentences of passages, in any of the encoder's languages. Safe to share."""

    def __init__(
        self, encoder: Encoder, tokens: TokenEncoder, means: LanguageMeans, folder: Path | None = None
    ) -> None:
        """`encoder` gives the vectors of sentences (it may keep them), `tokens` those of tokens, in the same space.

        Those of passages are kept in a file in `folder`.
        """
        self._encoder = encoder
        self._tokens = tokens
        self._means = means
        name = fingerprint("tokens", [self.identity, VERSION])
        self._file = folder and BlobFile(folder / f"{name}.db", KEPT_BYTES)
        self._kept: OrderedDict[tuple[str, str], PassageTokens] = OrderedDict()
        self._lock = Lock()

    @cached_property
    def identity(self) -> str:
        """Names the encoder and the table of means."""
        return component("late-interaction", encoder=self._tokens.identity, means=self._means.fingerprint_apart)

    def is_ordinary(self, word: str) -> bool:
        """Whether texts in any language write a word with a small letter more often than with a capital."""
        return self._tokens.rarity(word.lower()) < self._tokens.rarity(word)

    def likenesses(
        self, question: Query, passages: Sequence[Passage], sentences: Sequence[Sequence[Span]]
    ) -> list[list[Likeness]]:
        """For each passage that of each of its `sentences`, spans of its text.

        Only the MOST_ENCODED likest by their tokens are encoded by themselves; others have the least of their cosines.
        """
        question_tokens = self._tokens.question_tokens(question)
        of_question = self._means.centred_apart(
            question_tokens.vectors, [question.language] * len(question_tokens.vectors)
        )
        weights = np.maximum(question_tokens.rarity - COMMON, LEAST_WEIGHT) ** 2
        weights = weights / max(float(weights.sum()), LEAST_WEIGHT**2)
        tokens: list[float] = []
        for (vectors, spans), parts in zip(self._of_passages(passages), sentences, strict=True):
            nearness = of_question @ vectors.vectors.T
            # A sentence seldom names what its document is about.
            of_title = np.maximum.reduce(nearness[:, spans[:, 1] <= 0], axis=1, initial=-1.0)
            for start, end in parts:
                is_inside = (spans[:, 0] < end) & (spans[:, 1] > start)
                near = np.maximum(np.maximum.reduce(nearness[:, is_inside], axis=1, initial=-1.0), of_title)
                tokens.append(float(weights @ near) if is_inside.any() else 0.0)
        pairs = zip(passages, sentences, strict=True)
        texts = [sentence_of(passage, span) for passage, spans in pairs for span in spans]
        places = np.sort(np.argsort(-np.array(tokens), kind="stable")[:MOST_ENCODED]).tolist()
        vectors_of = dict(zip(places, self._sentence_vectors([texts[place] for place in places]), strict=True))
        question_vector = self._means.centred_apart(self._encoder.encode_queries([question]), [question.language])[0]
        cosines = {place: float(vector @ question_vector) for place, vector in vectors_of.items()}
        least = min(cosines.values(), default=0.0)
        of_all = iter(
            [Likeness(cosines.get(place, least), near, vectors_of.get(place)) for place, near in enumerate(tokens)]
        )
        return [list(islice(of_all, len(parts))) for parts in sentences]

    def _sentence_vectors(self, passages: Sequence[Passage]) -> FloatArray:
        """Centred unit rows, one for each passage."""
        vectors = self._encoder.encode_passages(passages)
        return self._means.centred_apart(vectors, [passage.language for passage in passages])

    def _of_passages(self, passages: Sequence[Passage]) -> list[PassageTokens]:
        """The centred tokens of each passage, and their spans; those that are not kept are computed at once."""
        keys = [(passage.language, passage.searchable) for passage in passages]
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        missing = {key: passage for key, passage in zip(keys, passages, strict=True) if key not in known}
        if missing:
            known |= self._read(missing)
        with self._lock:
            self._kept.update((key, known[key]) for key in missing)
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
            while missing and sum(len(vectors) for vectors, _ in self._kept.values()) > KEPT_TOKENS:
                self._kept.popitem(last=False)
        return [known[key] for key in keys]

    def _read(self, passages: Mapping[tuple[str, str], Passage]) -> dict[tuple[str, str], PassageTokens]:
        """The tokens of passages that are not in memory: from the file, else computed and kept there."""
        digests = {key: text_digest("\x1f".join(key)) for key in passages}
        blobs = self._file.get(list(digests.values())) if self._file else {}
        kept = {key: _unpacked(blobs.get(digest, b""), self._tokens.dimensions) for key, digest in digests.items()}
        read = {key: tokens for key, tokens in kept.items() if tokens is not None}
        missing = [key for key in passages if key not in read]
        if missing:
            computed = self._tokens.passage_tokens([passages[key] for key in missing])
            for key, item in zip(missing, computed, strict=True):
                centred = self._means.centred_apart(item.vectors, [key[0]] * len(item.vectors))
                # Rounded in any case, so that it makes no difference whether they were kept.
                read[key] = ByteVectors.of(centred), item.spans
            if self._file:
                self._file.put((digests[key], _packed(*read[key])) for key in missing)
        return read


def _packed(vectors: ByteVectors, spans: npt.NDArray[np.int64]) -> bytes:
    return vectors.scales.tobytes() + spans.astype(np.int32).tobytes() + vectors.steps.tobytes()


def _unpacked(data: bytes, dimensions: int) -> PassageTokens | None:
    count, rest = divmod(len(data), dimensions + 12)
    if rest or not data:
        return None
    scales = np.frombuffer(data, np.float32, count)
    spans = np.frombuffer(data, np.int32, 2 * count, 4 * count).reshape(count, 2).astype(np.int64)
    return ByteVectors(np.frombuffer(data, np.int8, offset=12 * count).reshape(count, dimensions), scales), spans


def sentence_of(passage: Passage, span: Span) -> Passage:
    """The sentence as an index of sentences encodes it: a passage without a title."""
    return replace(passage, title="", text=passage.text[slice(*span)])
