"""`retrieve` on the sample: every retriever is measured, and rankings become a TREC run."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from tests.cli.terminal import Terminal
from tests.trees import copy_sample
from workbench.pipeline.recipe import Balance, RetrieverName


@pytest.fixture(scope="module")
def home(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace that these tests share: what one encoded, the others find."""
    return copy_sample(sample_home, tmp_path_factory.mktemp("retrieve") / "workspace")


MEASURES = ("hit@1", "hit@3", "hit@5", "hit@10", "mrr", "ndcg@10")


def test_retrieve_gives_every_measure_and_the_seconds_per_question(run: Terminal) -> None:
    result = run(
        "retrieve",
        "--corpus",
        "sample",
        "--dataset",
        "sample",
        "--lang",
        "en",
        "--retriever",
        "lexical",
        "--k",
        10,
        "--json",
    ).json
    assert all(0 <= result[name] <= 1 for name in MEASURES)
    assert result["hit@1"] <= result["hit@3"] <= result["hit@5"] <= result["hit@10"]
    assert result["n"] >= 40 and 0 < result["seconds"] < 10


def test_retrieve_writes_a_trec_run_that_scores_the_same(run: Terminal, tmp_path: Path) -> None:
    out = tmp_path / "runs" / "mine.trec"
    result = run(
        "retrieve",
        "--corpus",
        "sample",
        "--dataset",
        "sample",
        "--lang",
        "fi",
        "--scope",
        "ul",
        "--k",
        5,
        "--out",
        out,
        "--json",
    ).json
    rows = [line.split() for line in out.read_text().splitlines()]
    assert (
        {len(row) for row in rows} == {6}
        and {row[1] for row in rows} == {"Q0"}
        and {row[5] for row in rows} == {"hybrid"}
    )
    assert all(row[2].split(".")[1] == "fi" and 1 <= int(row[3]) <= 5 for row in rows)
    firsts = {row[0]: row[2] for row in rows if row[3] == "1"}
    assert len(firsts) == result["n"] + result["unscored"]


@pytest.mark.parametrize(
    ("retriever", "balance"),
    [
        # Learned sparse vectors need a model that is not on this machine.
        *((name, "none") for name in get_args(RetrieverName) if name != "sparse"),
        *(("dense", name) for name in get_args(Balance) if name != "none"),
    ],
)
def test_every_retriever_can_be_measured(retriever: str, balance: str, run: Terminal) -> None:
    result = run(
        "retrieve",
        "--corpus",
        "sample",
        "--dataset",
        "sample",
        "--lang",
        "en",
        "--retriever",
        retriever,
        "--balance",
        balance,
        "--k",
        5,
        "--json",
    ).json
    assert result["retriever"] == retriever and result["mrr"] > 0.3
