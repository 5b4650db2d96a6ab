"""The claims of a dialectic (D-RAG) answer: each statement of the argument that cites documents, with those documents.

They are read from the text, so that the argument of the built-in reader and that of a language model give the same kind
of table. A document is cited by its rank, as in [2], [1, 3], [1], [2] and [4], or [1]–[4].
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from workbench.core import Answer, Evidence
from workbench.languages import sentences
from workbench.workspace import safe_cell

CITATION = regex.compile(r"\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*+)\]")
"""One citation: numbers in square brackets, alone, as a list or as a range."""
RANGE = regex.compile(r"\[(\d{1,3})\]\s*[–-]\s*\[(\d{1,3})\]")
"""A range between two citations."""
BULLET = regex.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")

Part = Literal["explanation", "argumentation"]
PARTS: tuple[Part, ...] = ("argumentation", "explanation")
"""Where claims are read from; the second only where the first cites no document."""


@dataclass(frozen=True, slots=True)
class ArgumentClaim:
    """One statement that cites documents: `ranks` in ascending order, `languages` of the originals in that order."""

    text: str
    ranks: tuple[int, ...]
    languages: tuple[str, ...]
    part: Part


def citations(text: str, ranks: Sequence[int]) -> tuple[int, ...]:
    """The documents that a text cites, ascending; numbers that are not among `ranks` cite nothing.

    >>> citations("[1]–[3] agree; [9] does not.", [1, 2, 3, 4])
    (1, 2, 3)
    """
    cited: set[int] = set()
    for first, last in RANGE.findall(text):
        cited.update(range(int(first), int(last) + 1))
    for body in CITATION.findall(text):
        cited.update(_numbers(body))
    return tuple(sorted(cited & set(ranks)))


def argument_claims(answer: Answer) -> tuple[ArgumentClaim, ...]:
    """The claims of the argument, or of the explanation where the argument cites nothing; () without sections."""
    if answer.sections is None:
        return ()
    for part in PARTS:
        text = str(getattr(answer.sections, part))
        if claims := tuple(_claims(text, part, answer.evidence)):
            return claims
    return ()


def claims_csv(claims: Sequence[ArgumentClaim]) -> str:
    """One row per claim, numbered from 1; documents and languages are separated by spaces."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow(["number", "part", "claim", "documents", "languages"])
    for number, claim in enumerate(claims, start=1):
        documents, languages = " ".join(map(str, claim.ranks)), " ".join(claim.languages)
        writer.writerow([number, claim.part, safe_cell(claim.text), documents, languages])
    return out.getvalue()


def _claims(text: str, part: Part, evidence: Sequence[Evidence]) -> Iterator[ArgumentClaim]:
    by_rank = {item.rank: item.passage.language for item in evidence}
    for line in text.splitlines():
        statement = BULLET.sub("", line).strip()
        for start, end in sentences(statement):
            sentence = statement[start:end]
            if ranks := citations(sentence, list(by_rank)):
                languages = tuple(dict.fromkeys(by_rank[rank] for rank in ranks))
                yield ArgumentClaim(sentence, ranks, languages, part)


def _numbers(body: str) -> Iterator[int]:
    """The numbers of a citation's inside, such as `1, 3` or `1–4`."""
    for piece in regex.split(r"[,;]", body):
        ends = [int(number) for number in regex.findall(r"\d+", piece)]
        yield from range(ends[0], ends[-1] + 1)
