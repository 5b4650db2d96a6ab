"""MKQA with KILT's pages as gold: imported, run, scored by page, exported and explained."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from tests.cli.terminal import CommandResult, Terminal, refused, terminal
from tests.experiments.experiments import small, stored
from tests.experiments.wikipedia_pages import add_questions, add_wikipedia, question_files
from workbench.annotation.diagnosis.observation import GoldAnswers, observe
from workbench.app.retrieval_evaluation import evaluate_retrieval
from workbench.app.workbench import Workbench
from workbench.cli.command_line import main
from workbench.core.errors import UsageError
from workbench.core.records import BY_PAGE
from workbench.data.browsing import gold_passages
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.experiments.result_files import export
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.metrics.ranking import RANKING_MEASURES
from workbench.pipeline.recipe import make_recipe
from workbench.workspace import settings

METRICS = ["recall@5", "mrr", "hit@1", "char3_recall"]
NAMES = ("recall@5", "mrr", "hit@1")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A workspace with the tiny Wikipedia and its questions. Tests read from it and add experiments."""
    folder, home = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("home")
    patch = pytest.MonkeyPatch()
    run = scripted(home, patch)
    add_wikipedia(run, folder)
    add_questions(run, folder)
    patch.undo()
    return Workbench(settings.load(home))


def scripted(home: Path, patch: pytest.MonkeyPatch) -> Terminal:
    """The terminal without what it prints, which a fixture of a module cannot capture."""
    patch.setenv("WORKBENCH_HOME", str(home))

    def run(*words: object) -> CommandResult:
        patch.setattr(sys, "argv", ["workbench", *map(str, words)])
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
            main()
        return CommandResult(int(caught.value.code or 0), out.getvalue(), err.getvalue())

    return run


def run_of(bench: Workbench, perturbation: str, **choices: object) -> ResultView:
    """The answers of an experiment with one run over the questions, without a search by meaning."""
    recipe = {"retriever": "lexical", "encoder": "builtin"}
    experiment = small(
        **{
            "datasets": "mkqa",
            "modes": "multirag",
            "prompts": "reply-short-en",
            "questions": None,
            "perturbations": perturbation,
            "metrics": METRICS,
            "recipe": recipe,
            **choices,
        }
    )
    experiment_id, runner = stored(bench, experiment)
    runner.run()
    return ResultStore.at(bench.settings.database_url).of(experiment_id)


def cells(view: ResultView) -> dict[tuple[str, str], Instance]:
    return {(cell.question, cell.language): cell for cell in view.all_instances()}


def test_the_gold_of_the_import_are_pages_with_their_sections(bench: Workbench) -> None:
    library = DatasetLibrary(bench.settings.datasets)
    info = library.info("mkqa")
    assert (info.gold_level, info.corpus, info.parallel) == (BY_PAGE, "wiki", True)
    first, *_ = library.questions("mkqa", "fi", ("en", "fi"))
    assert first.gold == ("page::en:12",) and first.gold_sections == ("Bridges",)
    (raw, *_) = library.each_question("mkqa", "fi")
    assert raw.gold == ("en:12",) and list(gold_passages(info, raw, ("en", "fi"))) == ["page::en:12"]


def test_the_import_states_how_many_gold_pages_the_corpus_lacks(
    bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = terminal(bench.settings.home, capsys, monkeypatch)
    assert "1 of 3 gold pages are not in the corpus “wiki”." in add_questions(run, tmp_path, "again")


def test_a_corpus_for_questions_without_pages_is_refused(
    bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = terminal(bench.settings.home, capsys, monkeypatch)
    mkqa, _ = question_files(tmp_path)
    refused(
        run("import", "mkqa", mkqa, "--name", "plain", "--corpus", "wiki"), "names no pages", "leave the corpus out"
    )


def test_questions_by_page_cannot_join_questions_without(
    bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = terminal(bench.settings.home, capsys, monkeypatch)
    mkqa, kilt = question_files(tmp_path)
    assert run("import", "mkqa", mkqa, "--name", "mixed", "--lang", "en").code == 0
    refused(run("import", "mkqa", mkqa, "--name", "mixed", "--lang", "fi", "--kilt", kilt), "by passage", "by page")


def test_a_passage_of_the_linked_article_scores_as_its_gold_page(bench: Workbench) -> None:
    finnish = cells(run_of(bench, "none", scopes="ul", languages="fi"))["1", "fi"]
    assert {name for name, _, _ in finnish.passages} == {"fi:7#0"}
    assert finnish.scores["recall@5"] == 1 and finnish.scores["mrr"] == 1


def test_a_question_whose_page_the_corpus_lacks_is_unscored(bench: Workbench) -> None:
    cell = cells(run_of(bench, "none", languages="en"))["3", "en"]
    assert cell.scores["recall@5"] is None and "gold" in cell.reasons["recall@5"]


def test_the_experiment_has_the_figures_of_retrieve(bench: Workbench) -> None:
    view = run_of(bench, "none", languages="en")
    recipe = make_recipe({"corpus": "wiki", "retriever": "lexical", "encoder": "builtin"})
    retrieved = evaluate_retrieval(bench, "mkqa", "en", recipe, 50).scores
    for name in NAMES:
        (mean,) = view.means_with_intervals(name)
        assert mean.mean == pytest.approx(retrieved.means[name])
        assert mean.n == retrieved.n == 2


def test_an_evaluator_finds_the_figures_in_the_exported_pages(bench: Workbench, tmp_path: Path) -> None:
    import ir_measures

    view = run_of(bench, "none", k=10, languages="en")
    for kind in ("trec-run", "trec-qrels"):
        export(bench, view, kind, tmp_path / kind)
    named = {ir_measures.parse_measure(RANKING_MEASURES[name]): name for name in NAMES}
    theirs = ir_measures.calc_aggregate(
        list(named),
        list(ir_measures.read_trec_qrels(str(tmp_path / "trec-qrels"))),
        list(ir_measures.read_trec_run(str(tmp_path / "trec-run"))),
    )
    ours = {name: view.means_with_intervals(name)[0].mean for name in NAMES}
    assert {named[measure]: value for measure, value in theirs.items()} == pytest.approx(ours)
    pages = [line.split()[2] for line in (tmp_path / "trec-run").read_text().splitlines()]
    assert pages and all(name.startswith("page::en:") for name in pages)


def test_of_a_gold_page_the_passages_with_the_answer_bear_on_a_diagnosis(bench: Workbench) -> None:
    cell = cells(run_of(bench, "none", modes="baseline", languages="en"))["1", "en"]
    observed = observe(bench, cell, GoldAnswers(DatasetLibrary(bench.settings.datasets)))
    assert observed.facts.is_known
    assert {passage.id for passage in observed.bearing} == {"en:12#0", "en:12#2", "fi:7#0"}


def test_the_oracle_gives_the_passage_of_the_gold_section_that_holds_the_answer(bench: Workbench) -> None:
    answers = cells(run_of(bench, "oracle", scopes="en", languages=["en", "fi"]))
    for code in ("en", "fi"):
        assert [name for name, _, _ in answers["1", code].passages] == ["en:12#2"]
        assert answers["1", code].scores["recall@5"] == 1


def test_where_no_passage_of_the_section_is_known_the_oracle_gives_those_with_the_answer(bench: Workbench) -> None:
    # “Floods” begins within the only passage of its page.
    answers = cells(run_of(bench, "oracle", scopes="en", languages="en"))
    assert [name for name, _, _ in answers["2", "en"].passages] == ["en:14#0"]


def test_the_oracle_gives_nothing_for_a_page_that_the_corpus_lacks(bench: Workbench) -> None:
    cell = cells(run_of(bench, "oracle", languages="en"))["3", "en"]
    assert cell.passages == () and not cell.error and cell.scores["recall@5"] is None


def test_the_oracle_on_the_sample_gives_gold_passages_in_the_questions_language_first(
    workbench: Workbench,
) -> None:
    experiment_id, runner = stored(
        workbench,
        small(modes=["multirag", "crossrag"], prompts="reply-short-en", perturbations="oracle", metrics=METRICS),
    )
    runner.run()
    view = ResultStore.at(workbench.settings.database_url).of(experiment_id)
    answered = list(view.all_instances(failed=False))
    assert len(answered) == 8
    for cell in answered:
        names = [name for name, _, _ in cell.passages]
        assert names and set(names) <= set(cell.gold_passages)
        assert cell.scores["mrr"] == 1
        if any(name.split(".")[1] == cell.language for name in cell.gold_passages):
            assert cell.passages[0][1] == cell.language


def test_an_oracle_over_questions_without_golds_is_refused(
    bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mkqa, _ = question_files(tmp_path)
    run = terminal(bench.settings.home, capsys, monkeypatch)
    assert run("import", "mkqa", mkqa, "--name", "goldless").code == 0
    with pytest.raises(UsageError, match="the dataset “goldless” names none"):
        stored(bench, small(datasets="goldless", corpus="wiki", perturbations="oracle"))
