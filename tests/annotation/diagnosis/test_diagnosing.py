"""What is proposed for an answer, on what evidence, and when nothing is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.annotation.diagnosis.conftest import Pairs, with_answer
from tests.annotation.diagnosis.planted import LOW, PLANTED
from tests.annotation.diagnosis.planting import answered, planted_workspace
from workbench.annotation.diagnosis.diagnosing import Diagnosing
from workbench.annotation.diagnosis.proposal import CaseTrial
from workbench.app.workbench import Workbench
from workbench.components.registry import Registry
from workbench.core.errors import UsageError
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.experiments.replays.change import Change
from workbench.experiments.replays.replay import replay
from workbench.experiments.results.queries.instances import Instance
from workbench.metrics.catalogue import FORMAT_FAILURE

Few = tuple[Workbench, dict[str, Instance]]


def test_right_answers_are_not_wrong(planted_bench: tuple[Workbench, Pairs], diagnosing: Diagnosing) -> None:
    right = [with_answer(item, case.golds[0]) for case, item in planted_bench[1]]
    assert {diagnosing.propose(item).label for item in right} == {"not-wrong"}


def test_an_output_without_the_form_that_was_asked_for_is_wrong_whatever_it_contains(few: Few) -> None:
    failure = replace(with_answer(few[1]["not-retrieved"], "Marconi"), golds=("Marconi",), scores={FORMAT_FAILURE: 1.0})
    for item in (failure, replace(failure, evidence_in="none")):
        assert Diagnosing(few[0]).propose(item).label == "format"


def test_another_name_is_not_taken_for_another_spelling(
    planted_bench: tuple[Workbench, Pairs], diagnosing: Diagnosing
) -> None:
    spelt = [(case, item) for case, item in planted_bench[1] if case.cause == "transliterated-name"]
    others = {
        "ru": "Олег Камышин", "ar": "نبيل الصباغ", "zh": "李晓梅", "th": "สมชาย ใจดี", "hi": "गोपाल नायर",
        "ko": "이수민",
    }  # fmt: skip
    labels = {diagnosing.propose(with_answer(item, others[case.language])).label for case, item in spelt}
    assert labels == {"answer-not-in-corpus"}


def test_the_rank_of_the_right_document_is_evidence(few: Few, diagnosing: Diagnosing) -> None:
    proposal = diagnosing.propose(few[1]["not-retrieved"])
    assert "The best document that answers the question is ranked 30; 5 were given." in proposal.evidence
    assert [(trial.kind, trial.right) for trial in proposal.trials] == [("unchanged", False), ("gold-given", True)]


def test_the_document_that_misled_is_named(few: Few, diagnosing: Diagnosing) -> None:
    proposal = diagnosing.propose(few[1]["misled-by-document"])
    mending = [trial for trial in proposal.trials if trial.kind == "left-out" and trial.right]
    assert len(mending) == 1
    assert mending[0].passage.endswith(".o0")
    assert any(sentence.startswith(mending[0].change) for sentence in proposal.evidence)


def test_each_trial_is_reported_as_it_ends(few: Few, diagnosing: Diagnosing) -> None:
    trials: list[CaseTrial] = []
    proposal = diagnosing.propose(few[1]["misled-by-document"], trials.append)
    assert tuple(trials) == proposal.trials


def test_every_counterfactual_is_tried_where_that_is_wanted(few: Few) -> None:
    workbench, items = few
    item = items["misled-by-document"]
    trials = Diagnosing(workbench, thorough=True).propose(item).trials
    left_out = [trial.passage for trial in trials if trial.kind == "left-out"]
    assert len(left_out) == len(item.passages) - 1
    assert {"unchanged", "gold-given", "answer-in-ul"} <= {trial.kind for trial in trials}


def test_documents_are_translated_where_they_are_in_another_language(planted_bench: tuple[Workbench, Pairs]) -> None:
    workbench, pairs = planted_bench
    cause = ("misled-by-document", "ar")
    item = next(item for case, item in pairs if (case.cause, case.language) == cause)
    assert "translated" in {trial.kind for trial in Diagnosing(workbench, thorough=True).propose(item).trials}


def test_a_right_document_within_reach_is_tried_with_a_deeper_retrieval(tmp_path: Path) -> None:
    case = replace(LOW[0], times=8)
    workbench = planted_workspace(tmp_path / "workspace", [case, PLANTED[-1]])
    item = answered(workbench, [case, PLANTED[-1]], tmp_path)[0][1]
    proposal = Diagnosing(workbench).propose(item)
    deeper = next(trial for trial in proposal.trials if trial.kind == "deeper")
    assert (proposal.label, deeper.change) == ("not-retrieved", "9 documents given")
    assert deeper.right is not None


def test_a_deeper_retrieval_is_tried_without_the_filter_that_dropped_the_right_document(tmp_path: Path) -> None:
    case = replace(LOW[0], times=2)
    workbench = planted_workspace(tmp_path / "workspace", [case, PLANTED[-1]])
    item = answered(workbench, [case, PLANTED[-1]], tmp_path, score_percentile=0.2)[0][1]
    assert len(item.passages) == 1
    trials = Diagnosing(workbench, thorough=True).propose(item).trials
    deeper = next(trial for trial in trials if trial.kind == "deeper")
    kept = replay(workbench, item, Change({"k": 3})).answer
    assert deeper.change == "3 documents given"
    assert deeper.answer == replay(workbench, item, Change({"k": 3, "score_percentile": None})).answer != kept


def test_nothing_is_tried_for_an_answer_that_differs_by_its_surface(few: Few, diagnosing: Diagnosing) -> None:
    proposal = diagnosing.propose(few[1]["inflected-form"])
    assert (proposal.label, proposal.trials) == ("inflected-form", ())


def test_nothing_is_proposed_for_a_failed_cell(few: Few, diagnosing: Diagnosing) -> None:
    proposal = diagnosing.propose(replace(few[1]["not-retrieved"], error="the server is away"))
    assert proposal.label == ""
    assert "the server is away" in proposal.evidence[0]


def test_nothing_is_proposed_without_a_gold_answer(few: Few, diagnosing: Diagnosing) -> None:
    for values in ({"golds": ()}, {"golds": ("?",)}, {"language": "xx"}):
        assert diagnosing.propose(replace(few[1]["not-retrieved"], **values)).label == ""


def test_nothing_is_proposed_where_the_corpus_is_gone(few: Few, diagnosing: Diagnosing) -> None:
    item = few[1]["not-retrieved"]
    proposal = diagnosing.propose(replace(item, run=replace(item.run, corpus="gone")))
    assert (proposal.label, proposal.trials) == ("", ())


def test_an_answer_where_the_corpus_has_none_is_labelled_so(few: Few, diagnosing: Diagnosing) -> None:
    item = replace(few[1]["not-retrieved"], evidence_in="none", golds=())
    assert diagnosing.propose(item).label == "answer-not-in-corpus"
    assert diagnosing.propose(with_answer(item, "I don't know.")).label == "not-wrong"
    denial = replace(with_answer(item, "It never opened."), scores={"hallucination": 0.0})
    assert diagnosing.propose(denial).label == "not-wrong"


def test_an_imported_answer_without_its_documents_is_not_blamed_on_the_search(few: Few, diagnosing: Diagnosing) -> None:
    item = few[1]["not-retrieved"]
    imported = replace(item, run=replace(item.run, recipe=""), passages=())
    assert diagnosing.propose(imported).label == ""


def test_an_imported_answer_that_lacked_the_right_document_is_one_of_retrieval(
    few: Few, diagnosing: Diagnosing
) -> None:
    item = few[1]["not-retrieved"]
    assert diagnosing.propose(replace(item, run=replace(item.run, recipe=""))).label == "not-retrieved"


def test_an_imported_answer_that_had_the_right_document_may_be_either(few: Few, diagnosing: Diagnosing) -> None:
    item = few[1]["misled-by-document"]
    assert diagnosing.propose(replace(item, run=replace(item.run, recipe=""))).label == ""


def test_an_answer_that_is_right_when_asked_again_is_not_explained(few: Few, diagnosing: Diagnosing) -> None:
    """The stored text is another than the one that the same recipe gives now, which is right."""
    item = few[1]["misled-by-document"]
    gold = tuple(entry for entry in item.passages if entry[0] in item.gold_passages)
    unstable = replace(with_answer(item, "Somebody"), golds=("Nils Bergqvist",), gold_passages=(gold[0][0],))
    proposal = diagnosing.propose(unstable)
    assert proposal.label == ""
    assert "now" in proposal.evidence[0]


def test_texts_are_sent_only_where_that_is_allowed(few: Few, monkeypatch: pytest.MonkeyPatch) -> None:
    workbench, items = few
    monkeypatch.setattr(Registry, "check", lambda registry, recipe: ("api.example",))
    proposal = Diagnosing(workbench).propose(items["misled-by-document"])
    assert {trial.right for trial in proposal.trials} == {None}
    assert all("api.example" in trial.note for trial in proposal.trials)
    assert proposal.label == ""


def test_a_damaged_corpus_stops_nothing_but_its_proposal(few: Few, monkeypatch: pytest.MonkeyPatch) -> None:
    workbench, items = few

    def fail(library: CorpusLibrary, *_: object) -> None:
        raise UsageError("damaged")

    monkeypatch.setattr(CorpusLibrary, "open", fail)
    assert Diagnosing(workbench).propose(items["not-retrieved"]).label == ""
