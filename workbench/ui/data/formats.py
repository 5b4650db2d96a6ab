"""The formats that can be imported, in the order in which the Data screen lists them, and how their files come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from workbench.datasets.collection import Collection

Source = Callable[[], AbstractContextManager["Collection"]]
"""Opens what is to be imported, read and checked. Its files are there until the block ends, since passages are read
more than once. Raises WorkbenchError."""


@dataclass(frozen=True, slots=True)
class Format:
    """`told` says what is read and what becomes of it; `upload`, what a person chooses; `endings`, what its files'
    names end in (none: anything).
    """

    title: str
    told: str
    upload: Literal["file", "files", "folder", "hub"]
    endings: tuple[str, ...] = ()


TABLE, SQUAD, HUB = "table", "squad", "hub"

FORMATS: Mapping[str, Format] = {
    TABLE: Format(
        "Table with columns of your own: CSV, TSV, JSON lines, Excel",
        "A question a row, and its answers where a column has them.",
        "file",
        ("csv", "tsv", "jsonl", "xlsx", "gz"),
    ),
    SQUAD: Format(
        "SQuAD, XQuAD (JSON)",
        "Paragraphs become a corpus, their questions a dataset with gold passages. Several files of one language make "
        "one corpus; further languages are added under the same name.",
        "files",
        ("json",),
    ),
    "mkqa": Format(
        "MKQA (mkqa.jsonl.gz)",
        "The same questions in up to 26 languages with answers and their aliases, without a corpus.",
        "file",
        ("gz", "jsonl"),
    ),
    "mlqa": Format(
        "MLQA (folder)",
        "Questions in some languages over passages in some languages: test-context-en-question-de.json and so on.",
        "folder",
        ("json",),
    ),
    "xor-tydi": Format(
        "XOR-TyDi QA (JSON lines)",
        "Questions in seven languages, without a corpus.",
        "file",
        ("jsonl", "gz"),
    ),
    "tydi-qa": Format(
        "TyDi QA (original JSON lines, or gold passage JSON)",
        "Questions in eleven languages with their passages.",
        "file",
        ("jsonl", "gz", "json"),
    ),
    "natural-questions": Format(
        "Natural Questions (JSON lines of KILT or NQ-open)",
        "English questions, without a corpus.",
        "file",
        ("jsonl", "gz"),
    ),
    "borderlines": Format(
        "BORDERLINES (folder)",
        "Whose a territory is, in English and the claimants' languages, without a corpus: disputed_territories.csv, "
        "prompts and translate, laid out as its authors' repository.",
        "folder",
    ),
    "beir": Format(
        "BEIR (folder)",
        "A corpus and questions with gold passages: corpus.jsonl, queries.jsonl and qrels/test.tsv, plain or gzipped.",
        "folder",
        ("jsonl", "gz", "tsv"),
    ),
    "autorag": Format(
        "AutoRAG (qa.parquet and corpus.parquet)",
        "A corpus and questions with gold passages and answers.",
        "folder",
        ("parquet",),
    ),
    HUB: Format(
        "Hugging Face hub, by a dataset's name",
        "A question a row of one split, and its answers where a column has them.",
        "hub",
    ),
}
