"""A sister corpus: the documents of another corpus, split by another chunking.

Its passages state where they come from: a passage's id is that of the stretch's first passage, with where it begins and
ends in the stretch's text. Language, pages and heading are those of the passages that it is cut from; where these are
in several languages, it is in the one that most of its characters are in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from workbench.core import Passage, UsageError, fingerprint
from workbench.data.corpora.build import Progress, quiet
from workbench.data.corpora.corpus import Corpus
from workbench.data.corpora.corpus_library import CorpusLibrary, checked_name
from workbench.data.corpora.manifest import REFIT_SHARE, CorpusManifest, Rechunking, write_manifest
from workbench.data.documents.chunking import ChunkMethod, Span, Splitter, chunk_method, splitter_of
from workbench.data.documents.rechunking.rebuilt_text import Stretch, new_spans, stretches
from workbench.workspace import verb

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
    manifest = max(sisters, key=lambda item: (_is_of(item, original.manifest), item.name == usual))
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
    taken = next((item for item in library.list() if item.name == name), None)
    if name == manifest.name or (taken and not _is_sister(library, taken, manifest.name, usual)):
        raise UsageError(
            f"A corpus “{name}” already exists, and is not “{manifest.name}” split by {usual}. Choose another name.",
            command=f"For example: --as {name[:60]}-2",
        )
    rechunking = Rechunking(corpus=manifest.name, fingerprint=manifest.fingerprint, chunking=usual)
    passages = _Splitting(original, usual)
    if taken and _is_of(taken, manifest):
        return taken
    if taken and (changes := _changes(library.open(name), passages)) is not None:
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
        (passage, min(place[1], span[1]) - max(place[0], span[0]))
        for passage, place in zip(stretch.passages, stretch.spans, strict=True)
        if place[0] < span[1] and span[0] < place[1]
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
    same = [passage.group for passage, place in zip(stretch.passages, stretch.spans, strict=True) if place == span]
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
    original = next((item for item in manifests if item.name == corpus), None)
    if original is None:
        return ()
    sisters = (item.rechunking for item in manifests if _is_of(item, original))
    return tuple(sorted({item.chunking for item in sisters if item is not None}))
