"""How well the built-in reader knows that nothing bears on a question: python -m benchmarks.reader.abstention

Questions of the sample with five retrieved passages: as they are (answerable), and with every passage of the articles
that answer them left out of the ranking (unanswerable, about a related subject). Beside them questions off every topic
(`off_topic.yaml`). The search is over all languages, and over the question's own. A false alarm is an answerable
question, with a gold passage among the five, at which the reader abstains; a miss an unanswerable one at which it does
not. The second table leaves the questions out of what the encoder and the translator learn: what a new question may
expect; there a gold passage in the question's language must be among the five. The last column is the mean of the
largest cosine of the dense retriever, which the reader does not use.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from statistics import fmean

import yaml

from workbench.core.protocols import Retriever, Translator
from workbench.core.records import Evidence, Hit, Passage, Query, Task
from workbench.data.corpora import sample
from workbench.models.translation.builtin_translator import BuiltinTranslator
from workbench.models.translation.translation_memory import TranslationMemory, Unit
from workbench.pipeline.reader.sentence_scoring import LEAST_SHARE, content_coverage, rank_candidates
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoders.builtin_encoder import BuiltinEncoder
from workbench.retrieval.hybrid import HybridRetriever
from workbench.retrieval.lexical import LexicalIndex

DEPTH = 5
"""Passages per question."""
CANDIDATES = 100
"""Hits from which the passages are taken."""
THRESHOLDS = (0.25, 0.3, LEAST_SHARE, 0.4, 0.5)


@dataclass(frozen=True, slots=True)
class Case:
    """A question, whether it is answerable, related or off topic, and what was measured of it.

    `share` in [0, 1] is that of the question's content in the best passage, 1 where it cannot be known; `cosine` the
    largest of the passages.
    """

    language: str
    kind: str
    share: float
    cosine: float


def search(folder: Path, groups: Sequence[Sequence[tuple[str, str]]]) -> Retriever:
    """The hybrid search over the sample with an encoder that learnt from the aligned sentences `groups`."""
    passages = sample.passages()
    encoder = BuiltinEncoder.fit((passage.searchable for passage in passages), groups)
    (folder / "encoder").mkdir()
    encoder.save(folder / "encoder")
    LexicalIndex.build(folder / "lexical", passages)
    DenseIndex.build(folder / "dense", encoder, passages)
    return HybridRetriever(LexicalIndex.open(folder / "lexical"), DenseIndex.open(folder / "dense", encoder))


def cases(retriever: Retriever, translator: Translator, scope: str, unseen: bool) -> Iterator[Case]:
    """Every question of the sample with and without its articles, and those off topic; `scope` is `all` or `ul`."""
    off_topic = yaml.safe_load(files("benchmarks.reader").joinpath("off_topic.yaml").read_text(encoding="utf-8"))
    for code in sample.languages():
        searched = sample.languages() if scope == "all" else (code,)
        for question in sample.questions(code):
            (hits,) = retriever.retrieve([Query(question.text, code, searched)], CANDIDATES)
            topics = {name.split(".")[0] for name in question.gold}
            required = [name for name in question.gold if not unseen or name.split(".")[1] == code]
            if any(hit.id in required for hit in hits[:DEPTH]):
                yield _case(question.text, code, "answerable", hits[:DEPTH], translator)
            others = [hit for hit in hits if hit.id.split(".")[0] not in topics]
            yield _case(question.text, code, "related", others[:DEPTH], translator)
        for text in off_topic[code]:
            (hits,) = retriever.retrieve([Query(text, code, searched)], DEPTH)
            yield _case(text, code, "off topic", hits, translator)


def _case(text: str, code: str, kind: str, hits: Sequence[Hit], translator: Translator) -> Case:
    by_id: dict[str, Passage] = {passage.id: passage for passage in sample.passages()}
    evidence = tuple(Evidence(by_id[hit.id], rank, dict(hit.scores)) for rank, hit in enumerate(hits, start=1))
    task = Task(text, code, evidence, code)
    ranked = rank_candidates(task, translator)
    coverage = content_coverage(task, [item.sentence for item in ranked], translator)
    cosine = max((item.scores.get("dense", 0.0) for item in evidence), default=0.0)
    return Case(code, kind, 1.0 if coverage is None else coverage.passage, cosine)


def report(title: str, rows: Sequence[Case]) -> None:
    """Prints the rates by threshold and, at the reader's, by language."""
    print(f"\n{title}\n\n| threshold | false alarms | misses, related | misses, off topic |\n| --- | --- | --- | --- |")
    for threshold in THRESHOLDS:
        print(f"| {threshold} | {_rates(rows, threshold)} |")
    print("\n| language | n | false alarms | misses, related | misses, off topic |\n| --- | --- | --- | --- | --- |")
    for code in sample.languages():
        of_language = [row for row in rows if row.language == code]
        print(
            f"| {code} | {sum(row.kind == 'answerable' for row in of_language)} | {_rates(of_language, LEAST_SHARE)} |"
        )
    cosines = {kind: fmean(row.cosine for row in rows if row.kind == kind) for kind in ("answerable", "off topic")}
    print("\nmean largest cosine:", ", ".join(f"{kind} {value:.2f}" for kind, value in cosines.items()), flush=True)


def _rates(rows: Sequence[Case], threshold: float) -> str:
    """The share of false alarms, and of misses among related and off-topic questions, "–" where there are none."""
    shares: list[str] = []
    for kind in ("answerable", "related", "off topic"):
        of_kind = [row.share for row in rows if row.kind == kind]
        wrong = sum((share < threshold) == (kind == "answerable") for share in of_kind)
        shares.append(f"{wrong / len(of_kind):.3f}" if of_kind else "–")
    return " | ".join(shares)


def main() -> None:
    """Prints the tables."""
    groups = sample.aligned_sentences()
    questions = {question.text for code in sample.languages() for question in sample.questions(code)}
    for unseen in (False, True):
        known = [group for group in groups if not (unseen and group[0][1] in questions)]
        memory = TranslationMemory(Unit(f"s{number}", tuple(group)) for number, group in enumerate(known))
        with tempfile.TemporaryDirectory() as folder:
            retriever = search(Path(folder), known)
            for scope in ("all", "ul"):
                title = f"Scope {scope}, questions {'unseen' if unseen else 'as shipped'}"
                report(title, list(cases(retriever, BuiltinTranslator(memory, Path(folder)), scope, unseen)))


if __name__ == "__main__":
    main()
