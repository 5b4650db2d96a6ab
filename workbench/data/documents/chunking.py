"""The ways of splitting a text into passages, by name, and a stream of sections as a stream of chunks.

- `words-N`: N words; in scripts without spaces N characters, as Chirkova et al. (2024, section 3) split Wikipedia.
- `characters-N-M`: at most N characters, M of them repeated, cut at paragraphs, else lines, else words: Singh et al.
  (n.d.) use 1000 and 150.
- `tokens-N-M`: N tokens, M of them repeated: AutoRAG (Kim et al., 2024) uses 512 and 50.
- `sentences-N-M`: LlamaIndex's SentenceSplitter: complete sentences up to N tokens.
- `semantic`: LlamaIndex's SemanticSplitterNodeParser: a passage ends where the meaning changes most.
- `passages-N`: complete sentences up to N words, headings with the text below them; two characters of a script without
  spaces count as a word. For documents of one's own.

All but `words` and `passages` are LlamaIndex's splitters, their passages found again as spans of the text. Sentences
are those of the workbench's one segmenter, since LlamaIndex's default knows English. Tokens are those of its default
tokenizer, tiktoken's for GPT models, whose vocabulary llama-index-core carries.

As passages are added each gets an id that stays and a language, and those that say nearly the same are found.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from zlib import crc32

import regex

from workbench.core import UsageError, fingerprint, shorten
from workbench.data.documents.isolated_reading import Section
from workbench.languages import (
    CODE,
    ENGLISH,
    SPACELESS,
    Detector,
    ends_with_stop,
    is_heading,
    is_known,
    language,
    parse_label,
    script_of,
    search_form,
    sentences,
)

if TYPE_CHECKING:
    from datasketch import MinHash, MinHashLSH
    from llama_index.core.embeddings import BaseEmbedding


Span = tuple[int, int]
"""Where a passage begins and ends in a text, in characters."""
Splitter = Callable[[str], list[Span]]
"""The passages of a text, in order. They may overlap; nothing but white space is left out."""

NAMES = ("words-100", "characters-1000-150", "tokens-512-50", "sentences-1024-200", "semantic", "passages-100")
DEFAULT = NAMES[-1]
FORM = regex.compile(
    r"(?P<unit>passages|words|characters|tokens|sentences)-(?P<size>\d{1,6})(?:-(?P<overlap>\d{1,6}))?|semantic"
)

LEAST, MOST = 20, 20_000


@dataclass(frozen=True, slots=True)
class ChunkMethod:
    """A method with its numbers: `size` of a passage and `overlap` of two, in units of the method; 0 for `semantic`."""

    unit: str
    size: int = 0
    overlap: int = 0

    @property
    def name(self) -> str:
        """As `chunk_method` reads it."""
        parts = [self.unit, *([str(self.size)] if self.size else []), *([str(self.overlap)] if self.overlap else [])]
        return "-".join(parts)


def chunk_method(name: str) -> ChunkMethod:
    """The method with a name. Raises UsageError for any other, and for numbers that make no sense.

    >>> chunk_method("characters-1000-150")
    ChunkMethod(unit='characters', size=1000, overlap=150)
    """
    match = FORM.fullmatch(name.strip())
    if not match:
        raise UsageError(
            f"Unknown way of splitting “{shorten(name)}”. Allowed: {', '.join(NAMES)}, also with other numbers.",
            command=f"For example: --chunking {DEFAULT}",
        )
    if not match["unit"]:
        return ChunkMethod("semantic")
    size, overlap = int(match["size"]), int(match["overlap"] or 0)
    if not LEAST <= size <= MOST or 2 * overlap > size or (match["unit"] in ("passages", "words") and overlap):
        raise UsageError(
            f"“{shorten(name)}” cannot split a text. Allowed: a length from {LEAST} to {MOST:,}, and an overlap of at "
            "most half of it, none for passages and words.",
            command="For example: --chunking tokens-512-50",
        )
    return ChunkMethod(match["unit"], size, overlap)


WORD = regex.compile(r"\S+")
LETTER = regex.compile(r"\p{L}")
LOWER = regex.compile(r"[\p{Ll}\p{Lo}]")
SPACELESS_LETTER = regex.compile(rf"[{SPACELESS}]")


def windows(text: str, size: int) -> list[Span]:
    """Spans of `size` words; in a text mostly of a script without spaces, of `size` characters.

    No sign is separated from its letter, and the text between two spans is white space.

    >>> windows("one two three", 2)
    [(0, 7), (8, 13)]
    """
    if is_spaceless(text):
        return _characters(text, size)
    words = [match.span() for match in WORD.finditer(text)]
    return [(words[start][0], words[min(start + size, len(words)) - 1][1]) for start in range(0, len(words), size)]


def passages(text: str, size: int) -> list[Span]:
    """Spans of complete sentences up to `size` words, a longer sentence cut as `windows` cuts it.

    A passage ends at the last stop in its second half, if there is one; a heading begins a passage rather than end it,
    also where the one before is half full. The text between two spans is white space.

    >>> passages("One two three. Four five six. Seven.", 5)
    [(0, 14), (15, 36)]
    """
    parts = _with_numbers(complete_sentences(text))
    ends = [0, *itertools.accumulate(map(len, parts))]
    words = [0, *itertools.accumulate(map(_word_count, parts))]
    are_headings = [is_heading(text, *_trimmed(text, *span)) for span in itertools.pairwise(ends)]
    for at in range(len(parts) - 2, -1, -1):
        # A heading of a chapter stands above that of its section.
        is_line = parts[at].endswith(PARAGRAPH) and (not at or parts[at - 1].endswith(PARAGRAPH))
        are_headings[at] |= are_headings[at + 1] and is_line and not ends_with_stop(parts[at])
    spans: list[Span] = []
    first = 0
    while first < len(parts):
        last = max(bisect_right(words, words[first] + size) - 1, first + 1)
        half = bisect_left(words, words[first] + size / 2, first + 1, last)
        headings = (at for at in range(half, last) if are_headings[at] and not are_headings[at - 1])
        stops = (at for at in range(last, half - 1, -1) if ends_with_stop(parts[at - 1]))
        if (heading := next(headings, 0)) or last < len(parts):
            last = heading or next(stops, last)
        while last < len(parts) and last > first + 1 and are_headings[last - 1]:
            last -= 1
        start, end = ends[first], ends[last]
        pieces = windows(text[start:end], size) if words[last] - words[first] > size else [(0, end - start)]
        spans.extend(_trimmed(text, start + begin, start + stop) for begin, stop in pieces)
        first = last
    return [span for span in spans if span[1] > span[0]]


def _with_numbers(parts: Sequence[str]) -> list[str]:
    """Parts without a letter, such as the number of a section, joined to what follows them."""
    joined = [""]
    for part in parts:
        joined[-1] += part
        if LETTER.search(part):
            joined.append("")
    return [part for part in joined if part]


def _word_count(text: str) -> float:
    rest, letters = SPACELESS_LETTER.subn(" ", text)
    return len(WORD.findall(rest)) + letters / 2


def is_spaceless(text: str) -> bool:
    """Whether most letters of `text` are of scripts without spaces between words."""
    return 2 * len(SPACELESS_LETTER.findall(text)) > len(LETTER.findall(text))


def _characters(text: str, size: int) -> list[Span]:
    # Clusters are not cut: a vowel sign at a passage's beginning would stand on nothing.
    ends = [match.end() for match in regex.finditer(r"\X", text)]
    spans: list[Span] = []
    start = last = 0
    for end in ends:
        if end - start > size and last > start:
            spans.append((start, last))
            start = last
        last = end
    spans.append((start, last))
    return [span for span in (_trimmed(text, *span) for span in spans) if span[1] > span[0]]


def _trimmed(text: str, start: int, end: int) -> Span:
    span_text = text[start:end]
    return start + len(span_text) - len(span_text.lstrip()), end - len(span_text) + len(span_text.rstrip())


PARAGRAPH = "\n\n"
BREAKPOINT = 95
"""The percentile of distances from which the meaning changes: LlamaIndex's default."""
SEMANTIC_LIMIT = 4_000
"""Characters of a passage by meaning; a longer one is cut at sentences."""


def split(text: str, method: ChunkMethod) -> list[Span]:
    """The passages of `text` by a method of LlamaIndex."""
    if method.unit == "semantic":
        return _semantic(text)
    return _spans(text, _splitter(method).split_text(text))


@cache
def _splitter(method: ChunkMethod) -> Any:
    from llama_index.core.node_parser import SentenceSplitter, TokenTextSplitter

    sizes: dict[str, Any] = {"chunk_size": method.size, "chunk_overlap": method.overlap}
    if method.unit == "characters":
        return TokenTextSplitter(**sizes, tokenizer=list, separator=PARAGRAPH, backup_separators=["\n", " "])
    if method.unit == "tokens":
        return TokenTextSplitter(**sizes)
    return SentenceSplitter(**sizes, chunking_tokenizer_fn=complete_sentences, paragraph_separator=PARAGRAPH)


def complete_sentences(text: str) -> list[str]:
    """The sentences of `text`, each with the white space after it, so that together they are the text."""
    starts = [0, *(start for start, _ in sentences(text)[1:]), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(starts) if end > start]


def _spans(text: str, pieces: Sequence[str]) -> list[Span]:
    """Where the pieces are. One that the splitter changed takes the place between its neighbours."""
    spans: list[Span] = []
    after = 0
    for chunk in pieces:
        position = text.find(chunk, after)
        if position < 0:
            position, chunk = spans[-1][1] if spans else 0, chunk[: len(text)]
        spans.append((position, min(position + len(chunk), len(text))))
        after = position + 1
    return [span for span in spans if text[slice(*span)].strip()]


def _semantic(text: str) -> list[Span]:
    from llama_index.core import Document
    from llama_index.core.node_parser import SemanticSplitterNodeParser
    from llama_index.core.schema import MetadataMode

    parts = complete_sentences(text)
    if len(parts) < 3:
        return [(0, len(text))] if text.strip() else []
    parser = SemanticSplitterNodeParser(
        embed_model=_meaning(), breakpoint_percentile_threshold=BREAKPOINT, sentence_splitter=complete_sentences
    )
    nodes = parser.build_semantic_nodes_from_documents([Document(text=text)])
    return list(_cut(text, _spans(text, [node.get_content(MetadataMode.NONE) for node in nodes])))


def _cut(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """The spans; those over the limit as several, each of complete sentences where none is longer."""
    for start, end in spans:
        begin, last = start, start
        for sentence in complete_sentences(text[start:end]) if end - start > SEMANTIC_LIMIT else ():
            if last + len(sentence) - begin > SEMANTIC_LIMIT and last > begin:
                yield begin, last
                begin = last
            last += len(sentence)
        yield begin, end


@cache
def _meaning() -> BaseEmbedding:
    """The built-in multilingual encoder as LlamaIndex's embedding."""
    from llama_index.core.base.embeddings.base import BaseEmbedding as Base

    from workbench.core import Passage
    from workbench.retrieval import E5SmallEncoder

    encoder = E5SmallEncoder()

    class MeaningEmbedding(Base):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            vectors = encoder.encode_passages([Passage("", "", "", "", text) for text in texts])
            rows: list[list[float]] = vectors.tolist()
            return rows

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    return MeaningEmbedding(model_name=encoder.identity, embed_batch_size=32)


BUFFER = 60_000
"""Characters that are split at once."""
SEPARATOR = "\n\n"


class PlacedChunk(NamedTuple):
    """A piece of a document with the pages on which it begins and ends (0: none) and the heading above it."""

    text: str
    page: int
    page_end: int
    heading: str


def splitter_of(method: ChunkMethod) -> Splitter:
    """The function that splits a text by a method."""
    if method.unit in ("passages", "words"):
        function = windows if method.unit == "words" else passages
        return lambda text: function(text, method.size)

    return lambda text: split(text, method)


def chunks(sections: Iterable[Section], splitter: Splitter, *, buffer: int = BUFFER) -> Iterator[PlacedChunk]:
    """The chunks of one document's sections. A heading is part of the text that follows it.

    Sections are joined into a buffer, which is split; its last chunk waits for the sections that follow, so that no
    passage ends where the buffer did.
    """
    text = ""
    starts: list[tuple[int, Section]] = []
    for section in sections:
        if text:
            text += _separator(starts[-1][1], section)
        starts.append((len(text), section))
        text += section.text.strip()
        if len(text) >= buffer:
            spans = splitter(text)
            for start, end in spans[:-1]:
                yield _placed(text, start, end, starts)
            # From the last span on, what was split waits for more; so does the section in which it begins.
            start = spans[-1][0] if spans else len(text)
            if len(spans) < 2 and len(text) >= 4 * buffer:
                yield from (_placed(text, *span, starts) for span in spans)
                start = len(text)
            first = max(bisect_right([offset for offset, _ in starts], start) - 1, 0)
            starts = [(max(offset - start, 0), begun) for offset, begun in starts[first:]]
            text = text[start:]
    yield from (_placed(text, start, end, starts) for start, end in splitter(text) if text.strip())


LEAST_LINE = 60
"""Characters of a paragraph that may go on on the next page; a shorter one is an item of a list."""


def _separator(before: Section, section: Section) -> str:
    """What stands between two sections: an empty line, unless a paragraph goes on from one page to the next."""
    is_next_page = section.page == before.page + 1 > 1 and section.heading == before.heading
    last, first = before.text.rstrip()[-LEAST_LINE:], section.text.lstrip()[:1]
    goes_on = len(last) == LEAST_LINE and "\n" not in last and not ends_with_stop(last) and last[-1] not in ":："
    if not (is_next_page and before.kind == section.kind == "text" and goes_on and LOWER.match(first)):
        return SEPARATOR
    return "" if SPACELESS_LETTER.match(first) and SPACELESS_LETTER.match(last[-1]) else " "


def _placed(text: str, start: int, end: int, sections: list[tuple[int, Section]]) -> PlacedChunk:
    starts = [offset for offset, _ in sections]
    first = sections[max(bisect_right(starts, start) - 1, 0)][1]
    last = sections[max(bisect_right(starts, max(end - 1, start)) - 1, 0)][1]
    return PlacedChunk(text[start:end].strip(), first.page, last.page, first.heading)


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
    value = _no_hash().copy()
    value.update_batch([gram.encode("utf-8", "replace") for gram in set(grams(text))])
    return value


@cache
def _no_hash() -> MinHash:
    """The hash of no gram, with its permutations; CRC-32 is several times as fast as the default, SHA-1."""
    from datasketch import MinHash

    return MinHash(num_perm=PERMUTATIONS, hashfunc=crc32)
