"""What a dataset states about itself: the header of its folder, and the lines of its questions' files.

The header names the valid file of each language, so it is what makes a dataset: without it there is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from workbench.core import BY_PASSAGE, DataError, Question, fingerprint
from workbench.workspace import atomic, sealed, unsealed

QUESTIONS = "questions."
HEADER = "dataset.json"


@dataclass(frozen=True, slots=True)
class DatasetMetadata:
    """Where a dataset comes from and how its questions are read.

    `kind` names the loader. If `parallel`, one id is one question in every language. `answers_in` is the language of
    the gold answers, "" if it is the question's. `gold_level` is what gold names: passages (`passage`) or pages
    (`page`) by their keys.
    """

    kind: str = ""
    parallel: bool = False
    answers_in: str = ""
    source: str = ""
    licence: str = ""
    description: str = ""
    gold_level: str = BY_PASSAGE


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """A dataset's name, its corpus, its number of questions by language, and its metadata.

    `corpus` holds the gold passages; it is "" for a dataset without passages. The fields from `kind` on are those of
    `DatasetMetadata`; `source` lists the sources of all its languages.
    """

    name: str
    corpus: str
    languages: dict[str, int]
    aligned: bool
    kind: str = ""
    parallel: bool = False
    answers_in: str = ""
    source: str = ""
    licence: str = ""
    description: str = ""
    gold_level: str = BY_PASSAGE


@dataclass(frozen=True, slots=True)
class DatasetHeader:
    """What a header states: the dataset, and its file and its source for each language."""

    info: DatasetInfo
    files: Mapping[str, str]
    sources: Mapping[str, str] = field(default_factory=dict)


def read_header(folder: Path) -> DatasetHeader:
    """Return the header in `folder`. Raises DataError where it is damaged or missing."""
    try:
        header: dict[str, Any] = unsealed(json.loads((folder / HEADER).read_text(encoding="utf-8")))
        metadata = {key: type(default)(header[key]) for key, default in asdict(DatasetMetadata()).items()}
        files = {str(language): str(name) for language, name in header["files"].items()}
        languages = {language: int(header["counts"][language]) for language in sorted(files)}
        sources = {language: str(header["sources"][language]) for language in languages}
        metadata["source"] = joined_sources(sources.values())
        info = DatasetInfo(folder.name, str(header["corpus"]), languages, bool(header["aligned"]), **metadata)
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise DataError(
            f"The header of dataset “{folder.name}” is damaged: import it again under the same name."
        ) from error
    return DatasetHeader(info, files, sources)


def undamaged_header(folder: Path) -> DatasetHeader | None:
    """Return the header in `folder`; None if there is none, or a damaged one, which importing again repairs."""
    if not (folder / HEADER).exists():
        return None
    try:
        return read_header(folder)
    except DataError:
        return None


def write_header(folder: Path, header: DatasetHeader) -> None:
    """Make `header` that of the dataset in `folder`, atomically. The folder's name is the dataset's."""
    info = asdict(header.info)
    counts = info.pop("languages")
    del info["name"]
    stored = {**info, "files": dict(header.files), "counts": counts, "sources": dict(header.sources)}
    atomic.write_text(folder / HEADER, json.dumps(sealed(stored), ensure_ascii=False) + "\n")


def joined_sources(sources: Iterable[str]) -> str:
    """Return some sources as one text, each file once; those with the same title before “: ” share it.

    >>> joined_sources(["Table: a.csv", "Table: b.csv", "Table: a.csv", "MKQA: c.gz"])
    'Table: a.csv, b.csv; MKQA: c.gz'
    """
    files: dict[str, list[str]] = {}
    for source in sources:
        for part in source.split("; "):
            title, _, names = part.partition(": ")
            listed = files.setdefault(title, [])
            listed.extend(name for name in names.split(", ") if name and name not in listed)
    return "; ".join(f"{title}: {', '.join(names)}" if names else title for title, names in files.items() if title)


def question_line(question: Question) -> str:
    """Return a question as its line in a file."""
    return json.dumps(question.to_stored(), ensure_ascii=False) + "\n"


def read_question(line: str) -> Question:
    """Return the question of a line. Raises ValueError, KeyError or TypeError for a damaged one."""
    return Question.from_stored(json.loads(line))


def question_lines(path: Path, start: int = 0) -> Iterator[str]:
    """Yield the lines of a file from the one numbered `start` (from 0) on, without reading the file into memory."""
    # A question may hold one of the dozen characters that `splitlines` treats as the end of a line.
    with path.open(encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file):
            if number >= start:
                yield line.removesuffix("\n")


def file_name(language: str, lines: Sequence[str]) -> str:
    """Return the name of the file of a language with these lines, which states their fingerprint."""
    return f"{QUESTIONS}{language}.{fingerprint('questions', list(lines))}.jsonl"


def check_lines(file: str, lines: Sequence[str]) -> None:
    """Raise ValueError where the lines are not those whose fingerprint is in the file's name."""
    mark = file.removesuffix(".jsonl").rpartition(".")[2]
    if mark != fingerprint("questions", [f"{line}\n" for line in lines]):
        raise ValueError("the questions are not as they were written")
