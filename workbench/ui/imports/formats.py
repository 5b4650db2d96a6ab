"""The formats that can be imported, in the order of the Data screen, and how their files are uploaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from workbench.jobs import DatasetSource


@dataclass(frozen=True, slots=True)
class Upload:
    """What is to be imported: how it is read, and its files, each with its path for the job.

    `files` raises UsageError for names that are not allowed.
    """

    source: DatasetSource
    files: Callable[[], Sequence[tuple[str, UploadedFile]]] = tuple


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be imported.

    `description` says what is read and what is created from it; `upload`, what a person selects; `endings`, what the
    names of its files end in (none: anything).
    """

    title: str
    description: str
    upload: Literal["file", "files", "folder", "hub"]
    endings: tuple[str, ...] = ()


TABLE, SQUAD, HUB = "table", "squad", "hub"

FORMATS: Mapping[str, Format] = {
    TABLE: Format(
        "Table with your own columns: CSV, TSV, JSON lines, Excel",
        "One question per row, with answers where a column has them.",
        "file",
        ("csv", "tsv", "jsonl", "xlsx", "gz"),
    ),
    SQUAD: Format(
        "SQuAD, XQuAD (JSON)",
        "Paragraphs become a corpus, their questions a dataset with gold passages. Several files in one language "
        "become one corpus; further languages are added under the same name.",
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
        "Questions and passages, each in a choice of languages: test-context-en-question-de.json and similar files.",
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
        "Which country a territory belongs to, in English and the claimants' languages, without a corpus: "
        "disputed_territories.csv, prompts and translate, arranged as in the authors' repository.",
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
        "Hugging Face hub, by dataset name",
        "One question per row of one split, with answers where a column has them.",
        "hub",
    ),
}
