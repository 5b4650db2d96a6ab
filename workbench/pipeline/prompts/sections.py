"""The parts of a dialectic (D-RAG) answer: parsing them from what a model wrote, and writing them.

Source: Ranaldi et al. (2025, D-RAG), section 2 and Table 6, whose labels are `#Extraction`, `#Explanation`
(the paper also spells it `#Explaination`), `#Dialectic Argumentation` and `#Answer`. Other spellings and the labels'
translations are in `templates/labels.yaml`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import regex

from workbench.core import Sections
from workbench.languages import CHIRKOVA_LANGUAGES
from workbench.workspace import read_block

PARTS = ("extraction", "explanation", "argumentation", "answer")
PART_LABELS = {
    "extraction": "#Extraction:",
    "explanation": "#Explanation:",
    "argumentation": "#Dialectic Argumentation:",
    "answer": "#Answer:",
}
"""The label of each part as prompts ask for it and `write` gives it."""

HASHES = "#\uff03"
COLONS = ":\uff1a\ufe55\ufe30"
"""ASCII, then the full-width and small forms of East Asian text."""

DECORATION = frozenset(f"{HASHES}-*_=` \t\r\n")
"""A line of only these is a rule, a fence or a stray heading mark, never the last line of a part."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The labels that are understood: the part of each folded label, and the pattern of a label at a line's start."""

    parts: Mapping[str, str]
    pattern: regex.Pattern[str]


def parse(text: str) -> Sections:
    r"""The parts of `text`, each a stripped, unchanged piece of it.

    A label counts at the start of a line only, in any case and any of the languages of `labels.yaml`, with Markdown
    (headings, emphasis, quotes), a number or full-width marks around it. It needs a hash, a colon or emphasis of its
    own, or the line to itself: “Answer the question” is not a label. List items (`- Answer: …`) are not either, since
    parts hold lists. Of a part that comes more than once the last one with any text counts. Text before the
    first label is ignored; without any label all of it is the answer, and no part is present: see `format_failure`.
    Never raises; time is linear in the length.

    >>> parse("### **#Extraction:**\nIt is in [1].\n\nAnswer: Paris").answer
    'Paris'
    """
    labels = list(_labels(text))
    if not labels:
        return Sections(answer=text.strip())
    ends = [*(match.start() for _, match in labels[1:]), len(text)]
    bodies: dict[str, str] = {}
    repeated: dict[str, None] = {}
    for (part, match), end in zip(labels, ends, strict=True):
        body = _body(text, match, end)
        if part in bodies:
            repeated[part] = None
        if body or part not in bodies:
            bodies[part] = body
    return assemble(bodies, tuple(repeated))


def format_failure(sections: Sections | None) -> str:
    """Why a dialectic output is not scored as an answer, in a sentence; "" where it has a labelled answer.

    None, for an output of another kind, has none.

    >>> format_failure(parse("It was Marconi, as [1] says."))
    'The output has none of the labels, so no part of it is known to be the answer.'
    >>> format_failure(parse("#Extraction: [1] says Marconi.")), format_failure(parse("#Answer: Marconi"))
    ('The output ends before the label #Answer.', '')
    """
    if sections is None or ("answer" in sections.present and sections.answer):
        return ""
    if not sections.present:
        return "The output has none of the labels, so no part of it is known to be the answer."
    return "The output ends before the label #Answer."


def assemble(bodies: Mapping[str, str], repeated: tuple[str, ...] = ()) -> Sections:
    """The sections with these texts by part; the mapping's order is the order in which they were written."""
    return Sections(
        extraction=bodies.get("extraction", ""),
        explanation=bodies.get("explanation", ""),
        argumentation=bodies.get("argumentation", ""),
        answer=bodies.get("answer", ""),
        present=tuple(bodies),
        repeated=repeated,
    )


def write(sections: Sections) -> str:
    """The parts that have text, each under its label.

    `parse` reads them back, unless the text of a part has a line that is a label.
    """
    bodies = [(part, getattr(sections, part)) for part in PARTS]
    return "\n\n".join(f"{PART_LABELS[part]}\n{body}" for part, body in bodies if body)


def load_vocabulary(folder: Traversable | None = None) -> Vocabulary:
    """The labels in `templates/labels.yaml` of `folder`: for each part, for each language, its spellings.

    Raises DataError for a part or one of the thirteen languages that is missing, or a label that names two parts.
    """
    root = files("workbench.pipeline.prompts") if folder is None else folder
    block = read_block(root.joinpath("templates").joinpath("labels.yaml"))
    block.check_keys(("source", *PARTS))
    parts: dict[str, str] = {}
    spellings: set[str] = set()
    for part in PARTS:
        by_language = block.block(part)
        by_language.check_keys(CHIRKOVA_LANGUAGES)
        for code in CHIRKOVA_LANGUAGES:
            for label in by_language.texts(code):
                if parts.setdefault(_key(label), part) != part:
                    raise by_language.error(f"the label “{label}” names two parts; it can name only one")
                spellings.update({unicodedata.normalize("NFC", label), unicodedata.normalize("NFD", label)})
    return Vocabulary(parts, _pattern(spellings))


@cache
def _shipped_vocabulary() -> Vocabulary:
    return load_vocabulary()


def _pattern(spellings: set[str]) -> regex.Pattern[str]:
    """A pattern of possessive quantifiers only, so that a line is scanned once whatever it holds."""
    longest_first = sorted(spellings, key=lambda label: (-len(label), label))
    gap = r"[ \t\u00a0_-]{0,3}+"
    names = "|".join(gap.join(regex.escape(word) for word in label.split()) for label in longest_first)
    space, hashes = r" \t\u00a0\u3000", HASHES.replace("#", r"\#")
    return regex.compile(
        rf"""^(?![ \t]*+\*[ \t])
        (?P<lead>[{space}>{hashes}*_`]*+(?:\(?+\d{{1,2}}[.):\u3001\uff0e\uff09]++)?+[{space}{hashes}*_`]*+)
        (?P<label>{names})(?![\p{{L}}\p{{M}}\p{{N}}])
        (?P<close>[*_`]*+)[{space}]*+(?P<colon>[{COLONS}]?+)(?P<shut>[*_`]*+)""",
        regex.VERBOSE | regex.MULTILINE | regex.IGNORECASE,
    )


def _key(label: str) -> str:
    """A label without spacing and case, so that all spellings that the pattern matches give one key."""
    composed = unicodedata.normalize("NFC", label).casefold()
    return "".join(letter for letter in composed if letter not in " \t\u00a0_-")


def _labels(text: str) -> Iterator[tuple[str, regex.Match[str]]]:
    """Each label that counts, with the part that it names, in the order of the text."""
    vocabulary = _shipped_vocabulary()
    for match in vocabulary.pattern.finditer(text):
        part = vocabulary.parts.get(_key(match["label"]))
        if part is not None and _is_label(match, text):
            yield part, match


def _is_label(match: regex.Match[str], text: str) -> bool:
    """Whether the word is set off as a label: a colon, a hash, emphasis of its own, or a line to itself."""
    if match["colon"] or any(mark in match["lead"] for mark in HASHES):
        return True
    if match["close"] and match["lead"].endswith(match["close"]):
        return True
    stop = text.find("\n", match.end())
    return not text[match.end() : len(text) if stop < 0 else stop].strip()


def _body(text: str, match: regex.Match[str], end: int) -> str:
    """The text under a label, without rules and fences at its end.

    The end of an emphasis that began before the label (`**Answer: Paris**`) is removed too.
    """
    start = match.end()
    while end > start:
        line = max(text.rfind("\n", start, end) + 1, start)
        if not DECORATION.issuperset(text[line:end]):
            break
        end = max(line - 1, start)
    body = text[start:end].strip()
    lead = match["lead"].rstrip(f"{HASHES} \t")
    opened = lead[len(lead.rstrip("*_")) :]
    if opened and not match["close"] and not match["shut"]:
        body = body.removesuffix(opened).rstrip()
    return body
