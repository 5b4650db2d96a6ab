"""KILT's provenance: the Wikipedia pages that answer a question, and the sections in which they do.

Source: Petroni et al. (2021), KILT: {"id", "input", "output": [{"answer", "provenance": [{"wikipedia_id", "title",
"section", …}]}]}. A page is known by the id that KILT's knowledge source gives it; a corpus made from that source, or
from a dump of the English Wikipedia, calls it `en:` and the id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.data.datasets.files.record import Record
from workbench.data.datasets.files.text_files import json_records
from workbench.languages import ENGLISH

SECTION = "Section::::"
"""What the name of a section begins with in KILT's files."""
BEGINNING = "Abstract"
"""What KILT calls the text before a page's first heading."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The pages of a question, by the keys that a corpus knows them by, and headings in them ("": the beginning)."""

    pages: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()


def read_provenance(path: Path) -> Mapping[str, Provenance]:
    """The provenance of each question of a file, by its id. Raises DataError with file and line for an error in it."""
    return {record.id("id"): provenance_of(record) for record in json_records(path)}


def provenance_of(record: Record) -> Provenance:
    """The provenance of one question; every output counts, with an answer or without. Raises DataError."""
    pages: dict[str, None] = {}
    sections: dict[str, None] = {}
    for output in record.records("output") if record.has("output") else ():
        for item in output.records("provenance") if output.has("provenance") else ():
            if item.has("wikipedia_id"):
                pages[f"{ENGLISH}:{item.id('wikipedia_id')}"] = None
                if section := item.optional_text("section"):
                    sections["" if heading_of(section) == BEGINNING else heading_of(section)] = None
    return Provenance(tuple(pages), tuple(sections))


def heading_of(section: str) -> str:
    """A section's name as passages have it for their heading.

    >>> heading_of("Section::::History.")
    'History'
    """
    return section.strip().removeprefix(SECTION).removesuffix(".")
