"""Reads the sample's YAML files into articles, passages, questions and aligned sentences.

`articles/<language>.yaml` hold articles by topic, already divided into passages of sentences; outside English each
sentence carries its English translation. `questions/<language>.yaml` hold every question with its gold answers and
gold passages in that language. Passage ids are `topic.language.n`, n from 1.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml

from workbench.core import DIGITS, NO_EVIDENCE, DataError, Passage, Question, package_yaml
from workbench.languages import CHIRKOVA_LANGUAGES, ENGLISH, language as known_language

SAMPLE = "sample"
"""The corpus's and the dataset's name."""
SAMPLE_VECTORS = Path(__file__).with_name("vectors.npz")
"""Its texts by e5-small, which ship with it: the first start computes none."""
SAMPLE_IS_FIXED = (
    "The corpus “sample” belongs to the workbench: its documents can be neither added to nor removed. Import documents "
    "as a corpus of your own."
)
SAMPLE_STAYS = (
    "The corpus “sample” belongs to the workbench, which builds it when it is opened: it can be neither renamed nor "
    "deleted."
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and its English translation (itself, in English)."""

    text: str
    english: str


@dataclass(frozen=True, slots=True)
class Article:
    """One topic in one language. `local`: it contains more than the English article."""

    topic: str
    language: str
    title: str
    passages: tuple[tuple[Sentence, ...], ...]
    local: bool = False


@cache
def fingerprint() -> str:
    """Changes with any of the files. They ship with the code, so they are read once per process."""
    digest = hashlib.sha256()
    for kind in ("articles", "questions"):
        for language in languages():
            digest.update(_resource(kind, language).read_bytes())
    return digest.hexdigest()[:DIGITS]


def languages() -> tuple[str, ...]:
    """The sample's languages, English first."""
    return CHIRKOVA_LANGUAGES


@cache
def articles(language: str) -> tuple[Article, ...]:
    """The articles in one language, in file order."""
    return tuple(_article(language, entry) for entry in _read("articles", language))


@cache
def passages() -> tuple[Passage, ...]:
    """Every passage in every language: languages in order, articles in file order, passages in article order."""
    return tuple(
        passage for language in languages() for article in articles(language) for passage in _passages(article)
    )


@cache
def questions(language: str) -> tuple[Question, ...]:
    """Every question in one language; `gold` holds the gold passages of all languages, those in `language` first."""
    gold = {
        each: {entry["id"]: tuple(entry.get("gold") or ()) for entry in _read("questions", each)}
        for each in languages()
    }
    english = {entry["id"]: entry for entry in _read("questions", ENGLISH)}
    order = (language, *(each for each in languages() if each != language))
    return tuple(
        Question(
            id=entry["id"],
            text=entry["question"],
            language=language,
            answers=tuple(str(answer) for answer in entry["answers"]),
            gold=tuple(passage for each in order for passage in gold[each].get(entry["id"], ())),
            evidence_in=_evidence_in(
                english[entry["id"]],
                in_english=bool(gold[ENGLISH].get(entry["id"])),
                in_ul=bool(gold[language].get(entry["id"])),
            ),
            phenomenon=english[entry["id"]].get("phenomenon", ""),
        )
        for entry in _read("questions", language)
    )


@cache
def aligned_sentences() -> tuple[tuple[tuple[str, str], ...], ...]:
    """Groups of (language, text) that translate each other: one group for each English sentence, title and question.

    A sentence that several languages share is one group, so languages are aligned with each other through English.
    """
    groups: dict[str, dict[str, str]] = {}

    def add(english: str, language: str, text: str) -> None:
        groups.setdefault(english, {ENGLISH: english}).setdefault(language, text)

    titles = {article.topic: article.title for article in articles(ENGLISH)}
    for language in languages():
        for article in articles(language):
            add(titles[article.topic], language, article.title)
            for passage in article.passages:
                for sentence in passage:
                    add(sentence.english, language, sentence.text)
    english_texts = {question.id: question.text for question in questions(ENGLISH)}
    for language in languages():
        for question in questions(language):
            add(english_texts[question.id], language, question.text)
    return tuple(tuple(group.items()) for group in groups.values())


def _evidence_in(english_entry: dict[str, Any], *, in_english: bool, in_ul: bool) -> str:
    if english_entry.get("unanswerable"):
        return NO_EVIDENCE
    if english_entry.get("conflict"):
        return "conflict"
    if in_english and in_ul:
        return "both"
    if in_ul:
        return "ul"
    return "en" if in_english else "other"


def _article(language: str, entry: dict[str, Any]) -> Article:
    return Article(
        topic=entry["topic"],
        language=language,
        title=entry["title"],
        local=bool(entry.get("local", False)),
        passages=tuple(
            tuple(
                Sentence(sentence, sentence)
                if isinstance(sentence, str)
                else Sentence(sentence["text"], sentence["en"])
                for sentence in passage
            )
            for passage in entry["passages"]
        ),
    )


def _passages(article: Article) -> list[Passage]:
    separator = "" if known_language(article.language).spaceless and article.language != "th" else " "
    ids = [f"{article.topic}.{article.language}.{n}" for n in range(1, len(article.passages) + 1)]
    return [
        Passage(
            id=ids[n],
            document=f"{article.topic}.{article.language}",
            title=article.title,
            language=article.language,
            text=separator.join(sentence.text for sentence in sentences),
            position=n,
            previous=ids[n - 1] if n else "",
            next=ids[n + 1] if n + 1 < len(ids) else "",
        )
        for n, sentences in enumerate(article.passages)
    ]


def _resource(kind: str, language: str) -> Traversable:
    return files("workbench.data.corpora.sample").joinpath(kind).joinpath(f"{language}.yaml")


def _read(kind: str, language: str) -> list[dict[str, Any]]:
    try:
        data = package_yaml("workbench.data.corpora.sample", f"{kind}/{language}.yaml")
    except yaml.YAMLError as error:
        raise DataError(f"The sample file {kind}/{language}.yaml is not YAML: {error}".replace("\n", " ")) from error
    entries: list[dict[str, Any]] = data[kind]
    return entries
