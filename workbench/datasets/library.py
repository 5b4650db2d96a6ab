"""The datasets of a workspace: questions by language, one JSON-lines file each, written atomically.

A dataset's gold names passages, or, where `aligned`, groups of passages in translation: a group stands for that
passage in whatever language the corpus holds. The sample is always there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from workbench.corpora import sample
from workbench.corpora.library import NAME, checked_name
from workbench.errors import DataError, UsageError, unknown
from workbench.records import Question
from workbench.storage import atomic

QUESTIONS = "questions."
HEADER = "dataset.json"


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """A dataset's name, the corpus that its gold passages lie in, and how many questions it has by language."""

    name: str
    corpus: str
    languages: dict[str, int]
    aligned: bool


class DatasetLibrary:
    """Datasets under one folder, one sub-folder each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def list(self) -> list[DatasetInfo]:
        """All datasets, the sample first; a damaged one is left out, and named when it is asked for."""
        own: list[DatasetInfo] = []
        for folder in sorted(entry.parent for entry in self._folder.glob(f"*/{HEADER}")):
            with suppress(DataError):
                own.append(self._info(folder))
        return [self._sample(), *own]

    def info(self, name: str) -> DatasetInfo:
        """The dataset called `name`. Raises UsageError, or DataError when it is damaged."""
        if name == sample.SAMPLE:
            return self._sample()
        if NAME.fullmatch(name) and (self._folder / name / HEADER).exists():
            return self._info(self._folder / name)
        raise unknown("dataset", name, [item.name for item in self.list()], "Type: datasets list")

    def questions(self, name: str, code: str, corpus_languages: Sequence[str] = ()) -> tuple[Question, ...]:
        """The questions in one language; gold groups become passages in `corpus_languages`.

        Raises UsageError for a dataset or a language that is not there.
        """
        info = self.info(name)
        if code not in info.languages:
            raise unknown(f"language of dataset “{name}”", code, info.languages)
        if name == sample.SAMPLE:
            return sample.questions(code)
        path = self._folder / name / f"{QUESTIONS}{code}.jsonl"
        try:
            # Not `splitlines`: a question may hold one of the dozen characters that it takes for a line's end.
            lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
            questions = tuple(_question(line) for line in lines)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"The questions in {path.name} of dataset “{name}” are damaged: import the file again."
            ) from error
        if not info.aligned:
            return questions
        return tuple(
            replace(question, gold=tuple(f"{group}.{lang}" for group in question.gold for lang in corpus_languages))
            for question in questions
        )

    def add(self, name: str, corpus: str, questions: Sequence[Question], *, aligned: bool) -> DatasetInfo:
        """Adds the questions of one or more languages; a language that is there already is replaced.

        Raises UsageError for a bad name or for mixing aligned with unaligned gold.
        """
        checked_name(name, "dataset")
        if name == sample.SAMPLE:
            raise UsageError(
                "The dataset “sample” is the workbench's own. Choose another name, for example: --name mine"
            )
        self.check_alignment(name, aligned=aligned)
        folder = self._folder / name
        for code in sorted({item.language for item in questions}):
            lines = [json.dumps(asdict(item), ensure_ascii=False) for item in questions if item.language == code]
            atomic.write_text(folder / f"{QUESTIONS}{code}.jsonl", "\n".join(lines) + "\n")
        atomic.write_text(folder / HEADER, json.dumps({"corpus": corpus, "aligned": aligned}) + "\n")
        return self._info(folder)

    def check_alignment(self, name: str, *, aligned: bool) -> None:
        """Raises UsageError when the dataset exists with the other kind of gold."""
        folder = self._folder / name
        try:
            known = self._info(folder) if (folder / HEADER).exists() else None
        except DataError:
            return  # Damaged: importing again is the remedy.
        if known is not None and known.aligned != aligned:
            was, now = ("without", "with") if aligned else ("with", "without")
            raise UsageError(
                f"The dataset “{name}” was imported {was} --aligned and cannot be added to {now} it. Choose another name, for example: --name {name}-2"
            )

    def _info(self, folder: Path) -> DatasetInfo:
        try:
            header = json.loads((folder / HEADER).read_text(encoding="utf-8"))
            corpus, aligned = str(header["corpus"]), bool(header["aligned"])
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"The header of dataset “{folder.name}” is damaged: import it again under the same name."
            ) from error
        counts = {}
        for path in sorted(folder.glob(f"{QUESTIONS}*.jsonl")):
            with path.open("rb") as file:
                counts[path.name.removeprefix(QUESTIONS).removesuffix(".jsonl")] = sum(1 for _ in file)
        return DatasetInfo(folder.name, corpus, counts, aligned)

    def _sample(self) -> DatasetInfo:
        counts = {code: len(sample.questions(code)) for code in sample.languages()}
        return DatasetInfo(sample.SAMPLE, sample.SAMPLE, counts, aligned=False)


def _question(line: str) -> Question:
    data = json.loads(line)
    return Question(**{**data, "answers": tuple(data["answers"]), "gold": tuple(data["gold"])})
