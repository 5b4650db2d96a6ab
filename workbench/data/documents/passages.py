"""What is found out about passages as they are added: an id that stays, a language, and which say nearly the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Self

import regex

from workbench.core import fingerprint
from workbench.languages import CODE, ENGLISH, Detector, is_known, language, parse_label, script_of, search_form

if TYPE_CHECKING:
    from datasketch import MinHash, MinHashLSH


DIGITS = 10
SEPARATORS = regex.compile(r"[\s|;,\"]+")
"""What separates ids in tables and lists, and so does not belong into one."""


class PassageIds:
    """Gives each passage of a corpus an id of its own; equal texts of a document are numbered.

    An id is the document's name and a digest of the text, so that it stays when the document changes elsewhere.
    """

    def __init__(self) -> None:
        """Has given none."""
        self._counts: Counter[str] = Counter()

    def next(self, document: str, text: str) -> str:
        """The id of the next passage of `document` with this `text`.

        >>> ids = PassageIds()
        >>> ids.next("a b.pdf", "x")[:8], ids.next("a b.pdf", "x")[-2:]
        ('a_b.pdf#', '.2')
        """
        digest = fingerprint("passage", [document, text])[:DIGITS]
        name = f"{SEPARATORS.sub('_', document)}#{digest}"
        self._counts[name] += 1
        return name if self._counts[name] == 1 else f"{name}.{self._counts[name]}"

    def copy(self) -> Self:
        """The same state, to go back to where a file was refused."""
        other = type(self)()
        other._counts = self._counts.copy()
        return other


SURE = 0.5
"""The confidence from which a passage's language counts whatever the rest of the document is in."""
READ = 2_000
"""Characters of a passage that are read."""


@dataclass
class PassageLanguages:
    """The language of each passage of one document: as stated, else as detected, else that of the document so far.

    `stated` is the language that people gave for the document (“”: none), which is not questioned; `hint` is what its
    file states. `doubtful` counts passages whose language was not detected surely.
    """

    detector: Detector
    stated: str = ""
    hint: str = ""
    doubtful: int = 0
    _counts: Counter[str] = field(default_factory=Counter)

    def language_of(self, text: str) -> str:
        """The passage's language, an ISO 639 code. Mixed documents keep a language for each passage."""
        if self.stated:
            return self.stated
        detection = self.detector.detect(text, length=READ)
        if detection.language and detection.confidence >= SURE and is_known(detection.language):
            self._counts[detection.language] += 1
            return detection.language
        self.doubtful += 1
        usual = [code for code, _ in self._counts.most_common()]
        script = detection.script or script_of(text)
        candidates = [*usual, *([self.hint] if self.hint else []), detection.language]
        fitting = [code for code in candidates if code and (not script or script in language(code).letter_scripts)]
        return next(iter([*fitting, *filter(None, candidates)]), ENGLISH)


def language_hint(text: str) -> str:
    """The code of a language as a file states it (“hi-IN”, “zh_CN”, “deu”), “” for what names none."""
    label = parse_label(text)
    return label.language if label and CODE.fullmatch(label.language) else ""


GRAM = 5
PERMUTATIONS = 64
SIMILARITY = 0.85
PASSAGES_LIMIT = 200_000
"""Passages that are compared; about 1.5 KB each. Later ones are not."""
SHORT_MARK = "\\0"


class DuplicatePair(NamedTuple):
    """Two passages, by id, and their estimated similarity in 0 to 1; `first` came first."""

    first: str
    second: str
    similarity: float


class NearDuplicates:
    """Finds passages that say nearly the same as one before: MinHash over character 5-grams of the normalised text.

    Character n-grams serve every script; words between white space would make one token of a Chinese passage. Broder
    (1997) for the estimate, by datasketch; pairs count from an estimated Jaccard similarity of `SIMILARITY`.
    """

    def __init__(self) -> None:
        """Knows no passage yet."""
        from datasketch import MinHashLSH

        self._index: MinHashLSH = MinHashLSH(threshold=SIMILARITY, num_perm=PERMUTATIONS)
        self._hashes: dict[str, MinHash] = {}

    @property
    def is_full(self) -> bool:
        """Whether so many passages came that further ones are not compared."""
        return len(self._hashes) >= PASSAGES_LIMIT

    def add(self, passage_id: str, text: str) -> DuplicatePair | None:
        """The earlier passage most like `text`, None where none is alike; `text` is compared with later ones then."""
        if self.is_full or passage_id in self._hashes:
            return None
        value = _min_hash(text)
        pairs = [
            DuplicatePair(str(name), passage_id, float(value.jaccard(self._hashes[str(name)])))
            for name in self._index.query(value)
        ]
        best = max(pairs, key=lambda pair: pair.similarity, default=None)
        if best is not None and best.similarity >= SIMILARITY:
            return best
        self._index.insert(passage_id, value)
        self._hashes[passage_id] = value
        return None


def grams(text: str) -> Iterator[str]:
    """The character 5-grams of the normalised text, without its white space; a shorter text is one marked gram.

    The mark keeps a text of three letters from being like any but its equals.
    """
    letters = "".join(search_form(text).split())
    if len(letters) < GRAM:
        yield f"{SHORT_MARK}{letters}"
        return
    yield from (letters[start : start + GRAM] for start in range(len(letters) - GRAM + 1))


def _min_hash(text: str) -> MinHash:
    from datasketch import MinHash

    value = MinHash(num_perm=PERMUTATIONS)
    value.update_batch([gram.encode("utf-8", "replace") for gram in set(grams(text))])
    return value
