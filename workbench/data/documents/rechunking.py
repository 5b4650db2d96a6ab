"""A sister corpus: the documents of another corpus by another chunking, and where golds of questions are in it.

A corpus keeps passages, not the texts that they were cut from. What was left out between two of them is lost: they are
joined by a blank, by nothing inside a script without spaces, and by an empty line where another heading begins, so
paragraphs within a document are not those of its file. Where the passages of a document overlap, the longest end of one
that the next begins with is in the text once. A *stretch* is what can be joined: consecutive rows of one document whose
positions follow each other. Where a passage is missing, as a near-duplicate that was left out, another stretch begins,
so that no new passage runs over the gap.

The sister's passages state where they come from: a passage's id is that of the stretch's first passage, with where it
begins and ends in the stretch's text. Language, pages and heading are those of the passages that it is cut from; where
these are in several languages, it is in the one that most of its characters are in.

A gold passage of the original corpus becomes those passages of the sister which overlap it in the document's text and,
where some of the overlapping parts hold a gold answer, only those. Why: what was judged relevant is the gold passage's
text, so a new passage without any of it was never judged; and of a long gold passage that is cut into small ones only
the part with the answer still answers the question. Only the overlapping part is looked at, not the rest of a new
passage: the answer may stand there in a text that nobody judged. Where no part holds the answer, as for one in other
words or one that is cut in two, all that overlap are gold. "Holds" is flexible exact match
(`metrics.answers.flexible_em`), as it counts answers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import regex

from workbench.core import Passage, UsageError, fingerprint, page_key
from workbench.data.corpora.build import REFIT_SHARE, CorpusManifest, Progress, Rechunking, quiet, write_manifest
from workbench.data.corpora.corpus import Corpus
from workbench.data.corpora.corpus_library import CorpusLibrary, checked_name
from workbench.data.documents.chunking import BUFFER, SEPARATOR, ChunkMethod, Span, Splitter, chunk_method, splitter_of
from workbench.languages import SPACELESS, is_known, language
from workbench.metrics import flexible_em
from workbench.workspace import verb

LEAST_OVERLAP = 16
"""Characters from which what two passages share counts as repeated: fewer are often alike by chance."""
MOST_OVERLAP = 20_000
SPACELESS_SIDE = regex.compile(rf"[{SPACELESS}\p{{Po}}\p{{Ps}}\p{{Pe}}]")
SPACELESS_LETTER = regex.compile(rf"[{SPACELESS}]")


@dataclass(frozen=True)
class Stretch:
    """Passages of a document that follow each other."""

    passages: tuple[Passage, ...]

    @property
    def name(self) -> str:
        """The id of its first passage, which no other stretch of the corpus has."""
        return self.passages[0].id

    @cached_property
    def _joined(self) -> tuple[str, tuple[Span, ...]]:
        return _join(self.passages)

    @property
    def text(self) -> str:
        """The text of the passages together."""
        return self._joined[0]

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where each passage begins and ends in the text, in characters, without white space around it."""
        return self._joined[1]


def stretches(rows: Iterable[tuple[int, Passage]]) -> Iterator[Stretch]:
    """The stretches of passages with their rows, ascending; one document is in memory at a time."""
    members: list[Passage] = []
    last = -1
    for row, passage in rows:
        before = members[-1] if members else None
        follows = (
            before is not None
            and row == last + 1
            and passage.document == before.document
            and passage.position == before.position + 1
        )
        if members and not follows:
            yield Stretch(tuple(members))
            members = []
        members.append(passage)
        last = row
    if members:
        yield Stretch(tuple(members))


def new_spans(text: str, splitter: Splitter, *, buffer: int = BUFFER) -> Iterator[Span]:
    """The spans of `text` by a splitter, a buffer at a time, as files are split; nothing but white space is left out.

    White space around a span is not part of it.
    """
    begin, covered = 0, 0
    while True:
        spans, end = _of_buffer(text, begin, splitter, buffer)
        is_last = end == len(text)
        for start, stop in spans if is_last else spans[:-1]:
            # What a splitter passed over belongs to the next span: an answer may be in it.
            start = covered if text[covered:start].strip() else start
            span = _trimmed(text, start, stop)
            if span[1] > span[0]:
                yield span
            covered = max(covered, stop)
        if is_last:
            break
        begin = spans[-1][0]
    if text[covered:].strip():
        yield _trimmed(text, covered, len(text))


def _of_buffer(text: str, begin: int, splitter: Splitter, buffer: int) -> tuple[Sequence[Span], int]:
    """The spans of a buffer of `text`, and where it ends: as many characters as two spans need."""
    size = buffer
    while True:
        end = min(begin + size, len(text))
        spans = [(begin + start, begin + stop) for start, stop in splitter(text[begin:end])]
        if end == len(text) or (len(spans) > 1 and spans[-1][0] > begin):
            return spans, end
        size *= 2


def _trimmed(text: str, start: int, end: int) -> Span:
    span_text = text[start:end]
    return start + len(span_text) - len(span_text.lstrip()), end - (len(span_text) - len(span_text.rstrip()))


def _join(passages: Sequence[Passage]) -> tuple[str, tuple[Span, ...]]:
    texts = [passage.text.strip() for passage in passages]
    repeated = _overlaps(texts)
    joined: list[str] = []
    spans: list[Span] = []
    size = 0
    for number, (passage, text) in enumerate(zip(passages, texts, strict=True)):
        shared = repeated[number - 1] if number else 0
        if number and not shared:
            separator = _separator(passages[number - 1], passage)
            joined.append(separator)
            size += len(separator)
        joined.append(text[shared:])
        spans.append((size - shared, size - shared + len(text)))
        size += len(text) - shared
    return "".join(joined), tuple(spans)


def _overlaps(texts: Sequence[str]) -> list[int]:
    """How many characters each text but the first repeats of the one before it.

    All 0 where fewer than half of the joints are alike: in such a document what is alike is a repetition of its own.
    """
    shared = [_shared(one, other) for one, other in pairwise(texts)]
    return shared if 2 * sum(map(bool, shared)) >= len(shared) else [0] * len(shared)


def _shared(one: str, other: str) -> int:
    """The length of the longest end of `one` that `other` begins with, 0 below LEAST_OVERLAP."""
    beginning = other[:LEAST_OVERLAP]
    if len(beginning) < LEAST_OVERLAP:
        return 0
    # The earliest place is the longest overlap; that of the complete text would be no overlap of neighbours.
    position = one.find(beginning, max(1, len(one) - MOST_OVERLAP))
    while position >= 0:
        shared = len(one) - position
        if shared < len(other) and other.startswith(one[position:]):
            return shared
        position = one.find(beginning, position + 1)
    return 0


def _separator(before: Passage, after: Passage) -> str:
    if before.heading != after.heading:
        return SEPARATOR
    left, right = before.text.rstrip()[-1:], after.text.lstrip()[:1]
    sides = [SPACELESS_SIDE.fullmatch(sign) for sign in (left, right)]
    letters = [SPACELESS_LETTER.fullmatch(sign) for sign in (left, right)]
    return "" if all(sides) and any(letters) else " "


UNTITLED = "-untitled"
"""How the name of a chunking ends whose passages do without the document's title."""


class Origin(NamedTuple):
    """Where a passage of a sister corpus comes from: the name of its stretch, and its span in that text."""

    stretch: str
    start: int
    end: int


def checked_chunking(name: str) -> str:
    """The chunking's name in its usual form. Raises UsageError for an unknown way of splitting.

    >>> checked_chunking("tokens-512-50-untitled")
    'tokens-512-50-untitled'
    """
    method, with_title = _parsed(name)
    return method.name + ("" if with_title else UNTITLED)


def sister_name(corpus: str, chunking: str) -> str:
    """The name that a corpus split anew has where nobody gives it another.

    >>> sister_name("sample", "tokens-512-50")
    'sample-tokens-512-50'
    """
    return f"{corpus}-{chunking}"


def find_sister(library: CorpusLibrary, corpus: str, chunking: str) -> Corpus:
    """The sister of a corpus by a chunking. Raises UsageError where there is none, or the corpus changed since."""
    original = library.open(corpus)
    name = original.manifest.name
    sisters = [item for item in library.list() if _is_sister(library, item, name, chunking)]
    command = f"corpora rechunk {name} --chunking {chunking}"
    if not sisters:
        raise UsageError(f"The corpus “{name}” has not been split by {chunking}.", command=f"Split it first: {command}")
    usual = sister_name(name, chunking)
    manifest = max(sisters, key=lambda sister: (_is_of(sister, original.manifest), sister.name == usual))
    if not _is_of(manifest, original.manifest):
        raise UsageError(
            f"The corpus “{name}” changed since it was split by {chunking} as “{manifest.name}”.",
            command=f"Split it again: {command} --as {manifest.name}",
        )
    return library.open(manifest.name)


@verb("corpora.add", "{corpus}")
def rechunk(
    library: CorpusLibrary, corpus: str, chunking: str, name: str = "", *, progress: Progress = quiet
) -> CorpusManifest:
    """Splits the documents of a corpus anew into a sister corpus called `name`; returns the sister's manifest.

    A sister that is there already takes the documents that changed since, as long as they are few; otherwise it is
    built anew. The passages are a stream: one document is in memory at a time. Raises UsageError for an unknown corpus
    or chunking, and for a name that another corpus has.
    """
    usual = checked_chunking(chunking)
    original = library.open(corpus, progress)
    manifest = original.manifest
    name = checked_name(name or sister_name(manifest.name, usual), "corpus")
    existing = next((item for item in library.list() if item.name == name), None)
    if name == manifest.name or (existing and not _is_sister(library, existing, manifest.name, usual)):
        raise UsageError(
            f"A corpus “{name}” already exists, and is not “{manifest.name}” split by {usual}. Choose another name.",
            command=f"For example: --as {name[:60]}-2",
        )
    rechunking = Rechunking(corpus=manifest.name, fingerprint=manifest.fingerprint, chunking=usual)
    passages = _Splitting(original, usual)
    if existing and _is_of(existing, manifest):
        return existing
    if existing and (changes := _changes(library.open(name), passages)) is not None:
        changed, gone = changes
        if changed:
            library.add_documents(name, passages(changed), replaces=True, in_all_languages=True)
        if gone:
            library.remove_documents(name, gone)
        return _marked(library, name, rechunking)
    return library.add(
        name,
        passages(),
        source=f"{manifest.name}, split by {usual}: {manifest.source}",
        licence=manifest.licence,
        progress=progress,
        rechunking=rechunking,
    )


def split_stretch(stretch: Stretch, splitter: Splitter, *, with_title: bool = True) -> list[Passage]:
    """The passages of a stretch's text by a splitter, in order, linked with each other."""
    spans = list(dict.fromkeys(new_spans(stretch.text, splitter)))
    ids = [f"{stretch.name}@{start}-{end}" for start, end in spans]
    neighbours = zip(["", *ids], [*ids[1:], ""], strict=False)
    return [
        _passage(stretch, span, name, number, before, after, with_title)
        for number, (span, name, (before, after)) in enumerate(zip(spans, ids, neighbours, strict=True))
    ]


def origin_of(passage_id: str) -> Origin | None:
    """Where the passage with an id comes from; None for one that was not made by splitting anew.

    >>> origin_of("report.pdf#1f@0-512")
    Origin(stretch='report.pdf#1f', start=0, end=512)
    """
    stretch, _, span = passage_id.rpartition("@")
    start, dash, end = span.partition("-")
    if not (stretch and dash and start.isascii() and start.isdigit() and end.isascii() and end.isdigit()):
        return None
    return Origin(stretch, int(start), int(end))


class _Splitting:
    """A corpus's passages by another chunking, as often as they are needed."""

    def __init__(self, corpus: Corpus, chunking: str) -> None:
        method, self._with_title = _parsed(chunking)
        self._splitter = splitter_of(method)
        self._corpus = corpus

    def __call__(self, documents: Iterable[str] | None = None) -> Iterator[Passage]:
        """All passages, or those of some documents, in the order of the corpus."""
        names = None if documents is None else set(documents)
        for stretch in stretches(self._corpus.table.numbered()):
            if names is None or stretch.passages[0].document in names:
                yield from split_stretch(stretch, self._splitter, with_title=self._with_title)


def _changes(sister: Corpus, passages: Callable[[], Iterator[Passage]]) -> tuple[list[str], list[str]] | None:
    """The documents that are new or differ now, and those that are gone; None where building anew is better."""
    now, before = _contents(passages()), _contents(sister.table)
    changed = [name for name, content in now.items() if before.get(name) != content]
    if len(changed) > REFIT_SHARE * len(now) or sister.manifest.shall_refit or sister.manifest.shall_compact:
        return None
    return changed, [name for name in before if name not in now]


def _marked(library: CorpusLibrary, name: str, rechunking: Rechunking) -> CorpusManifest:
    """States in the manifest which version of the other corpus this sister is of now: last, so a kill leaves it old."""
    with library.changing(name):
        corpus = library.open(name)
        manifest = corpus.manifest.model_copy(update={"rechunking": rechunking})
        write_manifest(corpus.folder.parent, manifest)
    return manifest


def _contents(passages: Iterable[Passage]) -> dict[str, int]:
    """A number for all passages of each document, whatever their order."""
    sums: defaultdict[str, int] = defaultdict(int)
    for passage in passages:
        content = [getattr(passage, name) for name in Passage.__slots__]
        sums[passage.document] ^= int(fingerprint("passage", content), 16)
    return sums


def _passage(
    stretch: Stretch, span: Span, name: str, number: int, before: str, after: str, with_title: bool
) -> Passage:
    sources = [
        (passage, min(passage_span[1], span[1]) - max(passage_span[0], span[0]))
        for passage, passage_span in zip(stretch.passages, stretch.spans, strict=True)
        if passage_span[0] < span[1] and span[0] < passage_span[1]
    ] or [(stretch.passages[0], 0)]
    languages: Counter[str] = Counter()
    for passage, characters in sources:
        languages[passage.language] += characters
    first, last = sources[0][0], sources[-1][0]
    return Passage(
        name,
        first.document,
        first.title if with_title else "",
        languages.most_common(1)[0][0],
        stretch.text[slice(*span)],
        stretch.passages[0].position + number,
        before,
        after,
        _group(stretch, span),
        first.page,
        last.page_end,
        first.heading,
    )


def _group(stretch: Stretch, span: Span) -> str:
    """The group of translations: that of the complete stretch, or of the very passage; "" for any other cut."""
    groups = {passage.group for passage in stretch.passages}
    if len(groups) == 1 and len(stretch.passages) > 1:
        return groups.pop()
    same = [
        passage.group
        for passage, passage_span in zip(stretch.passages, stretch.spans, strict=True)
        if passage_span == span
    ]
    return same[0] if same else ""


def _parsed(name: str) -> tuple[ChunkMethod, bool]:
    usual = name.strip()
    return chunk_method(usual.removesuffix(UNTITLED)), not usual.endswith(UNTITLED)


def _is_sister(library: CorpusLibrary, manifest: CorpusManifest, corpus: str, chunking: str) -> bool:
    of = manifest.rechunking
    return of is not None and of.chunking == chunking and library.present_name(of.corpus) == corpus


def _is_of(manifest: CorpusManifest, original: CorpusManifest) -> bool:
    return manifest.rechunking is not None and manifest.rechunking.fingerprint == original.fingerprint


def sisters_of(library: CorpusLibrary, corpus: str) -> Sequence[str]:
    """The chunkings that a corpus was split by, as it is now, in order."""
    manifests = library.list()
    original = next((manifest for manifest in manifests if manifest.name == corpus), None)
    if original is None:
        return ()
    sisters = (manifest.rechunking for manifest in manifests if _is_of(manifest, original))
    return tuple(sorted({sister.chunking for sister in sisters if sister is not None}))


MAPPING_VERSION = 1
"""The definition of mapped golds, which results of one experiment must share."""


@dataclass(frozen=True, slots=True)
class NewPassage:
    """A passage of the sister corpus with where it comes from."""

    id: str
    origin: Origin


class GoldMap:
    """Where the passages of a corpus are in its sister. Reads the documents of the passages that it is made for."""

    def __init__(self, original: Corpus, sister: Corpus, passages: Collection[str]) -> None:
        """`passages` are the ids that will be mapped; unknown ones are allowed."""
        rows = original.lexical.rows_of(passages)
        documents = {passage.document for passage in original.table.passages(list(rows.values()))}
        all_rows = original.table.rows_of_documents(documents)
        self._places: dict[str, tuple[Stretch, int]] = {}
        for stretch in stretches(zip(all_rows, original.table.passages(all_rows), strict=True)):
            for number, passage in enumerate(stretch.passages):
                if passage.id in rows:
                    self._places[passage.id] = stretch, number
        self._new: Mapping[str, list[NewPassage]] = _by_stretch(
            sister.table.passages(sister.table.rows_of_documents(documents))
        )

    def map(self, passages: Sequence[str], answers: Sequence[str]) -> tuple[str, ...]:
        """The ids in the sister corpus of what answers a question, in order, each once.

        `answers` are the gold answers in whatever languages. A passage that the original corpus lacks has none. A page
        keeps its name: the sister has the same documents.
        """
        return tuple(dict.fromkeys(name for passage in passages for name in self._mapped(passage, answers)))

    def _mapped(self, passage: str, answers: Sequence[str]) -> list[str]:
        if page_key(passage):
            return [passage]
        if passage not in self._places:
            return []
        stretch, number = self._places[passage]
        new = self._new.get(stretch.name, [])
        return gold_in(stretch, number, new, answers)


def gold_in(stretch: Stretch, number: int, new: Sequence[NewPassage], answers: Sequence[str]) -> list[str]:
    """The ids of those of the stretch's new passages that stand for its passage `number`, from 0."""
    start, end = stretch.spans[number]
    parts = {
        passage.id: stretch.text[max(start, passage.origin.start) : min(end, passage.origin.end)]
        for passage in new
        if passage.origin.start < end and start < passage.origin.end
    }
    if len(parts) < 2:
        return list(parts)
    code = stretch.passages[number].language
    holding = [name for name, text in parts.items() if is_known(code) and _holds(text, answers, code)]
    return holding or list(parts)


def _holds(text: str, answers: Sequence[str], code: str) -> bool:
    return bool(answers) and flexible_em(text, answers, language=language(code)).value == 1.0


def _by_stretch(passages: Sequence[Passage]) -> dict[str, list[NewPassage]]:
    new: defaultdict[str, list[NewPassage]] = defaultdict(list)
    for passage in passages:
        if origin := origin_of(passage.id):
            new[origin.stretch].append(NewPassage(passage.id, origin))
    return new
