"""MLQA: every pair of question language and context language, in SQuAD form.

Source: Lewis et al. 2020, "MLQA: Evaluating Cross-lingual Extractive Question Answering"; files called
`{split}-context-{language}-question-{language}.json`.  The same id is the same question in every language.  The chosen
contexts become one corpus, and a question's gold are its paragraphs in each of them.  Its answers are in its own
language where that is among the contexts; with a single context of another language they are in that one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import regex

from workbench.datasets.collection import Collection, checked_languages, none_left
from workbench.datasets.files.text_files import checked_folder
from workbench.datasets.formats.squad_form import linked, read_paragraphs
from workbench.errors import DataError, UsageError, shorten, unknown
from workbench.identity import fingerprint
from workbench.records import Passage, Question

FILE = regex.compile(r"(?P<split>\w+)-context-(?P<context>[a-z]{2})-question-(?P<question>[a-z]{2})\.json")
"""What its files are called."""
LICENCE = "CC BY-SA 3.0"


@dataclass
class _Asked:
    """A question in one language as its files give it: answers by the language of the context."""

    text: str
    where: str
    answers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    gold: dict[str, None] = field(default_factory=dict)


def read_mlqa(
    folder: Path, split: str = "test", wanted: Sequence[str] = (), contexts: Sequence[str] = ()
) -> Collection:
    """The questions in the languages `wanted` over contexts in the languages `contexts` (none: all there are).

    Raises UsageError for a split or language that has no file, DataError with file and paragraph for what is wrong.
    """
    files = _files(folder, split)
    asked_in = _chosen("question language of MLQA", wanted, {question for _, question in files})
    found_in = _chosen("context language of MLQA", contexts, {context for context, _ in files})
    taken = {pair: path for pair, path in files.items() if pair[0] in found_in and pair[1] in asked_in}
    passages: dict[str, dict[str, list[Passage]]] = {context: defaultdict(list) for context in found_in}
    placed: set[str] = set()
    asked: dict[tuple[str, str], _Asked] = {}
    for (context, code), path in taken.items():
        for paragraph in read_paragraphs(path):
            place = f"{fingerprint('mlqa-passage', [paragraph.title, paragraph.text])}.{context}"
            if place not in placed:
                placed.add(place)
                document = f"{fingerprint('mlqa-article', paragraph.title)}.{context}"
                held = passages[context][document]
                held.append(Passage(place, document, paragraph.title, context, paragraph.text, len(held)))
            for item in paragraph.asked:
                entry = asked.setdefault((code, item.id), _Asked(item.text, paragraph.where))
                if context in entry.answers:
                    raise DataError(
                        f"The question id “{shorten(item.id)}” in {paragraph.where} stands already "
                        "in that file: ids must be unique, so nothing was imported."
                    )
                entry.answers[context] = item.answers
                entry.gold[place] = None
    names = tuple(path.name for path in taken.values())
    if not asked:
        raise none_left("MLQA", names or (str(folder.name),), {})
    answers_in = found_in[0] if len(found_in) == 1 and set(asked_in) != set(found_in) else ""
    questions = tuple(
        Question(name, entry.text, code, _answers(entry, code, answers_in), tuple(entry.gold))
        for (code, name), entry in asked.items()
    )
    return Collection(
        "mlqa",
        f"MLQA {split}, contexts in {', '.join(found_in)}",
        names,
        questions,
        LICENCE,
        passages=lambda: (passage for held in passages.values() for made in held.values() for passage in linked(made)),
        parallel=True,
        answers_in=answers_in,
    )


def pairs_in(names: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """By split the languages of context and question that files of these names hold.

    >>> pairs_in(["test-context-en-question-de.json", "readme.md"])
    {'test': [('en', 'de')]}
    """
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for match in filter(None, map(FILE.fullmatch, sorted(names))):
        found[match["split"]].append((match["context"], match["question"]))
    return dict(found)


def _files(folder: Path, split: str) -> dict[tuple[str, str], Path]:
    """The files of one split by context and question language."""
    checked_folder(folder, "MLQA's files, or their folder MLQA_V1")
    found = {path: match for path in sorted(folder.rglob("*.json")) if (match := FILE.fullmatch(path.name))}
    splits = {match["split"] for match in found.values()}
    if not splits:
        raise DataError(
            f"The folder “{shorten(folder)}” has no file of MLQA, whose files are called "
            "test-context-en-question-de.json and so on."
        )
    if split not in splits:
        raise unknown("split of MLQA", split, splits, "Files are called test-context-en-question-de.json and so on.")
    return {(match["context"], match["question"]): path for path, match in found.items() if match["split"] == split}


def _chosen(kind: str, wanted: Sequence[str], found: set[str]) -> list[str]:
    codes = checked_languages(wanted)
    for code in codes:
        if code not in found:
            raise unknown(kind, code, found)
    return list(codes) or sorted(found)


def _answers(entry: _Asked, code: str, answers_in: str) -> tuple[str, ...]:
    chosen = answers_in or code
    if chosen not in entry.answers:
        raise UsageError(
            f"MLQA's question in {entry.where} has no answer in “{code}”, since no context in it is taken. "
            f"Take a single context language, or add --context {code}"
        )
    return entry.answers[chosen]
