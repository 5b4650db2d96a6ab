"""The datasets of a workspace: one JSON-lines file of questions per language, and a header that names the valid files.

The header is what makes a dataset. It is written last and atomically, so a dataset changes in all its languages at once
or not at all. Gold names passages or, if `aligned`, groups of passages in translation: a group means that passage in
every language of the corpus. Where `gold_level` is `page`, it names pages by their keys (`corpora.passage_table`). The
sample is always there.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.core import BY_PAGE, BY_PASSAGE, DataError, Question, UsageError, fingerprint, page_name, unknown_name
from workbench.data.corpora import sample
from workbench.data.corpora.corpus_library import NAME, SAMPLE_LICENCE, SAMPLE_SOURCE, checked_name
from workbench.workspace import atomic, name_lock, sealed, unsealed, verb

QUESTIONS = "questions."
HEADER = "dataset.json"


@dataclass(frozen=True, slots=True)
class DatasetMetadata:
    """Where a dataset comes from and how its questions are read.

    `kind` names the loader. If `parallel`, one id is one question in every language. `answers_in` is the language of
    the gold answers, "" if it is the question's. `gold_level` is what gold names: passages (`passage`) or pages
    (`page`) by their keys. `evaluation`: its questions are kept for evaluation, so that nothing is tuned on them.
    """

    kind: str = ""
    parallel: bool = False
    answers_in: str = ""
    source: str = ""
    licence: str = ""
    description: str = ""
    gold_level: str = BY_PASSAGE
    evaluation: bool = False


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
    evaluation: bool = False


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
        metadata = {key: type(default)(header.get(key, default)) for key, default in asdict(DatasetMetadata()).items()}
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
        for listing in source.split("; "):
            title, _, names = listing.partition(": ")
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


SAMPLE_STAYS = (
    "The dataset “sample” belongs to the workbench, which brings it along: it can be neither renamed nor deleted."
)


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
                imported.append(read_header(folder).info)
        return [self._sample(), *imported]

    def damaged(self) -> Sequence[str]:
        """Return the names of the datasets whose header cannot be read."""
        folders = sorted(entry.parent for entry in self._folder.glob(f"*/{HEADER}"))
        return [folder.name for folder in folders if undamaged_header(folder) is None]

    def info(self, name: str) -> DatasetInfo:
        """Return the dataset called `name`. Raises UsageError if there is none, DataError if it is damaged."""
        if name == sample.SAMPLE:
            return self._sample()
        return self._find(name).info

    def questions(self, name: str, language: str, corpus_languages: Sequence[str] = ()) -> tuple[Question, ...]:
        """Return the questions in one language; gold groups become passages in `corpus_languages`, keys names of pages.

        Raises UsageError for an unknown dataset or a language that it does not have, DataError for damaged questions.
        """
        header = None if name == sample.SAMPLE else self._find(name)
        info = header.info if header else self._sample()
        if language not in info.languages:
            raise unknown_name(f"language of dataset “{name}”", language, info.languages)
        if header is None:
            return sample.questions(language)
        path = self._folder / name / header.files[language]
        with _reporting_damage(name, path.name):
            lines = list(question_lines(path))
            check_lines(path.name, lines)
            questions = tuple(read_question(line) for line in lines)
        if info.gold_level == BY_PAGE:
            return tuple(replace(question, gold=tuple(map(page_name, question.gold))) for question in questions)
        if not info.aligned:
            return questions
        return tuple(
            replace(question, gold=tuple(f"{group}.{code}" for group in question.gold for code in corpus_languages))
            for question in questions
        )

    @verb("datasets.add", "{name}")
    def add(
        self,
        name: str,
        corpus: str,
        questions: Sequence[Question],
        *,
        aligned: bool,
        metadata: DatasetMetadata | None = None,
        extends: bool = False,
    ) -> DatasetInfo:
        """Add the questions of one or more languages; a language that is there already is replaced.

        `corpus` is "" for questions without passages. `extends`: the questions contain those that were there, so the
        former sources stay listed. Raises UsageError for a bad name, and as `check` does.
        """
        checked_name(name, "dataset")
        with self.changing(name):
            return self._add(name, corpus, questions, aligned=aligned, metadata=metadata, extends=extends)

    def each_question(self, name: str, language: str, start: int = 0) -> Iterator[Question]:
        """Yield the questions in one language from the one numbered `start` (from 0) on, one in memory at a time.

        Gold groups and keys of pages stay as they are. Raises as `questions` does, where it comes upon what is damaged.
        """
        header = None if name == sample.SAMPLE else self._find(name)
        languages = header.info.languages if header else self._sample().languages
        if language not in languages:
            raise unknown_name(f"language of dataset “{name}”", language, languages)
        if header is None:
            yield from sample.questions(language)[start:]
            return
        path = self._folder / name / header.files[language]
        with _reporting_damage(name, path.name):
            for line in question_lines(path, start):
                yield read_question(line)

    @verb("datasets.rename", "{name}")
    def rename(self, name: str, new: str) -> DatasetInfo:
        """Give the dataset called `name` another name, at once or not at all. Its corpus keeps its name.

        Raises UsageError for the sample, a dataset that does not exist, a name that is taken or not allowed, and
        DataError for a damaged dataset.
        """
        if sample.SAMPLE in (name, new):
            raise UsageError(SAMPLE_STAYS)
        checked_name(new, "dataset")
        with ExitStack() as stack:
            self._find(name)
            for each in sorted({name, new}):
                stack.enter_context(self.changing(each))
            self._find(name)
            target = self._folder / new
            if (target / HEADER).exists():
                raise UsageError(f"A dataset “{new}” already exists. Choose another name, for example: {new[:60]}-2")
            shutil.rmtree(target, ignore_errors=True)
            (self._folder / name).rename(target)
        return read_header(target).info

    @verb("datasets.add", "{name}")
    def keep_for_evaluation(self, name: str) -> None:
        """Marks the dataset called `name`, under any later name, as one on whose questions nothing is tuned.

        The sample has no header to mark: sets of demonstrations name it. Raises UsageError for one that does not exist.
        """
        if name != sample.SAMPLE:
            self._find(name)
            with self.changing(name):
                header = self._find(name)
                write_header(self._folder / name, replace(header, info=replace(header.info, evaluation=True)))

    @verb("datasets.delete", "{name}")
    def remove(self, name: str) -> None:
        """Delete a dataset, damaged or not; its header first, so a half-deleted one never passes for complete.

        Raises UsageError for the sample or a dataset that does not exist.
        """
        self.check_removable(name)
        with self.changing(name):
            folder = self._folder / name
            if not (folder / HEADER).exists():
                raise self._unknown(name)
            (folder / HEADER).unlink()
            shutil.rmtree(folder, ignore_errors=True)

    def check_removable(self, name: str) -> None:
        """Raise UsageError for the sample or a dataset that does not exist."""
        if name == sample.SAMPLE:
            raise UsageError(SAMPLE_STAYS)
        if name not in self.damaged():
            self._find(name)

    @verb("corpora.rename", "{corpus}")
    def follow(self, corpus: str, new: str) -> None:
        """Make the datasets over `corpus` be over the corpus `new`, which was called `corpus` before."""
        for info in self.list():
            if info.name != sample.SAMPLE and info.corpus == corpus:
                with self.changing(info.name):
                    header = undamaged_header(self._folder / info.name)
                    if header and header.info.corpus == corpus:
                        renamed = replace(header.info, corpus=new)
                        write_header(self._folder / info.name, replace(header, info=renamed))

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
        extends: bool,
    ) -> DatasetInfo:
        if name == sample.SAMPLE:
            raise UsageError("The dataset “sample” is the workbench's own. Choose another name, for example: mine")
        metadata = metadata or DatasetMetadata()
        lines: dict[str, list[str]] = defaultdict(list)
        for question in questions:
            lines[question.language].append(question_line(question))
        self.check(name, metadata, aligned=aligned, corpus=corpus, languages=lines)
        folder = self._folder / name
        previous = undamaged_header(folder)
        files = dict(previous.files) if previous else {}
        counts = dict(previous.info.languages) if previous else {}
        sources = dict(previous.sources) if previous else {}
        for language, texts in lines.items():
            files[language] = file_name(language, texts)
            counts[language] = len(texts)
            former = [sources[language]] if extends and language in sources else []
            sources[language] = joined_sources([*former, metadata.source])
            atomic.write_text(folder / files[language], "".join(texts))
        # Where questions of earlier imports stay, ids are shared by all only if they were by those.
        stay = previous is not None and bool(set(counts) - set(lines) or extends)
        parallel = metadata.parallel and not (stay and previous and not previous.info.parallel)
        # What is kept for evaluation stays so, whatever is imported into it.
        evaluation = metadata.evaluation or (previous is not None and previous.info.evaluation)
        stored = {**asdict(metadata), "parallel": parallel, "evaluation": evaluation}
        write_header(folder, DatasetHeader(DatasetInfo(name, corpus, counts, aligned, **stored), files, sources))
        for path in folder.glob(f"{QUESTIONS}*.jsonl"):
            if path.name not in files.values():
                path.unlink(missing_ok=True)
        return read_header(folder).info

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
        header = undamaged_header(self._folder / name) if NAME.fullmatch(name) else None
        if header is None:
            return
        info = header.info
        other = f"Choose another name, for example: {name}-2"
        if info.aligned != aligned:
            was, now = ("not aligned", "aligned") if aligned else ("aligned", "not aligned")
            raise UsageError(
                f"The dataset “{name}” is {was} across languages, and these files are {now}: they cannot be one "
                f"dataset. {other}"
            )
        if info.gold_level != metadata.gold_level and metadata.kind:
            raise UsageError(
                f"The gold of the dataset “{name}” is by {info.gold_level}, and that of these files by "
                f"{metadata.gold_level}: they cannot be one dataset. {other}"
            )
        if info.kind and metadata.kind and (info.kind, info.answers_in) != (metadata.kind, metadata.answers_in):
            raise UsageError(f"The dataset “{name}” was imported from other files ({info.source[:60]}). {other}")
        if corpus is not None and corpus != info.corpus and set(info.languages) - set(languages):
            was, now = (
                f"over the corpus “{corpus_name}”" if corpus_name else "without a corpus"
                for corpus_name in (info.corpus, corpus)
            )
            raise UsageError(f"The dataset “{name}” is {was} and cannot be added to {now}. {other}")

    def _find(self, name: str) -> DatasetHeader:
        if NAME.fullmatch(name) and (self._folder / name / HEADER).exists():
            return read_header(self._folder / name)
        raise self._unknown(name)

    def _unknown(self, name: str) -> UsageError:
        return unknown_name("dataset", name, [item.name for item in self.list()], command="Type: datasets list")

    def _sample(self) -> DatasetInfo:
        counts = {language: len(sample.questions(language)) for language in sample.languages()}
        name, source, licence = sample.SAMPLE, SAMPLE_SOURCE, SAMPLE_LICENCE
        return DatasetInfo(name, name, counts, aligned=False, kind=name, parallel=True, source=source, licence=licence)


@contextmanager
def _reporting_damage(name: str, file: str) -> Iterator[None]:
    """Turns what damaged questions raise into a DataError."""
    try:
        yield
    except (ValueError, KeyError, TypeError, FileNotFoundError) as error:
        raise DataError(f"The questions in {file} of dataset “{name}” are damaged: import the file again.") from error
