"""Broken words, recognised and searched: `python -m benchmarks.broken_text [--xquad DIR]`.

Over the packaged sample, or XQuAD in DIR. First, which passages count as broken: as they are (false alarms), and with
their words broken in each way (misses). Then a part of the gold passages is broken, and each question searches the
passages of its own language: MRR (50 hits) and its 95 % interval with all passages as written, with the broken ones
indexed by words as all others (before), and with n-grams of letters (after). With --docchat, real broken text instead:
the chunks and questions of DocChat (Kannada) in DIR, alone and, with --xquad, in one corpus with its paragraphs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.broken_text.breaking import WAYS, break_some, broken
from benchmarks.crosslingual.__main__ import builtin
from benchmarks.segmentation import xquad
from workbench.components.retrievers import MODEL_LEXICAL_WEIGHT
from workbench.core.errors import WorkbenchError
from workbench.core.protocols import Retriever
from workbench.core.records import Passage, Query
from workbench.data.corpora.sample import content
from workbench.languages.segment import has_broken_words
from workbench.metrics.statistics.intervals import clustered_interval
from workbench.retrieval.balance import LevelledSearch
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoders.e5_small_encoder import MEANS, E5SmallEncoder
from workbench.retrieval.encoders.language_means import CentredEncoder, LanguageMeans
from workbench.retrieval.hybrid import HybridRetriever
from workbench.retrieval.lexical import LexicalIndex
from workbench.retrieval.sentence_index import SentenceIndex, SentenceRescoring

DEPTH = 50
LEXICAL = "lexical"
E5 = "e5-small"
ENCODERS = ("builtin", E5)


@dataclass(frozen=True, slots=True)
class GoldCollection:
    """One language's passages, and its questions with the ids of their gold passages in that language.

    `keys` name the questions, the same for one question in several languages.
    """

    language: str
    passages: tuple[Passage, ...]
    questions: tuple[tuple[str, frozenset[str]], ...]
    keys: tuple[str, ...]

    @property
    def gold(self) -> list[str]:
        """The ids of all gold passages, each once."""
        return sorted({passage_id for _, gold in self.questions for passage_id in gold})


def e5_small(passages: Sequence[Passage], folder: Path) -> SentenceRescoring:
    """The index of passages and sentences by e5-small, centred and levelled by language."""
    encoder = CentredEncoder(E5SmallEncoder(), LanguageMeans.open(MEANS))
    DenseIndex.build(folder / "dense", encoder, passages)
    SentenceIndex.build(folder / "sentences", encoder, passages)
    return SentenceRescoring(
        LevelledSearch(DenseIndex.open(folder / "dense", encoder)), SentenceIndex.open(folder / "sentences", encoder)
    )


def collect(directory: Path | None, language: str) -> GoldCollection:
    """XQuAD of one language in `directory`, or the sample's. Raises UsageError for one without a file."""
    if directory is not None:
        passages, in_file = xquad.load(directory, language)
        gold_questions = tuple((question.text, frozenset((question.gold,))) for question in in_file)
        return GoldCollection(language, tuple(passages), gold_questions, tuple(map(str, range(len(in_file)))))
    written = tuple(passage for passage in content.passages() if passage.language == language)
    known = {passage.id for passage in written}
    with_gold = [item for item in content.questions(language) if known.intersection(item.gold)]
    gold_passages = tuple((item.text, frozenset(known.intersection(item.gold))) for item in with_gold)
    return GoldCollection(language, written, gold_passages, tuple(item.id for item in with_gold))


def false_alarms(passages: Sequence[Passage]) -> int:
    """How many of the passages count as broken."""
    return sum(has_broken_words(passage.searchable) for passage in passages)


def miss_rate(passages: Sequence[Passage], way: str, seed: int) -> float | None:
    """The share of passages whose words were broken in this way and do not count as broken; None if it breaks none."""
    texts = [(passage.searchable, broken(passage, way, seed).searchable) for passage in passages]
    changed = [text for written, text in texts if text != written]
    return sum(not has_broken_words(text) for text in changed) / len(changed) if changed else None


def docchat(directory: Path) -> GoldCollection | None:
    """The chunks of DocChat's Kannada PDFs in `directory`, and its questions; None where it has no such files."""
    files = [directory / name for name in ("document_chunks.json", "evaluation_dataset.json")]
    if not all(path.is_file() for path in files):
        return None
    chunks, questions = (json.loads(path.read_text(encoding="utf-8")) for path in files)
    passages = (Passage(c["chunk_id"], c["source_document"], "", "kn", c["chunk_content"]) for c in chunks)
    gold = tuple((question["question"], frozenset((question["chunk_id"],))) for question in questions)
    return GoldCollection("kn", tuple(passages), gold, tuple(map(str, range(len(gold)))))


def reciprocal_ranks(retriever: Retriever, part: GoldCollection, scope: Sequence[str] = ()) -> list[float]:
    """1 / rank of each question's first gold passage, 0 where it is not among DEPTH; by default in its language."""
    queries = [Query(text, part.language, tuple(scope) or (part.language,)) for text, _ in part.questions]
    return [
        next((1 / rank for rank, hit in enumerate(ranking, start=1) if hit.id in gold), 0.0)
        for ranking, (_, gold) in zip(retriever.retrieve(queries, DEPTH), part.questions, strict=True)
    ]


def retriever(passages: Sequence[Passage], folder: Path, encoder: str, *, by_grams: bool) -> Retriever:
    """The lexical index over `passages`, or the hybrid with an encoder; without `by_grams` none counts as broken."""
    folder.mkdir()
    LexicalIndex.build(folder / "words", passages, is_broken=has_broken_words if by_grams else lambda _: False)
    words = LexicalIndex.open(folder / "words")
    if encoder == LEXICAL:
        return words
    if encoder == E5:
        return HybridRetriever(words, e5_small(passages, folder), lexical_weight=MODEL_LEXICAL_WEIGHT)
    return HybridRetriever(words, builtin(passages, [], folder))


def figure(values: Sequence[float], keys: Sequence[str]) -> str:
    """A mean with its interval, in which the values of one key are one draw."""
    interval = clustered_interval(values, keys)
    mean = sum(values) / len(values)
    return f"{mean:.3f} ({interval.low:.3f}–{interval.high:.3f})" if interval else f"{mean:.3f}"


def table_row(name: str, columns: Sequence[Sequence[float]], keys: Sequence[str]) -> str:
    """One row of the table of retrieval."""
    return f"| {name} | {len(keys)} | {' | '.join(figure(column, keys) for column in columns)} |"


def show_detection(parts: Sequence[GoldCollection], seed: int) -> None:
    """Prints the false alarms and the miss rates by language."""
    print(f"\n| language | passages | false alarms | misses: {' | '.join(WAYS)} |\n|{' --- |' * (3 + len(WAYS))}")
    for part in parts:
        rates = (miss_rate(part.passages, way, seed) for way in WAYS)
        shown = " | ".join("–" if rate is None else f"{rate:.2f}" for rate in rates)
        print(f"| {part.language} | {len(part.passages)} | {false_alarms(part.passages)} | {shown} |", flush=True)


def show_retrieval(parts: Sequence[GoldCollection], way: str, name: str, share: float, seed: int) -> None:
    """Prints one row per language for one way of breaking and one retriever."""
    print(f"\n{name}, {share:.0%} of the gold passages broken: {way}\n")
    print("| language | n | as written | broken, before | broken, after |\n| --- | --- | --- | --- | --- |")
    every: list[list[float]] = [[], [], []]
    keys: list[str] = []
    for part in parts:
        some = break_some(part.passages, part.gold, way, share, seed)
        if some == list(part.passages):
            continue
        with tempfile.TemporaryDirectory() as folder:
            settings = (part.passages, False), (some, False), (some, True)
            columns = [
                reciprocal_ranks(retriever(passages, Path(folder) / str(place), name, by_grams=by_grams), part)
                for place, (passages, by_grams) in enumerate(settings)
            ]
        for values, column in zip(every, columns, strict=True):
            values += column
        keys += part.keys
        print(table_row(part.language, columns, part.keys), flush=True)
    if keys:
        print(table_row("all", every, keys))


def show_docchat(directory: Path, xquad_directory: Path | None) -> None:
    """Prints lexical and hybrid MRR over real broken text, alone and pooled; the reason where there are no files."""
    part = docchat(directory)
    if part is None:
        print(f"DocChat is skipped: {directory} has no document_chunks.json and evaluation_dataset.json.")
        return
    codes = xquad.languages(xquad_directory) if xquad_directory else []
    others = [passage for code in codes for passage in collect(xquad_directory, code).passages]
    print(f"DocChat: {false_alarms(part.passages)} of {len(part.passages)} chunks count as broken\n")
    print(f"| corpus | n | lexical | hybrid with {E5} |\n| --- | --- | --- | --- |")
    for name, more in (("alone", []), ("pooled", others)):
        passages = [*part.passages, *more]
        with tempfile.TemporaryDirectory() as folder:
            scope = sorted({passage.language for passage in passages})
            columns = [
                reciprocal_ranks(retriever(passages, Path(folder) / kind, kind, by_grams=True), part, scope)
                for kind in (LEXICAL, E5)
            ]
        print(
            f"| {name} | {len(columns[0])} | {' | '.join(figure(column, part.keys) for column in columns)} |",
            flush=True,
        )
        if not others:
            return


def main() -> int:
    """Reads the command line and prints all tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.broken_text", description=__doc__)
    parser.add_argument("--xquad", type=Path, metavar="DIR", help="use XQuAD in DIR, not the sample")
    parser.add_argument("--docchat", type=Path, metavar="DIR", help="measure DocChat's real broken text in DIR alone")
    parser.add_argument("--languages", help="comma-separated codes; default: all of the source")
    parser.add_argument("--ways", default="signs,third,controls", help=f"comma-separated, of {', '.join(WAYS)}")
    parser.add_argument("--share", type=float, default=0.5, help="of the gold passages, that is broken (default .5)")
    parser.add_argument("--encoders", default="", help=f"hybrids to measure besides, of {', '.join(ENCODERS)}")
    parser.add_argument("--seed", type=int, default=10)
    arguments = parser.parse_args()
    ways = arguments.ways.split(",")
    encoders = [name for name in arguments.encoders.split(",") if name]
    if unknown := [name for name in ways if name not in WAYS]:
        parser.error(f"unknown way “{unknown[0]}”; allowed: {', '.join(WAYS)}")
    if unknown := [name for name in encoders if name not in ENCODERS]:
        parser.error(f"unknown encoder “{unknown[0]}”; allowed: {', '.join(ENCODERS)}")
    if not 0 < arguments.share <= 1:
        parser.error(f"--share {arguments.share} is not a share; give a number above 0 and up to 1, such as 0.5")
    try:
        if arguments.docchat:
            show_docchat(arguments.docchat, arguments.xquad)
            return 0
        every = xquad.languages(arguments.xquad) if arguments.xquad else content.languages()
        codes = arguments.languages.split(",") if arguments.languages else every
        if absent := [code for code in codes if code not in every]:
            parser.error(f"no texts in “{absent[0]}”; allowed: {', '.join(every)}")
        parts = [collect(arguments.xquad, code) for code in codes]
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    show_detection(parts, arguments.seed)
    for name in (LEXICAL, *encoders):
        for way in ways:
            show_retrieval(parts, way, name, arguments.share, arguments.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
