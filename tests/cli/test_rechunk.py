"""`corpora rechunk`, an experiment over chunkings and varied fields, and its comparison and export."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, refused

MATRIX = """
modes: [multirag]
prompts: [reply-short-en]
languages: [en, fi]
questions: 1
metrics: [hit@5]
recipe: {retriever: lexical}
chunkings: [original, words-20]
vary: {candidates: [10, 20]}
"""


@pytest.mark.slow
def test_a_corpus_is_split_anew_and_compared_with_itself_by_language(run: Terminal, tmp_path: Path) -> None:
    manifest = run("corpora", "rechunk", "sample", "--chunking", "words-20", "--json").json
    assert manifest["name"] == "sample-words-20" and manifest["rechunking"]["corpus"] == "sample"
    file = tmp_path / "matrix.yaml"
    file.write_text(MATRIX, encoding="utf-8")
    experiment = run("run", file, "--follow", "--json").json["experiment"]
    compare = ("runs", "compare", experiment, "--metric", "hit@5", "--json", "--what")
    by_corpus = run(*compare, "corpus", "--first", "sample", "--second", "sample-words-20").json
    assert [item["language"] for item in by_corpus["differences"]] == ["all", "en", "fi"]
    assert by_corpus["differences"][0]["n"] == 4
    by_depth = run(*compare, "candidates", "--first", "10").json
    assert [item["candidates"] for item in by_depth["differences"]] == ["20"]
    refused(run(*compare, "reranker"), "Unknown comparison “reranker”", "candidates", "corpus")
    out = tmp_path / "results.csv"
    assert run("runs", "export", experiment, "--out", out).code == 0
    with out.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {(row["corpus"], row["recipe.candidates"]) for row in rows} == {
        (corpus, depth) for corpus in ("sample", "sample-words-20") for depth in ("10", "20")
    }
    assert {row["run"] for row in rows} == {
        f"{chunking} · Candidates: {depth}" for chunking in ("original", "words-20") for depth in (10, 20)
    }


def test_a_chunking_or_name_that_is_not_allowed_is_refused(run: Terminal) -> None:
    refused(run("corpora", "rechunk", "sample", "--chunking", "haiku"), "Unknown way of splitting “haiku”")
    refused(run("corpora", "rechunk", "nobody", "--chunking", "words-20"), "Unknown corpus “nobody”")
    refused(run("corpora", "rechunk", "sample", "--chunking", "words-20", "--as", "sample"), "already exists")
