"""Components made by the name that a recipe gives them.

Making one loads nothing heavy: weights are read when a component is first used. Components are cached, so that a
model is loaded once per process.

An encoder that ships no language means gets those of the sample's parallel sentences, computed once and kept. A mean is
level from some twenty sentences on. A language that the sample does not have gets the mean of those it has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from workbench.components.adapter import Reference, Surroundings
from workbench.components.endpoint_file import endpoint_named_in
from workbench.components.references import adapter_of, reference
from workbench.core import Encoder, FloatArray, Generator, Passage, Reranker, Role, Translator, UsageError, fingerprint
from workbench.data import aligned_sentences, fingerprint as sample_fingerprint
from workbench.languages import ENGLISH
from workbench.models import JUDGE_LIMITS, TokenLimits
from workbench.pipeline import BUILTIN, DEFAULT_ENCODER
from workbench.retrieval import LanguageMeans, LateInteraction, SparseEncoder

FOLDER = "language-means"
SENTENCES = 100
"""Sentences of each language, each beside its English original."""


def sample_means(encoder: Encoder, home: Path) -> LanguageMeans:
    """The means of this encoder's languages; kept in the workspace `home`. Raises what the encoder raises."""
    name = fingerprint("means", [encoder.identity, sample_fingerprint(), SENTENCES])
    path = home / FOLDER / f"{name}.npz"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        LanguageMeans(_differences(encoder)).save(path)
    return LanguageMeans.open(path)


def _differences(encoder: Encoder) -> dict[str, FloatArray]:
    """By language, the mean over its sentences of the vector less that of the English original."""
    pairs: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for group in aligned_sentences():
        texts = dict(group)
        for language, text in texts.items():
            if language != ENGLISH and len(pairs[language]) < SENTENCES:
                pairs[language].append((text, texts[ENGLISH]))
    return {
        language: np.mean(
            _encoded(encoder, language, [text for text, _ in each])
            - _encoded(encoder, ENGLISH, [english for _, english in each]),
            axis=0,
        ).astype(np.float32)
        for language, each in pairs.items()
    }


def _encoded(encoder: Encoder, language: str, texts: Sequence[str]) -> FloatArray:
    return encoder.encode_passages(
        [Passage(f"{language}{place}", "", "", language, text) for place, text in enumerate(texts)]
    )


CACHED = 4
"""Components of each kind that are cached at once; each may keep a model in memory."""

Component = TypeVar("Component")
Make = Callable[[str, Path], Component]


class EncoderSpread(Protocol):
    """Who encodes the passages of an index: other processes, which make the encoder by its name as this one does."""

    def dense(self, name: str, centring: float, encoder: Encoder) -> Encoder:
        """What encodes in place of `encoder`, which is `centred_encoder(name, centring)`. Raises UsageError."""

    def sparse(self, name: str, encoder: SparseEncoder) -> SparseEncoder:
        """What encodes in place of `encoder`, which is `sparse_encoder(name)`. Raises UsageError."""


def _cached(make: Make[Component]) -> Make[Component]:
    """Caches what `make` returns by name and by the name's current endpoint; if that changes, it is made anew."""

    @lru_cache(maxsize=CACHED)
    def make_once(name: str, home: Path, _endpoint: object) -> Component:
        return make(name, home)

    @wraps(make)
    def cached(name: str, home: Path) -> Component:
        return make_once(name, home, endpoint_named_in(name, home))

    return cached


@_cached
def dense_encoder(name: str, home: Path) -> Encoder:
    """The dense encoder `name`. Raises UsageError for another kind, MissingError where it is not on this machine."""
    target = reference(name, "encoder")
    adapter = adapter_of(target, "encoder")
    maker = adapter.encoder
    if maker is None and adapter.sparse_encoder is None:
        raise UsageError(
            f"“{name}” is fitted to a corpus and encodes no other texts: choose another encoder, for example: bge-m3"
        )
    if maker is None:
        raise UsageError(
            f"“{name}” gives sparse vectors: choose the retriever sparse with it.", command="Type: --retriever sparse"
        )
    return maker(target, surroundings(home))


@_cached
def sparse_encoder(name: str, home: Path) -> SparseEncoder:
    """The encoder of learned sparse vectors `name`. Raises UsageError for another kind, MissingError."""
    target = reference(name, "encoder")
    maker = adapter_of(target, "encoder").sparse_encoder
    if maker is None:
        raise UsageError(
            f"“{name}” gives dense vectors only: choose the retriever dense or hybrid with it, or the encoder bge-m3 "
            "or splade-v3."
        )
    return maker(target, surroundings(home))


@_cached
def reranker(name: str, home: Path) -> Reranker:
    """The reranker `name`. Raises UsageError, MissingError."""
    target = reference(name, "reranker")
    return _required(adapter_of(target, "reranker").reranker, target, "reranker")(target, surroundings(home))


@_cached
def translator(name: str, home: Path) -> Translator:
    """The translator `name`; the built-in one learns into the workspace. Raises UsageError, MissingError."""
    target = reference(name, "translator")
    return _required(adapter_of(target, "translator").translator, target, "translator")(target, surroundings(home))


def judge(name: str, home: Path) -> Generator:
    """The generator `name`, with room to think before a verdict. Raises UsageError, MissingError."""
    return generator(name, home, limits=JUDGE_LIMITS)


def generator(name: str, home: Path, translator_name: str = BUILTIN, limits: TokenLimits | None = None) -> Generator:
    """The generator `name` within `limits`; the built-in reader translates with `translator_name`.

    Raises UsageError, MissingError.
    """
    limits = limits or TokenLimits()
    target = reference(name, "generator")
    adapter = adapter_of(target, "generator")
    if adapter.takes_model:
        return _generator(name, home, limits, (endpoint_named_in(name, home), adapter.version(target, home)))
    maker = _required(adapter.generator, target, "generator")
    return maker(target, surroundings(home, translator_name, limits))


@lru_cache(maxsize=2 * CACHED)
def _generator(name: str, home: Path, limits: TokenLimits, _version: object) -> Generator:
    target = reference(name, "generator")
    maker = _required(adapter_of(target, "generator").generator, target, "generator")
    return maker(target, surroundings(home, limits=limits))


@lru_cache(maxsize=2 * CACHED)
def centred_encoder(name: str, strength: float, home: Path) -> Encoder:
    """The dense encoder `name`, centred by language with `strength`, in [0, 1]. Raises as `dense_encoder` does.

    The means are those that ship with the encoder, else those of the sample's parallel sentences, computed once.
    """
    from workbench.retrieval import CentredEncoder, LanguageMeans

    encoder = dense_encoder(name, home)
    if not strength:
        return encoder
    shipped = adapter_of(reference(name, "encoder"), "encoder").language_means
    return CentredEncoder(encoder, LanguageMeans.open(shipped) if shipped else sample_means(encoder, home), strength)


@lru_cache(maxsize=CACHED)
def late_interaction(home: Path) -> LateInteraction | None:
    """Compares questions and sentences across languages by the default encoder; None without its package."""
    from workbench.retrieval import FOLDER, E5SmallEncoder

    means = adapter_of(reference(DEFAULT_ENCODER, "encoder"), "encoder").language_means
    if means is None:
        return None
    encoder = dense_encoder(DEFAULT_ENCODER, home)
    return LateInteraction(encoder, E5SmallEncoder(), LanguageMeans.open(means), home / FOLDER)


def surroundings(home: Path, translator_name: str = BUILTIN, limits: TokenLimits | None = None) -> Surroundings:
    """What components of a workspace are made with."""
    return Surroundings(
        home,
        lambda name, within: generator(name, home, limits=within),
        lambda: translator(translator_name, home),
        lambda: late_interaction(home),
        limits or TokenLimits(),
    )


def _required(maker: Component | None, target: Reference, role: Role) -> Component:
    # `reference` refuses a name whose adapter does not serve the role, so this cannot happen through a recipe.
    if maker is None:
        raise UsageError(f"The adapter {target.adapter} does not serve as {role}.")
    return maker
