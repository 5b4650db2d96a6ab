"""What a dataset is imported from: a format, its uploaded files or its name on the hub, and what of them is read.

A source is plain values, so that it can be stored with its job and read by another process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.core import UsageError
from workbench.data import Collection, Columns, CorpusLibrary, passages_missing_from, squad_collection


@dataclass(frozen=True, slots=True)
class DatasetSource:
    """What to read, as the format `kind` needs it; the values of other formats stay as they are.

    `language` is that of all files or rows, `languages` are those to import (none: all), `contexts` those of MLQA's
    passages. `root` is the folder among the uploaded files that holds a format's files. `dataset`, `configuration` and
    `split` name rows of the hub; `split` also that of a folder.
    """

    kind: str = ""
    language: str = ""
    languages: Sequence[str] = ()
    contexts: Sequence[str] = ()
    aligned: bool = False
    aliases: bool = True
    english_span: bool | None = None
    questions_only: bool = False
    split: str = "test"
    root: str = ""
    sheet: str = ""
    columns: Columns = field(default_factory=Columns)
    gold_corpus: str = ""
    dataset: str = ""
    configuration: str = ""


def open_source(source: DatasetSource, staged: Path, corpora: CorpusLibrary) -> Collection:
    """Reads and checks a source, whose files are in the folder `staged`.

    Each is in a folder named by its number, or all are there by their paths. They must stay until the import is
    complete, since passages are read more than once.

    Raises UsageError for a format that does not exist and files that are gone, and what the format's reader raises.
    """
    read = READERS.get(source.kind)
    if read is None:
        raise UsageError(f"The workbench does not import the format “{source.kind}”. Select another one.")
    collection = (
        read(source, Path(), corpora) if source.kind == "hub" else read(source, _staged(source, staged), corpora)
    )
    return collection.without_passages() if source.questions_only else collection


def _staged(source: DatasetSource, staged: Path) -> Path:
    if not staged.is_dir():
        raise UsageError("The uploaded files are gone. Add them again.")
    return staged / source.root


def _files(staged: Path) -> list[Path]:
    """The files in the order in which they were uploaded."""
    folders = sorted((entry for entry in staged.iterdir() if entry.name.isdecimal()), key=lambda entry: int(entry.name))
    return [path for folder in folders for path in folder.iterdir()]


def _table(source: DatasetSource, staged: Path, corpora: CorpusLibrary) -> Collection:
    from workbench.data import read_table

    gold = source.gold_corpus if source.columns.gold else ""
    collection = read_table(
        _files(staged)[0],
        source.columns,
        language=source.language,
        languages=source.languages,
        sheet=source.sheet,
        missing_passages=passages_missing_from(corpora, gold) if gold else None,
    )
    return replace(collection, corpus=gold) if gold else collection


def _hub(source: DatasetSource, _staged: Path, _corpora: CorpusLibrary) -> Collection:
    from workbench.data import read_hub

    return read_hub(
        source.dataset,
        source.columns,
        config=source.configuration,
        split=source.split,
        language=source.language,
        languages=source.languages,
    )


def _squad(source: DatasetSource, staged: Path, _corpora: CorpusLibrary) -> Collection:
    return squad_collection(_files(staged), source.language, aligned=source.aligned)


def _mkqa(source: DatasetSource, staged: Path, _corpora: CorpusLibrary) -> Collection:
    from workbench.data import read_mkqa

    return read_mkqa(_files(staged)[0], source.languages, aliases=source.aliases)


def _xor_tydi(source: DatasetSource, staged: Path, _corpora: CorpusLibrary) -> Collection:
    from workbench.data import read_xor_tydi

    return read_xor_tydi(_files(staged)[0], source.languages, english_span=source.english_span)


def _tydi_qa(source: DatasetSource, staged: Path, _corpora: CorpusLibrary) -> Collection:
    from workbench.data import read_gold_passages, read_tydi_qa

    file = _files(staged)[0]
    read = read_gold_passages if file.name.lower().endswith(".json") else read_tydi_qa
    return read(file, source.languages)


def _natural_questions(_source: DatasetSource, staged: Path, _corpora: CorpusLibrary) -> Collection:
    from workbench.data import read_natural_questions

    return read_natural_questions(_files(staged)[0])


def _mlqa(source: DatasetSource, staged: Path, _corpora: CorpusLibrary) -> Collection:
    from workbench.data import read_mlqa

    return read_mlqa(staged, source.split, source.languages, source.contexts)


def _beir(source: DatasetSource, staged: Path, _corpora: CorpusLibrary) -> Collection:
    from workbench.data import read_beir

    return read_beir(staged, source.language, source.split)


def _autorag(source: DatasetSource, staged: Path, _corpora: CorpusLibrary) -> Collection:
    from workbench.data import read_autorag

    return read_autorag(staged, source.language)


def _borderlines(source: DatasetSource, staged: Path, _corpora: CorpusLibrary) -> Collection:
    from workbench.data import read_borderlines

    return read_borderlines(staged, source.languages)


READERS: Mapping[str, Callable[[DatasetSource, Path, CorpusLibrary], Collection]] = {
    "table": _table,
    "hub": _hub,
    "squad": _squad,
    "mkqa": _mkqa,
    "xor-tydi": _xor_tydi,
    "tydi-qa": _tydi_qa,
    "natural-questions": _natural_questions,
    "mlqa": _mlqa,
    "beir": _beir,
    "autorag": _autorag,
    "borderlines": _borderlines,
}
"""How each format is read, by the words of the command line."""
