"""The datasets of a workspace: questions by language, one JSON-lines file each, and a header that says which are valid.

The header is written last and atomically, so a dataset changes in all its languages at once or not at all. Gold names
passages, or, where `aligned`, groups of passages in translation: a group stands for that passage in whatever language
the corpus holds. The sample is always there.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from workbench.corpora import sample
from workbench.corpora.corpus_library import NAME, SAMPLE_LICENCE, SAMPLE_SOURCE, checked_name
from workbench.errors import DataError, UsageError, unknown
from workbench.identity import fingerprint
from workbench.records import Question
from workbench.storage import atomic

QUESTIONS = "questions."
HEADER = "dataset.json"
FIELDS = tuple(field.name for field in fields(Question))


@dataclass(frozen=True, slots=True)
class About:
    """Where a dataset comes from and how it is to be read. `kind` names the loader; `parallel`: one id is one question,
    whatever the language; `answers_in` is the language of the gold answers, "" where it is the question's.
    """

    kind: str = ""
    parallel: bool = False
    answers_in: str = ""
    source: str = ""
    licence: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """A dataset's name, the corpus that its gold passages lie in ("" for none), how many questions it has by language,
    and the rest as in `About`.
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
class _Held:
    """What a header says: the dataset, and its file for each language."""

    info: DatasetInfo
    files: Mapping[str, str]


class DatasetLibrary:
    """Datasets under one folder, one sub-folder each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def list(self) -> list[DatasetInfo]:
        """All datasets, the sample first; a damaged one is left out, and named when it is asked for."""
        own: list[DatasetInfo] = []
        for folder in sorted(entry.parent for entry in self._folder.glob(f"*/{HEADER}")):
            with suppress(DataError):
                own.append(_held(folder).info)
        return [self._sample(), *own]

    def info(self, name: str) -> DatasetInfo:
        """The dataset called `name`. Raises UsageError, or DataError when it is damaged."""
        if name == sample.SAMPLE:
            return self._sample()
        return self._find(name).info

    def questions(self, name: str, code: str, corpus_languages: Sequence[str] = ()) -> tuple[Question, ...]:
        """The questions in one language; gold groups become passages in `corpus_languages`.

        Raises UsageError for a dataset or a language that is not there.
        """
        held = None if name == sample.SAMPLE else self._find(name)
        info = held.info if held else self._sample()
        if code not in info.languages:
            raise unknown(f"language of dataset “{name}”", code, info.languages)
        if held is None:
            return sample.questions(code)
        path = self._folder / name / held.files[code]
        try:
            # Not `splitlines`: a question may hold one of the dozen characters that it takes for a line's end.
            lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
            questions = tuple(_question(line) for line in lines)
        except (ValueError, KeyError, TypeError, FileNotFoundError) as error:
            raise DataError(
                f"The questions in {path.name} of dataset “{name}” are damaged: import the file again."
            ) from error
        if not info.aligned:
            return questions
        return tuple(
            replace(question, gold=tuple(f"{group}.{lang}" for group in question.gold for lang in corpus_languages))
            for question in questions
        )

    def add(
        self, name: str, corpus: str, questions: Sequence[Question], *, aligned: bool, about: About | None = None
    ) -> DatasetInfo:
        """Adds the questions of one or more languages; a language that is there already is replaced.

        `corpus` is "" for questions without passages. Raises UsageError for a bad name, for mixing aligned with
        unaligned gold or one source with another.
        """
        checked_name(name, "dataset")
        if name == sample.SAMPLE:
            raise UsageError(
                "The dataset “sample” is the workbench's own. Choose another name, for example: --name mine"
            )
        about = about or About()
        languages = {question.language for question in questions}
        self.check(name, about, aligned=aligned, corpus=corpus, languages=languages)
        folder = self._folder / name
        held = _undamaged(folder)
        files = dict(held.files) if held else {}
        counts = dict(held.info.languages) if held else {}
        lines: dict[str, list[str]] = defaultdict(list)
        for question in questions:
            lines[question.language].append(_line(question))
        for code, own in lines.items():
            files[code] = f"{QUESTIONS}{code}.{fingerprint('questions', own)}.jsonl"
            counts[code] = len(own)
            atomic.write_text(folder / files[code], "".join(own))
        header = {"corpus": corpus, "aligned": aligned, **asdict(about), "files": files, "counts": counts}
        atomic.write_text(folder / HEADER, json.dumps(header, ensure_ascii=False) + "\n")
        for path in folder.glob(f"{QUESTIONS}*.jsonl"):
            if path.name not in files.values():
                path.unlink(missing_ok=True)
        return _held(folder).info

    def check(
        self, name: str, about: About, *, aligned: bool, corpus: str | None = None, languages: Collection[str] = ()
    ) -> None:
        """Raises UsageError when the dataset exists with the other kind of gold, from another source, or over another
        corpus than `corpus` in a language that is not among the `languages` to be replaced.
        """
        held = _undamaged(self._folder / name) if NAME.fullmatch(name) else None
        if held is None:
            return
        other = f"Choose another name, for example: --name {name}-2"
        if held.info.aligned != aligned:
            was, now = ("without", "with") if aligned else ("with", "without")
            raise UsageError(
                f"The dataset “{name}” was imported {was} --aligned and cannot be added to {now} it. {other}"
            )
        if held.info.kind and about.kind and (held.info.kind, held.info.answers_in) != (about.kind, about.answers_in):
            raise UsageError(f"The dataset “{name}” was imported from other files ({held.info.source[:60]}). {other}")
        if corpus is not None and corpus != held.info.corpus and set(held.info.languages) - set(languages):
            was, now = (
                f"over the corpus “{place}”" if place else "without a corpus" for place in (held.info.corpus, corpus)
            )
            raise UsageError(f"The dataset “{name}” is {was} and cannot be added to {now}. {other}")

    def _find(self, name: str) -> _Held:
        if NAME.fullmatch(name) and (self._folder / name / HEADER).exists():
            return _held(self._folder / name)
        raise unknown("dataset", name, [item.name for item in self.list()], "Type: datasets list")

    def _sample(self) -> DatasetInfo:
        counts = {code: len(sample.questions(code)) for code in sample.languages()}
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


def _undamaged(folder: Path) -> _Held | None:
    """The dataset in `folder`; None where there is none, or a damaged one, which importing again mends."""
    if not (folder / HEADER).exists():
        return None
    try:
        return _held(folder)
    except DataError:
        return None


def _held(folder: Path) -> _Held:
    try:
        header: dict[str, Any] = json.loads((folder / HEADER).read_text(encoding="utf-8"))
        about = {key: type(default)(header.get(key, default)) for key, default in asdict(About()).items()}
        files = (
            {str(code): str(name) for code, name in header["files"].items()} if "files" in header else _files(folder)
        )
        counts = header.get("counts") or {code: _lines(folder / name) for code, name in files.items()}
        languages = {str(code): int(counts[code]) for code in sorted(files)}
        info = DatasetInfo(folder.name, str(header["corpus"]), languages, bool(header["aligned"]), **about)
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise DataError(
            f"The header of dataset “{folder.name}” is damaged: import it again under the same name."
        ) from error
    return _Held(info, files)


def _files(folder: Path) -> dict[str, str]:
    """The files of a header that does not name them, as older workbenches wrote it."""
    names = sorted(path.name for path in folder.glob(f"{QUESTIONS}*.jsonl"))
    return {name.removeprefix(QUESTIONS).removesuffix(".jsonl"): name for name in names}


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _line(question: Question) -> str:
    # Not `asdict`, which copies every value and takes as long as all the rest.
    return json.dumps({name: getattr(question, name) for name in FIELDS}, ensure_ascii=False) + "\n"


def _question(line: str) -> Question:
    data = json.loads(line)
    return Question(**{**data, "answers": tuple(data["answers"]), "gold": tuple(data["gold"])})
