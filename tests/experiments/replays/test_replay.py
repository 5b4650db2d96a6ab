"""A stored answer with one thing changed: what is run, what is kept, and what comes of it."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.experiments.replays.stored_answers import Calls, first_answer, forget, stored_answer, stored_rows
from tests.trees import copy_sample
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Evidence
from workbench.experiments.replays.change import CHANGED, Change, reach, retrace
from workbench.experiments.replays.replay import (
    NEEDS_JUDGE,
    NO_SEARCH,
    OTHER_IDENTIFIER,
    PERTURBED_KEPT,
    SEARCH_IS_FIXED,
    Replay,
    replay,
    replays,
)
from workbench.experiments.results.queries.instances import Instance
from workbench.metrics.measure import Score
from workbench.workspace import settings

pytestmark = pytest.mark.sqlite  # a workspace is copied with the file of its database


@pytest.fixture(scope="module")
def answered_home(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A workspace with an answer of CrossRAG to a Finnish question, and the id of its experiment: made once, copied."""
    home = tmp_path_factory.mktemp("answered") / "workspace"
    copy_sample(sample_home, home)
    return home, stored_answer(Workbench(settings.load(home))).run.experiment_id


@pytest.fixture
def home(answered_home: tuple[Path, str], tmp_path: Path) -> Path:
    """The workspace of one test."""
    place = tmp_path / "workspace"
    shutil.copytree(answered_home[0] / "corpora", place / "corpora", copy_function=os.link)
    for file in answered_home[0].glob("workbench.db*"):
        shutil.copy(file, place)
    return place


@pytest.fixture
def item(workbench: Workbench, answered_home: tuple[Path, str]) -> Instance:
    """An answer of CrossRAG to a Finnish question."""
    return first_answer(workbench, answered_home[1])


@pytest.fixture
def calls(item: Instance, monkeypatch: pytest.MonkeyPatch) -> Calls:
    """What is called after the answer was stored."""
    return Calls().watch(monkeypatch)


def test_a_replay_without_a_change_is_the_stored_answer(workbench: Workbench, item: Instance, calls: Calls) -> None:
    again = replay(workbench, item, Change())
    assert (again.answer, again.answer_language, again.failure) == (item.output, item.answer_language, "")
    assert {name: score.value for name, score in again.scores.items()} == item.scores
    assert [entry.passage.id for entry in again.evidence] == [name for name, _, _ in item.passages]
    assert set(_statuses(again).values()) == {"kept"}
    assert (calls.queries, calls.prompts) == ([], [])


def test_a_new_prompt_is_the_only_thing_that_the_generator_reads_anew(
    workbench: Workbench, item: Instance, calls: Calls
) -> None:
    changed = replay(workbench, item, Change({"prompt": "reply-short-ul"}))
    assert _statuses(changed) == {
        "retrieve": "kept",
        "rerank": "kept",
        "translate passages": "kept",
        "compose": "run",
        "generate": "run",
        "read answer": "run",
        "detect language": _statuses(changed)["detect language"],
    }
    assert (len(calls.queries), len(calls.prompts)) == (0, 1)
    assert changed.prompt == calls.prompts[0]


def test_a_step_whose_input_comes_out_the_same_is_kept(workbench: Workbench, item: Instance, calls: Calls) -> None:
    last = retrace(workbench, item).evidence[-1]
    edited = replace(last, passage=replace(last.passage, text=last.passage.text + " Huom."))
    changed = replay(workbench, item, Change(evidence=(*retrace(workbench, item).evidence[:-1], edited)))
    assert changed.answer == item.output
    assert _statuses(changed)["generate"] == "run"
    assert _statuses(changed)["detect language"] == "kept"


def test_k_keeps_the_ranking_and_runs_what_follows(workbench: Workbench, item: Instance, calls: Calls) -> None:
    changed = replay(workbench, item, Change({"k": 2}))
    assert len(changed.evidence) == 2
    assert (_statuses(changed)["retrieve"], _statuses(changed)["rerank"]) == ("kept", "run")
    assert (len(calls.queries), len(calls.prompts)) == (0, 1)


def test_neighbours_join_the_candidates_that_were_retrieved(workbench: Workbench, item: Instance, calls: Calls) -> None:
    changed = replay(workbench, item, Change({"neighbours": 1}))
    assert changed.failure == ""
    statuses = _statuses(changed)
    assert (statuses["retrieve"], statuses["augment"], statuses["rerank"]) == ("kept", "run", "run")
    assert calls.queries == []
    assert all("similarity" in entry.scores for entry in changed.evidence)


def test_a_filter_drops_documents_and_keeps_the_search(workbench: Workbench, item: Instance) -> None:
    changed = replay(workbench, item, Change({"score_percentile": 0.5}))
    statuses = _statuses(changed)
    assert (statuses["retrieve"], statuses["rerank"], statuses["filter"]) == ("kept", "kept", "run")
    stored = [name for name, _, _ in item.passages]
    assert [entry.passage.id for entry in changed.evidence] == stored[: len(stored) // 2]


def test_documents_that_are_given_pass_every_filter(workbench: Workbench, item: Instance) -> None:
    evidence = retrace(workbench, item).evidence[:2]
    changed = replay(workbench, item, Change({"score_threshold": 1e6}, evidence))
    assert [entry.passage.id for entry in changed.evidence] == [entry.passage.id for entry in evidence]
    assert _statuses(changed)["filter"] == "skipped"


def test_a_scope_is_searched_anew(workbench: Workbench, item: Instance, calls: Calls) -> None:
    changed = replay(workbench, item, Change({"scope": "ul"}))
    assert {entry.passage.language for entry in changed.evidence} == {"fi"}
    assert _statuses(changed)["retrieve"] == "run"
    assert [query.languages for query in calls.queries] == [("fi",)]


def test_a_mode_keeps_the_stages_that_it_shares(workbench: Workbench, item: Instance, calls: Calls) -> None:
    changed = replay(workbench, item, Change({"mode": "multirag"}))
    assert (_statuses(changed)["retrieve"], _statuses(changed)["rerank"]) == ("kept", "kept")
    assert "translate passages" not in _statuses(changed)
    assert not any(entry.translation for entry in changed.evidence)
    assert len(calls.prompts) == 1


def test_a_mode_brings_the_scope_of_its_paper(workbench: Workbench, item: Instance) -> None:
    changed = replay(workbench, item, Change({"mode": "monorag"}))
    assert changed.recipe is not None
    assert changed.recipe.scope == "ul"


def test_a_scope_that_departs_from_the_paper_stays_with_a_new_mode(workbench: Workbench) -> None:
    item = stored_answer(workbench, scopes=["en"])
    changed = replay(workbench, item, Change({"mode": "multirag"}))
    assert changed.recipe is not None
    assert changed.recipe.scope == "en"


def test_an_answer_of_a_generator_that_is_gone_can_be_given_another(
    workbench: Workbench, item: Instance, calls: Calls
) -> None:
    recipe = {**json.loads(item.run.recipe), "generator": "openai-like:some-model@gone"}
    gone = replace(item, run=replace(item.run, recipe=json.dumps(recipe)))
    changed = replay(workbench, gone, Change({"generator": "extractive"}))
    assert changed.answer == item.output
    assert (_statuses(changed)["retrieve"], _statuses(changed)["generate"]) == ("kept", "run")


def test_a_question_is_searched_and_answered_anew(workbench: Workbench, item: Instance, calls: Calls) -> None:
    changed = replay(workbench, item, Change(question="  Kuka sävelsi Finlandian?  "))
    assert [query.text for query in calls.queries] == ["Kuka sävelsi Finlandian?"]
    assert changed.prompt is not None
    assert "Kuka sävelsi Finlandian?" in changed.prompt.user


def test_a_document_that_is_removed_is_not_read(workbench: Workbench, item: Instance, calls: Calls) -> None:
    evidence = retrace(workbench, item).evidence
    changed = replay(workbench, item, Change(evidence=evidence[1:]))
    assert [entry.passage.id for entry in changed.evidence] == [entry.passage.id for entry in evidence[1:]]
    assert [entry.rank for entry in changed.evidence] == list(range(1, len(evidence)))
    assert changed.prompt is not None
    assert changed.prompt.task.evidence == changed.evidence
    assert (_statuses(changed)["retrieve"], _statuses(changed)["translate passages"]) == ("kept", "run")
    assert (calls.queries, len(calls.prompts)) == ([], 1)


def test_documents_are_read_in_the_order_that_is_given(workbench: Workbench, item: Instance) -> None:
    evidence = retrace(workbench, item).evidence
    changed = replay(workbench, item, Change(evidence=evidence[::-1]))
    assert changed.prompt is not None
    in_prompt = [(entry.rank, entry.passage.id) for entry in changed.prompt.task.evidence]
    assert in_prompt == list(enumerate((entry.passage.id for entry in evidence[::-1]), start=1))


def test_an_edited_text_reaches_the_prompt(workbench: Workbench) -> None:
    item = stored_answer(workbench, modes=["multirag"])
    evidence = retrace(workbench, item).evidence
    edited = replace(evidence[0], passage=replace(evidence[0].passage, text="Radion keksi Aino Testi."))
    changed = replay(workbench, item, Change(evidence=(edited, *evidence[1:])))
    assert changed.prompt is not None
    assert "Radion keksi Aino Testi." in changed.prompt.user
    assert evidence[0].passage.text not in changed.prompt.user


def test_an_edited_text_is_translated_anew(workbench: Workbench, item: Instance) -> None:
    evidence = retrace(workbench, item).evidence
    place = next(number for number, entry in enumerate(evidence) if entry.translation)
    edited = replace(evidence[place], passage=replace(evidence[place].passage, text="Radio."))
    changed = replay(workbench, item, Change(evidence=(edited,)))
    translation = changed.evidence[0].translation
    assert translation is not None
    assert translation.text != evidence[place].text


def test_documents_that_are_the_same_change_nothing(workbench: Workbench, item: Instance, calls: Calls) -> None:
    changed = replay(workbench, item, Change(evidence=retrace(workbench, item).evidence))
    assert set(_statuses(changed).values()) == {"kept"}
    assert calls.prompts == []


def test_without_any_document_no_generator_is_called(workbench: Workbench, item: Instance, calls: Calls) -> None:
    changed = replay(workbench, item, Change(evidence=()))
    assert (changed.prompt, calls.prompts) == (None, [])
    assert changed.answer != item.output


def test_a_search_that_is_not_cached_is_left_out_where_documents_are_given(
    workbench: Workbench, item: Instance, calls: Calls
) -> None:
    evidence = retrace(workbench, item).evidence
    forget(workbench, "retrieve", "rerank")
    changed = replay(workbench, item, Change(evidence=evidence[:1]))
    assert (_statuses(changed)["retrieve"], _statuses(changed)["rerank"]) == ("skipped", "skipped")
    assert calls.queries == []
    assert changed.scores["hit@5"] == NO_SEARCH


def test_the_question_is_translated_for_a_mode_that_asks_in_english(workbench: Workbench, calls: Calls) -> None:
    item = stored_answer(workbench, modes=["pivot"])
    evidence = retrace(workbench, item).evidence
    translated = replay(workbench, item, Change()).prompt
    changed = replay(workbench, item, Change(evidence=evidence[:1])).prompt
    assert translated is not None
    assert changed is not None
    assert changed.task.question == translated.task.question != item.text
    assert changed.task.language == "en"


def test_a_step_that_is_no_longer_cached_is_run_again(workbench: Workbench, item: Instance, calls: Calls) -> None:
    forget(workbench, "retrieve")
    changed = replay(workbench, item, Change({"prompt": "reply-short-ul"}))
    assert _statuses(changed)["retrieve"] == "run again"
    assert _statuses(changed)["rerank"] == "kept"
    assert _statuses(changed)["compose"] == "run"
    assert len(calls.queries) == 1


def test_the_same_replay_is_read_from_the_cache(workbench: Workbench, item: Instance, calls: Calls) -> None:
    first = replay(workbench, item, Change({"k": 2}))
    second = replay(workbench, item, Change({"k": 2}))
    assert len(calls.prompts) == 1
    assert (second.answer, _statuses(second)) == (first.answer, _statuses(first))
    assert {step.name: step.cached for step in second.steps}["generate"]


def test_no_result_is_written(workbench: Workbench, item: Instance) -> None:
    before = stored_rows(workbench)
    replay(workbench, item, Change({"mode": "multirag", "k": 1}))
    assert stored_rows(workbench) == before


def test_equal_chains_are_one_call_of_the_generator(workbench: Workbench, item: Instance, calls: Calls) -> None:
    evidence = retrace(workbench, item).evidence
    changes = [Change(evidence=(entry,)) for entry in evidence[:3]]
    together = replays(workbench, item, [*changes, Change({"k": 1})])
    assert calls.batches == [3]  # the last one reads the first document alone, as the first one does
    assert [entry.evidence[0].passage.id for entry in together] == [
        *(entry.passage.id for entry in evidence[:3]), evidence[0].passage.id,
    ]  # fmt: skip


def test_replays_come_in_the_order_of_their_changes(workbench: Workbench, item: Instance) -> None:
    changes = [Change({"k": 1}), Change({"mode": "multirag"}), Change({"k": 3})]
    together = replays(workbench, item, changes)
    assert [len(entry.evidence) for entry in together] == [1, 5, 3]
    assert together == [replace(_alone(workbench, item, change), steps=entry.steps)
                        for change, entry in zip(changes, together, strict=True)]  # fmt: skip


def test_a_step_that_fails_is_a_sentence(
    workbench: Workbench, item: Instance, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(generator: object, prompts: object) -> None:
        raise UsageError("The model is asleep.")

    monkeypatch.setattr("tests.experiments.replays.stored_answers._Generator.generate", fail)
    changed = replay(workbench, item, Change({"k": 1}))
    assert (changed.failure, changed.answer, changed.scores) == ("The model is asleep.", "", {})
    assert list(_statuses(changed)) == ["retrieve", "rerank", "translate passages", "compose"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"mode": "telepathy"}, "Unknown mode “telepathy”"),
        ({"colour": "red"}, "Unknown recipe key “colour”"),
        ({"k": 0}, "The recipe's k is “0”"),
        ({"k": {1, 2}}, "type text or a number"),
        ({"generator": "no-such-generator"}, "no-such-generator"),
        ({"corpus": "nowhere"}, "nowhere"),
    ],
)
def test_a_field_that_is_not_allowed_is_refused_before_anything_runs(
    workbench: Workbench, item: Instance, calls: Calls, fields: dict[str, object], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        replays(workbench, item, [Change({"k": 1}), Change(fields)])
    assert calls.prompts == []


@pytest.mark.parametrize("question", ["", "  ", "?!"])
def test_a_question_that_cannot_be_asked_is_refused(workbench: Workbench, item: Instance, question: str) -> None:
    with pytest.raises(UsageError, match="question"):
        replay(workbench, item, Change(question=question))


@pytest.mark.parametrize(("text", "words"), [(" ", "Document 1 has no text"), ("a" * 20_001, "at most 20,000")])
def test_a_document_that_cannot_be_read_is_refused(workbench: Workbench, item: Instance, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        replay(workbench, item, Change(evidence=(_document(item, text),)))


def test_more_documents_than_a_prompt_takes_are_refused(workbench: Workbench, item: Instance) -> None:
    with pytest.raises(UsageError, match="There are 21 documents"):
        replay(workbench, item, Change(evidence=(_document(item, "Radio."),) * 21))


def test_a_mode_that_reads_no_documents_is_given_none(workbench: Workbench, item: Instance) -> None:
    with pytest.raises(UsageError, match="reads no documents"):
        replay(workbench, item, Change({"mode": "baseline"}, evidence=retrace(workbench, item).evidence))


@pytest.mark.parametrize("recipe", ["", json.dumps({"mode": "a mode that no longer exists"})])
def test_an_answer_without_a_recipe_cannot_be_replayed(workbench: Workbench, item: Instance, recipe: str) -> None:
    with pytest.raises(UsageError, match="nothing of it can be run again"):
        replay(workbench, replace(item, run=replace(item.run, recipe=recipe)), Change())


def test_metrics_that_need_a_judge_are_not_measured(workbench: Workbench, item: Instance) -> None:
    judged = replace(item, scores={"g_eval@extractive": 0.5, "clr@other~1a2b3c": 1.0, "char3_recall": 1.0})
    assert replay(workbench, judged, Change()).scores == {
        "g_eval@extractive": NEEDS_JUDGE,
        "clr@other~1a2b3c": OTHER_IDENTIFIER,
        "char3_recall": Score(item.scores["char3_recall"]),
    }


def test_an_answer_that_was_not_scored_is_scored_by_the_usual_metrics(workbench: Workbench, item: Instance) -> None:
    assert {"char3_recall", "clr", "hit@5"} <= set(replay(workbench, replace(item, scores={}), Change()).scores)


def test_the_note_names_a_corpus_that_has_changed(workbench: Workbench, item: Instance) -> None:
    other = replace(item, passages=(("gone.en.1", "en", 1.0),))
    assert replay(workbench, other, Change({"prompt": "reply-short-ul"})).note == CHANGED


def test_perturbed_documents_are_read_as_they_were_given(workbench: Workbench) -> None:
    item = stored_answer(workbench, perturbations=["shuffle"])
    changed = replay(workbench, item, Change({"prompt": "reply-short-ul"}))
    assert [entry.passage.id for entry in changed.evidence] == [name for name, _, _ in item.passages]
    assert changed.note == PERTURBED_KEPT


@pytest.mark.parametrize("change", [Change({"k": 1}), Change({"scope": "en"}), Change(question="Kuka?")])
def test_the_search_of_a_perturbed_run_cannot_be_changed(workbench: Workbench, change: Change) -> None:
    item = stored_answer(workbench, perturbations=["shuffle"])
    with pytest.raises(UsageError, match=SEARCH_IS_FIXED):
        replay(workbench, item, change)


def test_the_built_in_reader_reaches_no_host_and_no_model(workbench: Workbench, item: Instance) -> None:
    limits = reach(workbench, item, Change({"k": 1}))
    assert (limits.hosts, limits.model) == ((), "")


def test_hosts_and_the_model_are_known_before_a_replay(workbench: Workbench, item: Instance) -> None:
    (workbench.settings.home / "endpoints.yaml").write_text("there:\n  url: https://api.example/v1\n", encoding="utf-8")
    generator = "openai-like:some-model@there"
    limits = reach(workbench, item, Change({"generator": generator}))
    assert (limits.hosts, limits.model) == (("api.example",), generator)


def _statuses(item: Replay) -> dict[str, str]:
    return {step.name: step.status for step in item.steps}


def _alone(workbench: Workbench, item: Instance, change: Change) -> Replay:
    return replay(workbench, item, change)


def _document(item: Instance, text: str) -> Evidence:
    from workbench.core.records import Passage

    return Evidence(Passage("new", "new", "", item.language, text), 1)
