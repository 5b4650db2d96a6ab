"""What no sentence of a document answers from, recognised by its structure in any script.

Four kinds: what repeats at the head or foot of pages, lists of references and links, tables of contents, and rows of
links. No words of a language are known here: a reference is known by its marks (an address, a date of retrieval, an
identifier, initials, a year in brackets), and only where several stand in a row. A table of figures, a numbered list of
sentences and a dialogue have no such marks. What is in doubt stays, since a figure that is asked for may stand there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, takewhile

import regex

from workbench.data.documents.isolated_reading import Furniture, Section
from workbench.languages import ends_with_stop

BATCH = 300_000
"""Characters that are judged together, about a hundred pages; what a list is, and repeats, is seen within them."""
NOUNS: Mapping[Furniture, tuple[str, str]] = {
    "running head": ("running head", "running heads"),
    "references": ("reference", "references"),
    "contents": ("table of contents", "tables of contents"),
    "navigation": ("row of links", "rows of links"),
}


def left_out_words(counts: Mapping[str, int]) -> str:
    """What was left out by kind, in a sentence; "" for nothing.

    >>> left_out_words({"references": 42, "running head": 1})
    'Left out of passages: 1 running head, 42 references.'
    """
    named = [f"{count:,} {NOUNS[kind][count != 1]}" for kind in NOUNS if (count := counts.get(kind, 0))]
    return f"Left out of passages: {', '.join(named)}." if named else ""


@dataclass(slots=True)
class _Line:
    """A line of a section, with the white space after it, and what it is taken for ("": text of the document)."""

    text: str
    section: Section
    furniture: Furniture | None = None


def mark_furniture(sections: Iterable[Section]) -> Iterator[Section]:
    """One document's sections with `furniture` set; a section of which only a part is furniture becomes several.

    Nothing is lost but white space, and the order stays. Headings of text do not name what is left out.
    """
    heads = _RunningHeads()
    heading, names = "", set[str]()
    for batch in _batches(sections):
        heads.read(batch)
        lines = [line for section in batch for line in _lines(section, heads.is_one(section))]
        _mark_contents(lines)
        _mark_references(lines)
        _mark_navigation(lines)
        _mark_titles(lines)
        for section in _joined(lines):
            if section.kind == "heading":
                (names.add if section.furniture else names.discard)(section.text)
                heading = heading if section.furniture else section.text
            is_named = section.heading in names and not section.furniture
            yield replace(section, heading=heading) if is_named else section


def items(section: Section) -> int:
    """How many lines a section of furniture has, each of which is one reference or one running head."""
    return sum(bool(line.strip()) for line in section.text.split("\n"))


def _batches(sections: Iterable[Section]) -> Iterator[list[Section]]:
    batch: list[Section] = []
    size = 0
    for section in sections:
        batch.append(section)
        size += len(section.text)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _lines(section: Section, is_head: bool) -> Iterator[_Line]:
    texts = (
        [section.text] if is_head or section.kind in ("heading", "table") else section.text.splitlines(keepends=True)
    )
    yield from (_Line(text, section, "running head" if is_head else None) for text in texts)


def _joined(lines: Sequence[_Line]) -> Iterator[Section]:
    for _, group in groupby(lines, key=lambda line: (id(line.section), line.furniture)):
        of_group = list(group)
        text = "".join(line.text for line in of_group)
        if text.strip():
            whole = of_group[0].section.text
            yield replace(of_group[0].section, text=whole if text == whole else text.strip("\n"),
                          furniture=of_group[0].furniture)  # fmt: skip


# --- what repeats at the head or foot of pages ------------------------------------------------------------------------

PAGES = 3
"""Pages on which a line stands at the head or foot before it counts as repeated; both where a document has two."""
NUMBER = regex.compile(r"\p{Nd}+")
WORD = regex.compile(r"\p{Nd}+|[\p{L}\p{M}]+|[^\s\p{L}\p{M}\p{Nd}\p{P}]")


class _RunningHeads:
    """Counts the lines at the edges of pages; a number that grows with the page is the page's, whatever it is."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._last_page = 0

    def read(self, sections: Sequence[Section]) -> None:
        """Counts those of further pages."""
        pages = {(section.page, key) for section in sections if section.is_at_edge for key in _keys(section)}
        self._counts.update(key for _, key in pages)
        self._last_page = max([self._last_page, *(section.page for section in sections)])

    def is_one(self, section: Section) -> bool:
        """Whether a section repeats on other pages; the title on the first one is not left out."""
        least = PAGES if self._last_page > 2 else 2
        is_title = section.kind == "heading" and section.page == 1
        return section.is_at_edge and not is_title and any(self._counts[key] >= least for key in _keys(section))


def _keys(section: Section) -> Iterator[str]:
    """The words in any order, and with each of the numbers by its distance from the page's.

    In lines that run both ways the order depends on the rest of the page.
    """
    words = sorted(WORD.findall(section.text.casefold())) or [section.text.strip()]
    yield " ".join(words)
    for at, word in enumerate(words):
        if len(word) < 6 and NUMBER.fullmatch(word):
            yield " ".join([f"\0{int(word) - section.page}", *words[:at], *words[at + 1 :]])


# --- tables of contents -----------------------------------------------------------------------------------------------

LEADER = regex.compile(r"(?<![.…·]\s?)(?:(?:\.\s?){4,}+|(?:…\s?){2,}+|(?:·\s?){4,}+)\s*+[\p{N}ivxlc]++(?=\s|$)")
"""Dots that lead to the number of a page."""
NUMBERING = regex.compile(r"^[\p{N}\p{P}\s]+|(?<![\p{P}\p{N}\s])[\p{P}\p{N}\s]++$")
RUN = 3
"""Lines in a row from which they are a list."""


def _mark_contents(lines: Sequence[_Line]) -> None:
    """Marks runs of lines that lead to a page, or that name headings which come later."""
    places = {_name(line.text): at for at, line in enumerate(lines) if line.section.kind == "heading"}
    places.pop("", None)
    first_words = {name.split()[0] for name in places}
    named = regex.compile("|".join(regex.escape(name) for name in sorted(places, key=len, reverse=True)) or r"(?!)")

    def entries(at: int, line: _Line) -> int:
        leaders = len(LEADER.findall(line.text))
        name = _name(line.text)
        if leaders or not name or name.split()[0] not in first_words or len(line.text) > 20 * MOST_WORDS:
            return leaders
        later = [match.group() for match in named.finditer(name) if places[match.group()] > at]
        return len(later) if sum(map(len, later)) >= 0.8 * (len(name) - name.count(" ")) else 0

    counts = [entries(at, line) for at, line in enumerate(lines)]
    for start, end in _runs(lines, [count > 0 for count in counts]):
        if sum(counts[start:end]) >= RUN:
            _mark(lines[start:end], "contents")


def _name(text: str) -> str:
    return " ".join(NUMBERING.sub("", text).casefold().split())


# --- references and links ---------------------------------------------------------------------------------------------

LINK = regex.compile(r"(?:https?://|www\.)\S+|\b10\.\d{4,9}/\S+")
AFTER_LINK = regex.compile(r"(?:(?:https?://|www\.)\S+|\b10\.\d{4,9}/\S+)\W*\w*\W*$")
ISO = r"(?:1[5-9]|20)\d\d-[01]\d-[0-3]\d"
YEAR = r"(?:1[5-9]|20)\d\d"
DATE = regex.compile(rf"{ISO}|{YEAR}-(?:[01]\d-)?\s*$")
REST = regex.compile(rf"^.{{0,60}}{ISO}\W*$")
"""Dates of retrieval, also cut at the end of a line; and the end of an entry with one."""
STRONG = (
    regex.compile(r"\b(?:ISBN|ISSN|OCLC|PMID|PMC|doi|DOI|arXiv|ark|JSTOR)\b:?\s?[\d.:X/-]{4}"),
    regex.compile(r"^\W*(?:\p{Nd}+[.)]?\s*)?[\^↑]\s*\S"),
    regex.compile(rf"(?:[.।。|)\]]|[\"”’»」』》])[\s,]{{0,3}}(?:[^\s\p{{Nd}}]{{1,40}}\s){{0,2}}[\[(（]?{ISO}"),
    regex.compile(rf"(?<=\p{{L}}\.\s){YEAR}[a-z]?\.\s"),
    regex.compile(
        rf"(?:(?:\p{{Lu}}\.[\s-]?){{1,3}}\p{{Lu}}[^\s,.\p{{N}}]{{1,40}},\s){{2}}.{{0,90}}?\p{{Ll}}[.:]\s.*[\s,(]{YEAR}\b"
    ),
    regex.compile(r"\b(?:pp?|S|с|pages)\.?\s?\d+\s?[–-]\s?\d+|\b\d+\s?\(\d+\)\s?[:,]\s?\d+"),
)
"""An identifier, an arrow back to the text, the date of retrieval after a title, a year between two stops,
authors by their initials with a year, pages or a volume with its number."""
WEAK = (
    regex.compile(r"[\"“”«»「」『』《》]|(?<=\s)['‘]\p{Lu}"),
    regex.compile(rf"[(（\[][^()\[\]]{{0,30}}{YEAR}[a-z]?[)）\]]"),
    regex.compile(r"\p{Lu}\p{Ll}+,\s\p{Lu}\.|(?:\p{Lu}\.[\s-]?){1,3}\s?\p{Lu}\p{Ll}+|\p{Lu}\p{Ll}+\s\p{Lu}{1,2},"),
    regex.compile(rf"\b{YEAR}[.,]?\s*$|,\s{YEAR}[.,]"),
    regex.compile(r"^\s*\[\d+\]\s"),
    regex.compile(r"\.\s[–—]\s|(?:\p{L}{1,40}\s\p{L}{1,40},\s){2}"),
)
"""Marks that prose has, too: a quotation, a year in brackets or at the end, initials, the number of a list in square
brackets, dashes between stops, a row of names."""
CHARACTERS_PER_MARK = 170
LINK_SHARE = 0.4
LATIN = regex.compile(r"\p{Latin}")
LETTER = regex.compile(r"\p{L}")
ITEM = regex.compile(r"\s*(?:[-*•–]\s|\[?\p{N}{1,3}[.)\]]|[\^↑])")
GAP = 2
"""Lines within a list of references that have no mark: the rest of one that was broken, or one that is short."""
SURE_SHARE, STRONG_SHARE = 0.6, 0.34
"""The share of a list's lines that look like references, and that have a strong mark."""


def _mark_references(lines: list[_Line]) -> None:
    letters = "".join(line.text for line in lines if line.furniture is None)
    is_latin = 2 * len(LATIN.findall(letters)) > len(LETTER.findall(letters))
    levels = [_reference_level(line, is_latin) for line in lines]
    for start, end in _runs(lines, [level > 0 for level in levels], GAP):
        kept = [at for at in range(start, end) if lines[at].text.strip()]
        sure, strong = (sum(levels[at] >= level for at in kept) for level in (1, 2))
        # A paragraph of a PDF file may hold several items.
        entries = sum(max(1, len(LINK.findall(lines[at].text))) for at in kept if levels[at])
        if entries >= RUN and sure >= SURE_SHARE * len(kept) and strong >= STRONG_SHARE * len(kept):
            beside = [*_items_on(lines, range(start - 1, -1, -1)), *_items_on(lines, range(end, len(lines)))]
            _mark(lines[start:end] + (beside if len(beside) <= sure else []), "references")
            _mark(takewhile(_is_rest, (line for line in lines[end:] if line.text.strip())), "references")


def _items_on(lines: Sequence[_Line], places: Iterable[int]) -> list[_Line]:
    """The items of a list that go on from there, in either direction: a book without a mark is in the list, too."""
    shown = (lines[at] for at in places if lines[at].text.strip() and lines[at].furniture != "running head")
    return list(takewhile(lambda line: ITEM.match(line.text) and line.furniture is None, shown))


def _is_rest(line: _Line) -> bool:
    """Whether a line can be the rest of an entry that a column or page cut: no letter in it, or a date at its end."""
    return line.furniture == "running head" or not LETTER.search(line.text) or REST.search(line.text) is not None


def _reference_level(line: _Line, is_latin: bool) -> int:
    """2 for a line that has a strong mark of a reference and another, 1 for one with several weak marks, 0 for text."""
    text = line.text.strip()
    if line.section.kind in ("table", "heading") or " | " in text or not text:
        return 0
    links = LINK.findall(text)
    rest = regex.sub(rf"^\W*\d+[.)\]]|{ISO}|{YEAR}", "", LINK.sub("", text))
    # An address in the middle of a sentence, or beside a figure such as opening hours, makes no reference.
    is_list_item = not NUMBER.search(rest) and AFTER_LINK.search(DATE.sub("", text)) is not None
    if is_list_item and links and sum(map(len, links)) >= LINK_SHARE * len(text):
        return 2
    strong = [len(links) * is_list_item, *(len(mark.findall(text)) for mark in STRONG)]
    weak = [min(len(mark.findall(text)), 4) for mark in WEAK]
    letters = LETTER.findall(text)
    # English titles in a document of another script.
    is_plain = not links and not strong[-1]
    weak.append(is_plain and not is_latin and len(letters) > 11 and len(LATIN.findall(text)) > 0.7 * len(letters))
    if (sum(strong) + sum(weak)) * CHARACTERS_PER_MARK < len(text):
        return 0
    kinds = sum(map(bool, strong)) + sum(map(bool, weak))
    return 2 if any(strong) and kinds > 1 else int(kinds > 2)


# --- navigation, and titles of what is left out -----------------------------------------------------------------------

SEPARATOR = regex.compile(r"\s[|·•›»→]\s")
FRAGMENT = regex.compile(r"[\p{L}\p{M}'’&-]+(?:\s[\p{L}\p{M}'’&-]+){0,3}")
CATEGORIES = regex.compile(r"[\p{L}\p{M}\s]{1,30}[:：][^.:。।۔?!]*\s[|·•]\s[^.:。।۔?!]*")
FRAGMENTS = 4
MOST_WORDS, TITLE = 12, 60


def _mark_navigation(lines: Sequence[_Line]) -> None:
    """Marks lines of short fragments between separators, such as “Home | Articles | Contact”; rows of tables stay.

    Categories are such a line with a word and a colon before it, below the references.
    """
    shown = [line for line in lines if line.text.strip()]
    last = [line for line in shown if line.furniture != "running head"][-2:]
    if len(last) == 2 and last[0].furniture == "references" and CATEGORIES.fullmatch(last[1].text.strip()):
        _mark(last[1:], "navigation")
    parts = [SEPARATOR.split(line.text.strip()) for line in shown]
    for line, before, fragments, after in zip(shown, [[], *parts], parts, [*parts[1:], []], strict=False):
        is_row = len(before) > 1 or len(after) > 1 or line.section.kind == "table"
        if len(fragments) >= FRAGMENTS and not is_row and all(FRAGMENT.fullmatch(text.strip()) for text in fragments):
            _mark([line], "navigation")


def _mark_titles(lines: Sequence[_Line]) -> None:
    """Marks the heading of a list that is left out, be it a heading or a short line, apart and without a stop."""
    shown = [at for at, line in enumerate(lines) if line.text.strip() and line.furniture != "running head"]
    titles = [(before, at, lines[at].furniture) for before, at in pairwise(shown) if lines[before].furniture is None]
    for at, below, furniture in titles:
        line, text = lines[at], lines[at].text.strip()
        is_apart = at == 0 or lines[at - 1].section is not line.section or not lines[at - 1].text.strip()
        is_short = is_apart and len(text) <= TITLE and not ends_with_stop(text) and not NUMBER.search(text)
        if furniture in ("references", "contents") and (line.section.kind == "heading" or is_short):
            _mark(lines[at:below], furniture)


def _runs(lines: Sequence[_Line], hits: Sequence[bool], gap: int = 0) -> Iterator[tuple[int, int]]:
    """The stretches of hits with at most `gap` other lines between two; empty lines and running heads do not count."""
    start = last = -1
    misses = 0
    for at, line in enumerate(lines):
        if hits[at] and line.furniture is None:
            start, last, misses = at if start < 0 else start, at, 0
        elif line.text.strip() and line.furniture != "running head" and start >= 0:
            misses += 1
            if misses > gap or line.furniture is not None or line.section.kind == "heading":
                yield start, last + 1
                start, misses = -1, 0
    if start >= 0:
        yield start, last + 1


def _mark(lines: Iterable[_Line], furniture: Furniture) -> None:
    for line in lines:
        line.furniture = line.furniture or furniture
