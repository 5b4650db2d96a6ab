"""TREC files of results, read back by an evaluator: it finds the figures that are shown here."""

from __future__ import annotations

from collections import defaultdict
from math import fsum
from pathlib import Path

import pytest

from tests.experiments.experiments import small, stored
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Question
from workbench.experiments.result_files import export
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.ranking import RANKING_MEASURES, depth_of
from workbench.workspace.database import opened_store

NAMES = ("hit@1", "recall@5", "mrr", "map", "ndcg@10", "p@5")
PASSAGES = (("telephone.en.1", "en", 0.5), ("telephone.fi.1", "fi", 0.5))
GOLD = ("telephone.en.1", "telephone.th.1")


def add(workbench: Workbench, *runs: RunRow, passages: tuple[tuple[str, str, float], ...] = PASSAGES) -> ResultView:
    """Runs over one Thai question."""
    engine = opened_store(workbench.settings.database_url)
    experiment_id = add_experiment(engine, "Mine", "matrix", "", len(runs), "", list(runs))
    question = Question("q 1", "ใคร?", "th", ("มาร์โกนี",), GOLD)
    cells = [CellResult(run.number, question, "x", "th", passages) for run in runs]
    Writer(engine, experiment_id, []).write("detect language", 0, "sample", cells)
    return ResultStore(engine).of()


def run_of(number: int = 0, *, mode: str = "multirag", scope: str = "all", corpus: str = "sample") -> RunRow:
    return RunRow(number, "run", "sample", corpus, mode, scope, "p", "m", 5, "none", "", str(number))


def exported(workbench: Workbench, results: ResultView, kind: str, folder: Path) -> str:
    path = folder / kind
    export(workbench, results, kind, path)
    return path.read_text(encoding="utf-8")


@pytest.mark.usefixtures("answers_unread")
def test_an_evaluator_finds_the_stored_figures_of_every_run(workbench: Workbench, tmp_path: Path) -> None:
    import ir_measures

    experiment_id, runner = stored(
        workbench,
        small(
            modes=["multirag", "baseline"],
            prompts=["reply-short-en"],
            scopes=["en", "ul", "all"],
            languages=["en", "th"],
            metrics=list(NAMES),
            questions=6,
        ),
    )
    runner.run()
    results = ResultStore.at(workbench.settings.database_url).of(experiment_id)
    run, qrels = (exported(workbench, results, kind, tmp_path) for kind in ("trec-run", "trec-qrels"))
    theirs: dict[tuple[str, str], list[float]] = defaultdict(list)
    ours = {ir_measures.parse_measure(RANKING_MEASURES[name]): name for name in NAMES}
    for value in ir_measures.iter_calc(
        list(ours), list(ir_measures.read_trec_qrels(qrels)), list(ir_measures.read_trec_run(run))
    ):
        theirs[value.query_id.partition("/")[0], ours[value.measure]].append(value.value)
    numbers = {item.id: f"{experiment_id}-{item.number}" for item in results.runs()}
    given = {item.id: item.k for item in results.runs()}
    stored_means = results.means(list(NAMES))
    assert sum(item.n > 0 for item in stored_means) == 3 * len(NAMES)
    for item in stored_means:
        if not 0 < depth_of(item.metric) <= given[item.key[0]]:
            # The files hold the passages that the generator was given; these measures look further down the ranking.
            continue
        values = theirs.get((numbers[item.key[0]], item.metric), [])
        assert len(values) == item.n
        assert item.mean is None or fsum(values) / item.n == pytest.approx(item.mean, abs=1e-6)


def test_a_single_runs_topics_name_a_question_by_its_language_too(workbench: Workbench, tmp_path: Path) -> None:
    results = add(workbench, run_of())
    lines = exported(workbench, results, "trec-run", tmp_path).splitlines()
    assert [line.split()[:4] for line in lines] == [
        ["sample-th-q_1", "Q0", "telephone.en.1", "1"],
        ["sample-th-q_1", "Q0", "telephone.fi.1", "2"],
    ]
    judged = exported(workbench, results, "trec-qrels", tmp_path)
    assert judged == "sample-th-q_1 0 telephone.en.1 1\nsample-th-q_1 0 telephone.th.1 1\n"


def test_a_question_of_several_runs_is_a_topic_a_run(workbench: Workbench, tmp_path: Path) -> None:
    results = add(workbench, run_of(0), run_of(1))
    rows = [line.split() for line in exported(workbench, results, "trec-run", tmp_path).splitlines()]
    assert len({(row[0], row[2]) for row in rows}) == 4
    assert all(row[0] == f"{row[5]}/sample-th-q_1" for row in rows)


@pytest.mark.parametrize(("scope", "kept"), [("all", GOLD), ("en", GOLD[:1]), ("ul", GOLD[1:]), ("en+ul", GOLD)])
def test_only_gold_in_the_languages_searched_is_hoped_for(
    workbench: Workbench, tmp_path: Path, scope: str, kept: tuple[str, ...]
) -> None:
    judged = exported(workbench, add(workbench, run_of(scope=scope)), "trec-qrels", tmp_path)
    assert tuple(line.split()[2] for line in judged.splitlines()) == kept


def test_a_run_from_elsewhere_may_find_all_gold_of_the_corpus(workbench: Workbench, tmp_path: Path) -> None:
    judged = exported(workbench, add(workbench, run_of(mode="", scope="")), "trec-qrels", tmp_path)
    assert tuple(line.split()[2] for line in judged.splitlines()) == GOLD


def test_where_the_corpus_is_gone_all_gold_counts(workbench: Workbench, tmp_path: Path) -> None:
    judged = exported(workbench, add(workbench, run_of(scope="en", corpus="gone")), "trec-qrels", tmp_path)
    assert tuple(line.split()[2] for line in judged.splitlines()) == GOLD


@pytest.mark.parametrize("kind", ["trec-run", "trec-qrels"])
def test_results_without_retrieval_have_no_trec_files(workbench: Workbench, tmp_path: Path, kind: str) -> None:
    results = add(workbench, run_of(mode="baseline"), passages=())
    with pytest.raises(UsageError, match="nothing was retrieved"):
        exported(workbench, results, kind, tmp_path)
    assert not (tmp_path / kind).exists()
