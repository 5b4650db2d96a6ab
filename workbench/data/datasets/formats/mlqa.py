"""MLQA: every pair of question language and context language, in SQuAD form.

Source: Lewis et al. (2020), "MLQA: Evaluating Cross-lingual Extractive Question Answering"; files are called
`{split}-context-{language}-question-{language}.json`. The same id is the same question in every language. The selected
contexts become one corpus, and a question's gold is its paragraph in each of them. Its answers are in the question's
language if that is among the contexts; with a single context in another language they are in that language.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

import regex

from workbench.core import DataError, Passage, Question, UsageError, fingerprint, shorten, unknown_name
from workbench.data.datasets.dataset_format import (
    LANGUAGES,
    QUESTIONS_ONLY,
    SPLIT,
    Collection,
    DatasetFormat,
    Folder,
    language_codes,
    no_questions,
)
from workbench.data.datasets.records import checked_folder
from workbench.data.datasets.squad_json import read_paragraphs, with_neighbours

FILE = regex.compile(r"(?P<split>\w+)-context-(?P<context>[a-z]{2})-question-(?P<question>[a-z]{2})\.json")
"""What its files are called."""
LICENCE = "CC BY-SA 3.0"


@dataclass
class _MlqaQuestion:
    """A question in one language: its answers by the language of the context, and its gold in order."""

    text: str
    where: str
    answers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    gold: dict[str, None] = field(default_factory=dict)


def read_mlqa(
    folder: Path, split: str = "test", languages: Sequence[str] = (), contexts: Sequence[str] = ()
) -> Collection:
    """Return the questions in some `languages` over contexts in the languages `contexts` (none: all).

    Raises UsageError for a split or language that has no file, DataError with file and paragraph for an error in one.
    """
    files = _files(folder, split)
    question_languages = _languages("question language of MLQA", languages, {question for _, question in files})
    context_languages = _languages("context language of MLQA", contexts, {context for context, _ in files})
    selected = {
        pair: path for pair, path in files.items() if pair[0] in context_languages and pair[1] in question_languages
    }
    passages: dict[str, dict[str, list[Passage]]] = {context: defaultdict(list) for context in context_languages}
    passage_ids: set[str] = set()
    entries: dict[tuple[str, str], _MlqaQuestion] = {}
    for (context, language), path in selected.items():
        for paragraph in read_paragraphs(path):
            passage_id = f"{fingerprint('mlqa-passage', [paragraph.title, paragraph.text])}.{context}"
            if passage_id not in passage_ids:
                passage_ids.add(passage_id)
                document = f"{fingerprint('mlqa-article', paragraph.title)}.{context}"
                siblings = passages[context][document]
                siblings.append(Passage(passage_id, document, paragraph.title, context, paragraph.text, len(siblings)))
            for item in paragraph.questions:
                entry = entries.setdefault((language, item.id), _MlqaQuestion(item.text, paragraph.where))
                if context in entry.answers:
                    raise DataError(
                        f"The question id “{shorten(item.id)}” in {paragraph.where} is already "
                        "in that file: ids must be unique, so nothing was imported."
                    )
                entry.answers[context] = item.answers
                entry.gold[passage_id] = None
    names = tuple(path.name for path in selected.values())
    if not entries:
        raise no_questions("MLQA", names or (str(folder.name),), {})
    single = len(context_languages) == 1 and set(question_languages) != set(context_languages)
    answers_in = context_languages[0] if single else ""
    questions = tuple(
        Question(name, entry.text, language, _answers(entry, language, answers_in), tuple(entry.gold))
        for (language, name), entry in entries.items()
    )
    return Collection(
        "mlqa",
        f"MLQA {split}, contexts in {', '.join(context_languages)}",
        names,
        questions,
        LICENCE,
        passages=lambda: (
            passage
            for documents in passages.values()
            for siblings in documents.values()
            for passage in with_neighbours(siblings)
        ),
        parallel=True,
        answers_in=answers_in,
    )


def pairs_in(paths: Iterable[PurePath]) -> dict[str, list[tuple[str, str]]]:
    """Return the languages of context and question in the files among `paths`, by split.

    >>> pairs_in([PurePath("test-context-en-question-de.json"), PurePath("readme.md")])
    {'test': [('en', 'de')]}
    """
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for match in filter(None, (FILE.fullmatch(path.name) for path in sorted(paths))):
        pairs[match["split"]].append((match["context"], match["question"]))
    return dict(pairs)


def _files(folder: Path, split: str) -> dict[tuple[str, str], Path]:
    """Return the files of one split by context and question language."""
    checked_folder(folder, "MLQA's files, or their folder MLQA_V1")
    matches = {path: match for path in sorted(folder.rglob("*.json")) if (match := FILE.fullmatch(path.name))}
    splits = {match["split"] for match in matches.values()}
    if not splits:
        raise DataError(
            f"The folder “{shorten(folder.name)}” has no MLQA file. They are called "
            "test-context-en-question-de.json and so on."
        )
    if split not in splits:
        raise unknown_name(
            "split of MLQA", split, splits, "Files are called test-context-en-question-de.json and so on."
        )
    return {(match["context"], match["question"]): path for path, match in matches.items() if match["split"] == split}


def _languages(kind: str, names: Sequence[str], available: set[str]) -> list[str]:
    codes = language_codes(names)
    for code in codes:
        if code not in available:
            raise unknown_name(kind, code, available)
    return list(codes) or sorted(available)


def _answers(entry: _MlqaQuestion, language: str, answers_in: str) -> tuple[str, ...]:
    context = answers_in or language
    if context not in entry.answers:
        raise UsageError(
            f"The MLQA question in {entry.where} has no answer in “{language}”, since no context in it is imported. "
            f"Import a single language of passages, or “{language}” as one of them."
        )
    return entry.answers[context]


def _offered(position: int) -> Callable[[Sequence[PurePath], Mapping[str, Any]], Sequence[str]]:
    """The languages of a split's contexts (0) or questions (1)."""
    return lambda paths, options: sorted({pair[position] for pair in pairs_in(paths).get(options["split"], ())})


FORMAT = DatasetFormat(
    name="mlqa",
    title="MLQA (folder)",
    description="Questions and passages, each in a choice of languages: test-context-en-question-de.json and similar "
    "files.",
    source=Folder("test-context-en-question-de.json and so on", FILE, ("json",)),
    options=(
        replace(SPLIT, offered=lambda paths, _: list(pairs_in(paths))),
        replace(LANGUAGES, title="Question languages", offered=_offered(1)),
        replace(
            LANGUAGES,
            name="contexts",
            flag="--context",
            title="Passage languages",
            help="The languages of the passages to import. Default: all that the files have.",
            offered=_offered(0),
        ),
        QUESTIONS_ONLY,
    ),
    read=read_mlqa,
)
