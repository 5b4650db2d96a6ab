"""A tiny Wikipedia in KILT's form and the hub's, with questions of MKQA whose provenance names its pages."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.cli.terminal import Terminal


def hundred_words(text: str) -> str:
    """A paragraph of 100 words, which is one passage, that begins with a text."""
    words = [*text.split(), *["boats"] * 100]
    return " ".join(words[:100]) + "\n"


PAGES = {
    "12": (
        "Lumo",
        [
            hundred_words("Lumo has had a tram since 1921."),
            "Section::::History.\n",
            hundred_words("Lumo was founded by fishers."),
            "Section::::Bridges.\n",
            "The Kaari bridge opened in 1921.\n",
        ],
    ),
    "13": ("Kaari", ["A kaari is an arch.\n", "Section::::Uses.\n", "Arches carry bridges and aqueducts.\n"]),
    "14": (
        "Aava",
        [
            "The Aava rises in the north.\n",
            "Section::::Floods.\n",
            "It flooded in 1921 and in 1950.\n",
        ],
    ),
}
"""Pages of the English Wikipedia: id, title and text as KILT's knowledge source has them."""
QUESTIONS = {
    "1": ("When did the Kaari bridge open?", "Milloin Kaaren silta avattiin?", "1921", "12", "Bridges"),
    "2": ("Which river floods in Lumo?", "Mikä joki tulvii Lumossa?", "Aava", "14", "Floods"),
    "3": ("Who built the moon?", "Kuka rakensi kuun?", "Nobody", "404", "Abstract"),
}
"""By id: in English, in Finnish, the answer, the gold page and its section. The page of the third is not there."""


def lines(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def add_wikipedia(run: Terminal, folder: Path) -> None:
    """The corpus `wiki` of the English pages and a Finnish article that is linked to the first, by its command."""
    pages = [
        {"wikipedia_id": number, "wikipedia_title": title, "text": [f"{title}\n", *texts]}
        for number, (title, texts) in PAGES.items()
    ]
    columns = {"id": ["7"], "url": ["https://fi.wikipedia.org/wiki/Lumo"], "title": ["Lumo (kaupunki)"]}
    hub = folder / "train-00000-of-00001.parquet"
    pq.write_table(pa.table({**columns, "text": ["Lumon Kaarisilta avattiin 1921."]}), hub)
    links = folder / "enwiki-latest-langlinks.sql.gz"
    with gzip.open(links, "wt", encoding="utf-8") as file:
        file.write("INSERT INTO `langlinks` VALUES (12,'fi','Lumo (kaupunki)');\n")
    kilt = lines(folder / "kilt_knowledgesource.json", pages)
    result = run("corpora", "wikipedia", "wiki", kilt, hub, "--links", links, "--json")
    assert result.code == 0, result.err


def question_files(folder: Path) -> tuple[Path, Path]:
    """MKQA's file and KILT's."""
    mkqa, kilt = [], []
    for number, (english, finnish, answer, page, section) in QUESTIONS.items():
        answers = [{"type": "short_phrase", "text": answer, "aliases": []}]
        queries = {"en": english, "fi": finnish}
        mkqa.append(
            {
                "example_id": int(number),
                "query": english,
                "queries": queries,
                "answers": dict.fromkeys(queries, answers),
            }
        )
        provenance = [{"wikipedia_id": page, "title": "T", "section": f"Section::::{section}."}]
        kilt.append({"id": number, "input": english, "output": [{"answer": answer, "provenance": provenance}]})
    return lines(folder / "mkqa.jsonl", mkqa), lines(folder / "nq-dev-kilt.jsonl", kilt)


def add_questions(run: Terminal, folder: Path, name: str = "mkqa") -> str:
    """The dataset `name` over the corpus `wiki`, by its command; returns what the command warned of."""
    mkqa, kilt = question_files(folder)
    result = run("import", "mkqa", mkqa, "--name", name, "--kilt", kilt, "--corpus", "wiki")
    assert result.code == 0, result.err
    return result.err
