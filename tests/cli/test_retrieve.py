"""`retrieve`: rankings and their languages, scored over a corpus whose languages are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from workbench.app.workbench import Workbench
from workbench.core.records import Passage, Question
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.workspace import settings

PASSAGES = (
    ("a.en", "en", "The zeppelin lands at noon."),
    ("b.en", "en", "A zeppelin needs helium."),
    ("c.en", "en", "The zeppelin was sold."),
    ("d.fi", "fi", "Kesällä zeppelin laskeutuu."),
    ("e.fi", "fi", "Sauna on lämmin."),
)
QUESTIONS = (
    # Three passages in English and one in Finnish hold its word; its gold is one of each.
    Question(id="q1", text="zeppelin?", language="en", gold=("a.en", "d.fi")),
    # Found in Finnish only, where its gold is.
    Question(id="q2", text="sauna?", language="en", gold=("e.fi",)),
    # Found in English only, and without gold.
    Question(id="q3", text="helium?", language="en", gold=()),
    # Found nowhere.
    Question(id="q4", text="xylophone?", language="en", gold=("a.en",)),
)
WORDS = ("retrieve", "--corpus", "mine", "--dataset", "mine", "--lang", "en", "--retriever", "lexical")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A workspace with the corpus and the dataset `mine`."""
    path = tmp_path / "home"
    bench = Workbench(settings.load(path))
    passages = [Passage(id, id, "", code, text) for id, code, text in PASSAGES]
    bench.library.add("mine", passages, source="a test", licence="none")
    DatasetLibrary(bench.settings.datasets).add("mine", "mine", QUESTIONS, aligned=False)
    return path


def test_the_shares_of_languages_are_means_over_questions_with_a_hit(run: Terminal) -> None:
    result = run(*WORDS, "--json").json
    # q1 is 3/4 English, q2 none, q3 all.
    assert result["language_shares"] == pytest.approx({"en": (3 / 4 + 0 + 1) / 3, "fi": (1 / 4 + 1 + 0) / 3})
    assert result["language_shares_n"] == 3


def test_shares_are_given_by_the_languages_that_texts_are_identified_as(run: Terminal) -> None:
    bench = Workbench(settings.load())
    text = "Zeppelin puhuu suomea: tämä on suomenkielinen teksti, vaikka sen kieleksi on merkitty englanti."
    bench.library.add("mixed", [Passage("a.en", "a", "", "en", text)], source="a test", licence="none")
    DatasetLibrary(bench.settings.datasets).add("mixed", "mixed", QUESTIONS[:1], aligned=False)
    result = run(
        "retrieve", "--corpus", "mixed", "--dataset", "mixed", "--lang", "en", "--retriever", "lexical", "--json"
    )
    assert (result.json["language_shares"], result.json["identified_language_shares"]) == ({"en": 1.0}, {"fi": 1.0})


def test_the_bias_is_over_questions_with_passages_and_gold(run: Terminal) -> None:
    result = run(*WORDS, "--json").json
    # Retrieved: q1 is 3/4 English, q2 none. Gold: q1 is half English, q2 none.
    assert result["language_bias"] == pytest.approx({"en": 1 / 8, "fi": -1 / 8})
    assert result["bias_distance"] == pytest.approx(1 / 8)
    assert (result["language_bias_n"], result["language_bias_unscored"]) == (2, 2)


def test_gold_beyond_the_scope_counts_for_no_bias(run: Terminal) -> None:
    result = run(*WORDS, "--scope", "en", "--json").json
    assert result["language_shares"] == {"en": 1.0}
    # q1's gold in English is all that could be found; q2 has none, q4 found nothing.
    assert (result["language_bias"], result["bias_distance"], result["language_bias_n"]) == ({"en": 0.0}, 0.0, 1)


def test_only_the_k_passages_retrieved_have_a_share(run: Terminal) -> None:
    assert sum(run(*WORDS, "--k", 1, "--json").json["language_shares"].values()) == pytest.approx(1.0)
    assert set(run(*WORDS, "--k", 1, "--json").json["language_shares"].values()) <= {1 / 3, 2 / 3}


def test_people_read_shares_and_signed_biases_one_per_line(run: Terminal) -> None:
    lines = dict(line.split(None, 1) for line in run(*WORDS).out.splitlines())
    assert lines["language_shares"] == "en 0.5833, fi 0.4167"
    assert lines["language_bias"] == "fi -0.1250, en +0.1250"
    assert (lines["bias_distance"], lines["language_bias_n"]) == ("0.1250", "2")


def test_a_dataset_without_gold_has_shares_and_no_bias(run: Terminal) -> None:
    bench = Workbench(settings.load())
    DatasetLibrary(bench.settings.datasets).add("bare", "mine", QUESTIONS[2:3], aligned=False)
    result = run(*WORDS, "--dataset", "bare", "--json").json
    assert result["language_shares"] == {"en": 1.0}
    assert (result["language_bias"], result["bias_distance"], result["language_bias_n"]) == ({}, None, 0)
    assert "bias_distance  unscored" in run(*WORDS, "--dataset", "bare").out


def test_every_mean_has_its_interval(run: Terminal) -> None:
    result = run(*WORDS, "--json").json
    for name in ("hit@1", "mrr", "ndcg@10"):
        low, high = result["intervals"][name]
        assert low <= result[name] <= high
    line = next(line for line in run(*WORDS).out.splitlines() if line.split()[0] == "mrr")
    assert line.endswith("[{:.4f}, {:.4f}]".format(*result["intervals"]["mrr"]))


def test_dbsf_is_measured_under_its_name(run: Terminal, tmp_path: Path) -> None:
    out = tmp_path / "run.trec"
    result = run(*WORDS, "--retriever", "dbsf", "--out", out, "--json").json
    assert result["retriever"] == "dbsf" and result["hit@5"] == 1.0
    assert {line.split()[5] for line in out.read_text().splitlines()} == {"dbsf"}


def test_a_reranker_orders_what_is_scored(run: Terminal) -> None:
    reranker = "llama-index:llama_index.core.postprocessor:LongContextReorder"
    before, after = run(*WORDS, "--json").json, run(*WORDS, "--reranker", reranker, "--json").json
    assert after["reranker"] == reranker
    # It changes places, not passages.
    assert after["language_shares"] == before["language_shares"]
    assert after["mrr"] != before["mrr"]


def test_the_options_of_a_fusion_are_those_of_a_recipe(run: Terminal) -> None:
    fusion = ("--retriever", "rrf", "--rrf-k", 10, "--fusion-depth", 20)
    result = run(*WORDS, *fusion, "--json").json
    assert (result["rrf_k"], result["fusion_depth"]) == (10, 20) and "fusion_weight" not in result


def test_the_lexical_share_of_a_fusion_changes_its_ranking(run: Terminal, tmp_path: Path) -> None:
    rankings = []
    for weight in (0, 1):
        out = tmp_path / f"{weight}.trec"
        run(*WORDS, "--retriever", "cc", "--fusion-weight", weight, "--out", out)
        rankings.append(out.read_text())
    assert rankings[0] != rankings[1]


def test_the_normalisation_of_cc_changes_its_ranking(run: Terminal, tmp_path: Path) -> None:
    rankings = []
    for name in ("min-max", "z-score"):
        out = tmp_path / f"{name}.trec"
        result = run(*WORDS, "--retriever", "cc", "--normalisation", name, "--out", out, "--json").json
        assert result["normalisation"] == name
        rankings.append(out.read_text())
    assert rankings[0] != rankings[1]


def test_neighbours_join_what_is_scored(run: Terminal) -> None:
    result = run(*WORDS, "--neighbours", 1, "--neighbour-side", "next", "--json").json
    assert (result["neighbours"], result["neighbour_side"]) == (1, "next")
    assert run(*WORDS, "--neighbours", 9).code == 2


def test_an_option_of_a_fusion_that_is_not_allowed_is_reported(run: Terminal) -> None:
    result = run(*WORDS, "--retriever", "cc", "--fusion-weight", 2)
    assert result.code == 2 and "fusion_weight" in result.err and "1" in result.err
