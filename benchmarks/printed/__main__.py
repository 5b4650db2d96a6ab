"""Encyclopedia articles as a browser prints them, added and asked.

    python -m benchmarks.printed [--show] [--home DIR] [--form printed|unreferenced|text]

Twelve own articles in six scripts, with sections, info boxes, running heads and English lists of references, are
printed to PDF by Chromium and added to a fresh workspace by `corpora add` alone. Each of 48 questions is asked in two
other languages by the default recipe, as `ask` does. Right is an answer that holds the figure asked for.

Where a wrong answer was lost: *reading* (no passage of the article holds the figure), *retrieval* (none of the five
documents holds it), *reader* (one does, the answer does not). `--show` prints each question that failed. For
comparison, `--form unreferenced` prints them without the lists of references, `--form text` adds their words alone.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from benchmarks.printed.article_pages import Article, FigureQuestion, articles, print_articles, write_texts
from benchmarks.screens.running import environment
from workbench.app.workbench import Workbench
from workbench.core.records import Answer, Passage
from workbench.metrics.statistics.intervals import clustered_interval
from workbench.pipeline.recipe import Recipe
from workbench.workspace.settings import load as settings

CORPUS = "printed"
FORMS = ("printed", "unreferenced", "text")
"""As a browser prints them; so, without the lists of references; the words alone, as text files."""
FIRST = 3
"""The documents among which no list of references should be."""
ENTRY_START = re.compile(r"\^ [“\"]|https?://\w+\.example\.org/\d{4}/")
ENTRY_END = re.compile(r"Retrieved\s+\d{4}-\d{2}-\d{2}")
ENTRIES = 2
"""Entries from which a passage has a piece of a list of references."""
LIST_OF_REFERENCES = 0.5
"""Share of its characters from which a passage is one."""
BOX_VALUES = 4
"""Values of an info box from which an answer quotes it as a whole."""
Loss = Literal["", "reading", "retrieval", "reader"]


@dataclass(frozen=True, slots=True)
class Reply:
    """A question as it was asked in a language, with its answer; `is_readable`: a passage of its article has it."""

    question: FigureQuestion
    article: Article
    language: str
    answer: Answer
    is_readable: bool

    @property
    def is_right(self) -> bool:
        """Whether the answer holds the figure."""
        return self.question.is_in(self.answer.text)

    @property
    def rank(self) -> int:
        """The rank of the first document from the article that holds the figure, 0 where none does."""
        ranks = (item.rank for item in self.answer.evidence if _holds(item.passage, self.question))
        return next(ranks, 0)

    def references(self, share: float) -> int:
        """How many of the first documents are at least by `share` a list of references."""
        first = [item.passage.text for item in self.answer.evidence if item.rank <= FIRST]
        return sum(_references_share(text) > 0 and _references_share(text) >= share for text in first)

    @property
    def is_of_box(self) -> bool:
        """Whether the figure stands in the info box."""
        return any(self.question.is_in(value) for _, value in self.article.box)

    @property
    def quotes_box(self) -> bool:
        """Whether the answer is the info box as a whole, so that the figure is one of many."""
        return sum(value in self.answer.text for _, value in self.article.box) >= BOX_VALUES

    @property
    def loss(self) -> Loss:
        """Where a wrong answer was lost."""
        if self.is_right:
            return ""
        if not self.is_readable:
            return "reading"
        return "reader" if self.rank else "retrieval"


def check(every: Sequence[Article]) -> None:
    """Raises AssertionError where a figure does not stand once in all articles, outside the references of its own."""
    for article in every:
        references = "\n".join(f"{item.title} {item.url} {item.date}" for item in article.references)
        for question in article.questions:
            counts = question.count_in(article.body), question.count_in(references)
            assert counts == (1, 0), f"{question.name}: {question.figure} stands {counts} times in body and references"
            others = [other.name for other in every if other is not article and question.is_in(other.body)]
            assert not others, f"{question.name}: {question.figure} stands in {others}, too"


def add(files: Sequence[Path], home: Path) -> None:
    """Adds the files to a new corpus by the command line; prints what it says."""
    command = [sys.executable, "-m", "workbench", "corpora", "add", CORPUS, *map(str, files)]
    subprocess.run(command, env=environment(home), check=True)


def ask(every: Sequence[Article], home: Path) -> Iterator[Reply]:
    """Each question, asked in each of its languages by the default recipe."""
    bench = Workbench(settings(home))
    passages = list(bench.corpus(CORPUS).table)
    for article in every:
        for question in article.questions:
            is_readable = any(_holds(passage, question) for passage in passages)
            for language, text in question.texts.items():
                answer = bench.ask(text, language, Recipe(corpus=CORPUS), cached=False)
                yield Reply(question, article, language, answer, is_readable)


def _holds(passage: Passage, question: FigureQuestion) -> bool:
    is_of_article = Path(passage.document).stem == question.article
    return is_of_article and question.is_in(passage.text)


def _references_share(text: str) -> float:
    """The share of a text that lies between the first entry of a list of references and the last; 0 below two."""
    starts = [match.start() for match in ENTRY_START.finditer(text)]
    ends = [match.end() for match in ENTRY_END.finditer(text)]
    return (max(ends) - min(starts)) / len(text) if len(ends) >= ENTRIES and starts else 0.0


def report(replies: Sequence[Reply]) -> None:
    """Prints the tables."""
    print("| asked | n | right | 95 % | first document | in the five | list of references in three | a piece of one |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    _row("all", replies)
    _row("in English", [reply for reply in replies if reply.language == "en"])
    _row("in the other language", [reply for reply in replies if reply.language != "en"])
    _row("figure in the info box", [reply for reply in replies if reply.is_of_box])
    _row("figure in the text", [reply for reply in replies if not reply.is_of_box])
    for title, key in (("articles in", _article_language), ("asked in", _question_language), ("", _pair)):
        for code in sorted({key(reply) for reply in replies}):
            _row(f"{title} {code}".strip(), [reply for reply in replies if key(reply) == code])
    by_question: dict[str, list[bool]] = {}
    for reply in replies:
        by_question.setdefault(reply.question.name, []).append(reply.is_right)
    both, either = sum(map(all, by_question.values())), sum(map(any, by_question.values()))
    print(f"\nOf {len(by_question)} questions, right in both languages: {both}; in at least one: {either}.")
    boxes = [reply.is_right for reply in replies if reply.quotes_box]
    print(f"Answers that quote an info box as a whole: {len(boxes)}, {sum(boxes)} of them right.")
    losses = [reply.loss for reply in replies if reply.loss]
    lost = ", ".join(f"{loss} {losses.count(loss)}" for loss in ("reading", "retrieval", "reader"))
    silent = sum(reply.answer.generation.abstains for reply in replies if reply.loss)
    print(f"Wrong, by where the figure was lost: {lost}; {silent} of them silent.")


def _article_language(reply: Reply) -> str:
    return reply.question.article_language


def _question_language(reply: Reply) -> str:
    return reply.language


def _pair(reply: Reply) -> str:
    return f"{reply.language} → {reply.question.article_language}"


def _row(name: str, replies: Sequence[Reply]) -> None:
    def count(is_so: Callable[[Reply], bool]) -> int:
        return sum(map(is_so, replies))

    values = [float(reply.is_right) for reply in replies]
    # The two languages of a question, and the questions of an article, are not drawn independently.
    interval = clustered_interval(values, [reply.question.name for reply in replies])
    bounds = f"{interval.low:.2f}-{interval.high:.2f}" if interval else "-"
    print(
        f"| {name} | {len(replies)} | {count(lambda reply: reply.is_right)} | {bounds} "
        f"| {count(lambda reply: reply.rank == 1)} | {count(lambda reply: reply.rank > 0)} "
        f"| {count(lambda reply: reply.references(LIST_OF_REFERENCES) > 0)} "
        f"| {count(lambda reply: reply.references(0) > 0)} |"
    )


def show(replies: Sequence[Reply]) -> None:
    """Prints each wrong answer, and each list of references among the first documents."""
    for reply in replies:
        question = reply.question
        notes = [f"LOST BY {reply.loss.upper()}"] if reply.loss else []
        count = reply.references(LIST_OF_REFERENCES)
        notes += [f"lists of references in the first {FIRST}: {count}"] if count else []
        if not notes:
            continue
        print(
            f"\n{question.name} {_pair(reply)} [{question.figure}] {'; '.join(notes)}: {question.texts[reply.language]}"
        )
        print(f"  answer: {' '.join(reply.answer.text.split())}")
        for item in reply.answer.evidence:
            gold = "*" if _holds(item.passage, question) else " "
            print(
                f"  {gold}[{item.rank}] {item.passage.id} {item.passage.language} {' '.join(item.text.split())[:160]}"
            )


def main() -> None:
    """Prints the articles, adds them, asks, and reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--home", type=Path, help="keeps workspace and files, for one form; a corpus there is used again"
    )
    parser.add_argument("--form", choices=FORMS, default=FORMS[0], help="what is added; the others are for comparison")
    parser.add_argument("--show", action="store_true", help="prints what failed")
    arguments = parser.parse_args()
    every = articles()
    check(every)
    with tempfile.TemporaryDirectory() as folder:
        home = arguments.home or Path(folder)
        place = home / arguments.form
        if not place.is_dir():
            place.mkdir(parents=True)
            if arguments.form == "text":
                files = write_texts(every, place)
            elif arguments.form == "unreferenced":
                files = print_articles([replace(article, references=()) for article in every], place)
            else:
                files = print_articles(every, place)
            if not files:
                place.rmdir()
                sys.exit("Skipped: Chromium or Playwright is not installed (apt-get install chromium).")
            add(list(files.values()), home)
        replies = list(ask(every, home))
        report(replies)
        if arguments.show:
            show(replies)


if __name__ == "__main__":
    main()
