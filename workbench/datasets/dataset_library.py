"""The datasets of a workspace: one JSON-lines file of questions per language, and a header that names the valid files.

The header is written last and atomically, so a dataset changes in all its languages at once or not at all. Gold names
passages or, if `aligned`, groups of passages in translation: a group means that passage in every language of the
corpus. The sample is always available.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from workbench.corpora import sample
from workbench.corpora.corpus_library import NAME, SAMPLE_LICENCE, SAMPLE_SOURCE, checked_name
from workbench.errors import DataError, UsageError, unknown_name
from workbench.identity import fingerprint
from workbench.records import Question
from workbench.storage import atomic
from workbench.storage.checksums import sealed, unsealed
from workbench.storage.name_lock import name_lock

QUESTIONS = "questions."
HEADER = "dataset.json"


@dataclass(frozen=True, slots=True)
class DatasetMetadata:
    """Where a dataset comes from and how its questions are read.

    `kind` names the loader. If `parallel`, one id is one question in every language. `answers_in` is the language of
    the gold answers, "" if it is the question's.
    """

    kind: str = ""
    parallel: bool = False
    answers_in: str = ""
    source: str = ""
    licence: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """A dataset's name, its corpus, its number of questions by language, and its metadata.

    `corpus` holds the gold passages; it is "" for a dataset without passages. The fields from `kind` on are those of
    `DatasetMetadata`.
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


@dataclass(frozen=True, slots=True)
class _Header:
    """What a header states: the dataset, and its file for each language."""

    info: DatasetInfo
    files: Mapping[str, str]


class DatasetLibrary:
    """Datasets under one folder, one sub-folder each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def list(self) -> list[DatasetInfo]:
        """Return all datasets, the sample first.

        A damaged one is left out; asking for it by name gives the error.
        """
        imported: list[DatasetInfo] = []
        for folder in sorted(entry.parent for entry in self._folder.glob(f"*/{HEADER}")):
            with suppress(DataError):
                imported.append(_read_header(folder).info)
        return [self._sample(), *imported]

    def damaged(self) -> Sequence[str]:
        """Return the names of the datasets whose header cannot be read."""
        folders = sorted(entry.parent for entry in self._folder.glob(f"*/{HEADER}"))
        return [folder.name for folder in folders if _undamaged(folder) is None]

    def info(self, name: str) -> DatasetInfo:
        """Return the dataset called `name`. Raises UsageError if there is none, DataError if it is damaged."""
        if name == sample.SAMPLE:
            return self._sample()
        return self._find(name).info

    def questions(self, name: str, language: str, corpus_languages: Sequence[str] = ()) -> tuple[Question, ...]:
        """Return the questions in one language; gold groups become passages in `corpus_languages`.

        Raises UsageError for an unknown dataset or a language that it does not have, DataError for damaged questions.
        """
        header = None if name == sample.SAMPLE else self._find(name)
        info = header.info if header else self._sample()
        if language not in info.languages:
            raise unknown_name(f"language of dataset “{name}”", language, info.languages)
        if header is None:
            return sample.questions(language)
        path = self._folder / name / header.files[language]
        try:
            # Not `splitlines`: a question may hold one of the dozen characters that it treats as the end of a line.
            lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
            _check(path.name, lines)
            questions = tuple(_question(line) for line in lines)
        except (ValueError, KeyError, TypeError, FileNotFoundError) as error:
            raise DataError(
                f"The questions in {path.name} of dataset “{name}” are damaged: import the file again."
            ) from error
        if not info.aligned:
            return questions
        return tuple(
            replace(question, gold=tuple(f"{group}.{item}" for group in question.gold for item in corpus_languages))
            for question in questions
        )

    def add(
        self,
        name: str,
        corpus: str,
        questions: Sequence[Question],
        *,
        aligned: bool,
        metadata: DatasetMetadata | None = None,
    ) -> DatasetInfo:
        """Add the questions of one or more languages; a language that is there already is replaced.

        `corpus` is "" for questions without passages. Raises UsageError for a bad name, and as `check` does.
        """
        checked_name(name, "dataset")
        with self.changing(name):
            return self._add(name, corpus, questions, aligned=aligned, metadata=metadata)

    def changing(self, name: str) -> AbstractContextManager[None]:
        """Keeps others from changing the dataset called `name`, a name that is allowed, until the end of the block.

        Whoever reads it in order to change it does both within. For dataset and corpus, take the dataset's first.
        """
        return name_lock(self._folder, name)

    def _add(
        self,
        name: str,
        corpus: str,
        questions: Sequence[Question],
        *,
        aligned: bool,
        metadata: DatasetMetadata | None,
    ) -> DatasetInfo:
        if name == sample.SAMPLE:
            raise UsageError(
                "The dataset “sample” is the workbench's own. Choose another name, for example: --name mine"
            )
        metadata = metadata or DatasetMetadata()
        languages = {question.language for question in questions}
        self.check(name, metadata, aligned=aligned, corpus=corpus, languages=languages)
        folder = self._folder / name
        previous = _undamaged(folder)
        files = dict(previous.files) if previous else {}
        counts = dict(previous.info.languages) if previous else {}
        lines: dict[str, list[str]] = defaultdict(list)
        for question in questions:
            lines[question.language].append(_line(question))
        for language, texts in lines.items():
            files[language] = f"{QUESTIONS}{language}.{fingerprint('questions', texts)}.jsonl"
            counts[language] = len(texts)
            atomic.write_text(folder / files[language], "".join(texts))
        header = {"corpus": corpus, "aligned": aligned, **asdict(metadata), "files": files, "counts": counts}
        atomic.write_text(folder / HEADER, json.dumps(sealed(header), ensure_ascii=False) + "\n")
        for path in folder.glob(f"{QUESTIONS}*.jsonl"):
            if path.name not in files.values():
                path.unlink(missing_ok=True)
        return _read_header(folder).info

    def check(
        self,
        name: str,
        metadata: DatasetMetadata,
        *,
        aligned: bool,
        corpus: str | None = None,
        languages: Collection[str] = (),
    ) -> None:
        """Raise UsageError if the questions cannot be added to the dataset called `name`.

        They cannot if it exists with the other kind of gold (aligned or not), from another source, or over another
        corpus than `corpus` in a language that is not among the `languages` to be replaced.
        """
        header = _undamaged(self._folder / name) if NAME.fullmatch(name) else None
        if header is None:
            return
        info = header.info
        other = f"Choose another name, for example: --name {name}-2"
        if info.aligned != aligned:
            was, now = ("without", "with") if aligned else ("with", "without")
            raise UsageError(
                f"The dataset “{name}” was imported {was} --aligned and cannot be added to {now} it. {other}"
            )
        if info.kind and metadata.kind and (info.kind, info.answers_in) != (metadata.kind, metadata.answers_in):
            raise UsageError(f"The dataset “{name}” was imported from other files ({info.source[:60]}). {other}")
        if corpus is not None and corpus != info.corpus and set(info.languages) - set(languages):
            was, now = (f"over the corpus “{item}”" if item else "without a corpus" for item in (info.corpus, corpus))
            raise UsageError(f"The dataset “{name}” is {was} and cannot be added to {now}. {other}")

    def _find(self, name: str) -> _Header:
        if NAME.fullmatch(name) and (self._folder / name / HEADER).exists():
            return _read_header(self._folder / name)
        raise unknown_name("dataset", name, [item.name for item in self.list()], "Type: datasets list")

    def _sample(self) -> DatasetInfo:
        counts = {language: len(sample.questions(language)) for language in sample.languages()}
        return DatasetInfo(
            sample.SAMPLE,
            sample.SAMPLE,
            counts,
            aligned=False,
            kind=sample.SAMPLE,
            parallel=True,
            source=SAMPLE_SOURCE,
            licence=SAMPLE_LICENCE,
        )


def _undamaged(folder: Path) -> _Header | None:
    """Return the header in `folder`; None if there is none, or a damaged one, which importing again repairs."""
    if not (folder / HEADER).exists():
        return None
    try:
        return _read_header(folder)
    except DataError:
        return None


def _read_header(folder: Path) -> _Header:
    try:
        header: dict[str, Any] = unsealed(json.loads((folder / HEADER).read_text(encoding="utf-8")))
        metadata = {key: type(default)(header.get(key, default)) for key, default in asdict(DatasetMetadata()).items()}
        files = (
            {str(language): str(name) for language, name in header["files"].items()}
            if "files" in header
            else _files(folder)
        )
        counts = header.get("counts") or {language: _lines(folder / name) for language, name in files.items()}
        languages = {str(language): int(counts[language]) for language in sorted(files)}
        info = DatasetInfo(folder.name, str(header["corpus"]), languages, bool(header["aligned"]), **metadata)
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise DataError(
            f"The header of dataset “{folder.name}” is damaged: import it again under the same name."
        ) from error
    return _Header(info, files)


def _files(folder: Path) -> dict[str, str]:
    """Return the files for a header that does not name them, as older versions wrote it."""
    names = sorted(path.name for path in folder.glob(f"{QUESTIONS}*.jsonl"))
    return {name.removeprefix(QUESTIONS).removesuffix(".jsonl"): name for name in names}


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _check(file: str, lines: Sequence[str]) -> None:
    """Raises ValueError where the questions are not those whose fingerprint is in the file's name."""
    _, dot, mark = file.removeprefix(QUESTIONS).removesuffix(".jsonl").rpartition(".")
    if dot and mark != fingerprint("questions", [f"{line}\n" for line in lines]):
        raise ValueError("the questions are not as they were written")


def _line(question: Question) -> str:
    return json.dumps(question.to_stored(), ensure_ascii=False) + "\n"


def _question(line: str) -> Question:
    return Question.from_stored(json.loads(line))
