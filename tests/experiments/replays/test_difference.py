"""What differs between an answer and its replay: documents, words of the answer and scores; and the file of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from tests.experiments.replays.stored_answers import stored_answer
from tests.fakes import evidence
from workbench.app.workbench import Workbench
from workbench.core.records import Evidence
from workbench.experiments.replays.change import Change, retrace
from workbench.experiments.replays.comparison import NOT_MEASURED, RankChange, difference, pieces, replay_to_json
from workbench.experiments.replays.replay import Replay, as_replay, replay
from workbench.metrics.measure import Score

FOUR = evidence("one", "two", "three", "four")


def _replay(
    documents: tuple[Evidence, ...] = (), answer: str = "", scores: Mapping[str, Score] | None = None
) -> Replay:
    ranked = tuple(replace(item, rank=rank) for rank, item in enumerate(documents, start=1))
    return Replay(answer, "en", ranked, None, (), scores or {})


def test_a_document_that_left_does_not_move_those_below_it() -> None:
    delta = difference(_replay(FOUR), _replay(FOUR[1:]))
    assert (delta.left, delta.came, delta.moved, delta.edited) == ((FOUR[0],), (), (), ())
    assert not delta.same_documents


def test_a_document_that_came_is_named() -> None:
    delta = difference(_replay(FOUR[:3]), _replay(FOUR))
    assert [item.passage.id for item in delta.came] == ["doc.4"]
    assert delta.left == ()


def test_the_document_that_changed_places_is_named_with_both_places() -> None:
    later = (FOUR[3], *FOUR[:3])
    assert difference(_replay(FOUR), _replay(later)).moved == (RankChange(replace(FOUR[3], rank=1), 4, 1),)


def test_an_edited_document_is_named_as_it_is_read_now() -> None:
    edited = replace(FOUR[1], passage=replace(FOUR[1].passage, text="zwei"))
    assert difference(_replay(FOUR), _replay((FOUR[0], edited, *FOUR[2:]))).edited == (edited,)


def test_equal_documents_are_the_same_documents() -> None:
    assert difference(_replay(FOUR), _replay(FOUR)).same_documents


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("It was Popov.", "It was Marconi.", ["=It was ", "-Popov", "+Marconi", "=."]),
        ("in 1895", "about 1895", ["-in", "+about", "= 1895"]),
        ("a b c", "d e f", ["-a b c", "+d e f"]),
        ("ลูกแมวสีดำ", "ลูกแมวสีขาว", ["=ลูกแมวสี", "-ดำ", "+ขาว"]),
        ("無線を発明", "電波を発明", ["-無線", "+電波", "=を発明"]),
        ("اخترع ماركوني الراديو", "اخترع بوبوف الراديو", ["=اخترع ", "-ماركوني", "+بوبوف", "= الراديو"]),
        ("Marconi", "Marconin", ["-Marconi", "+Marconin"]),
        ("", "x", ["+x"]),
        ("same", "same", ["=same"]),
    ],
)
def test_answers_differ_by_words(before: str, after: str, expected: list[str]) -> None:
    marks = {"same": "=", "removed": "-", "added": "+"}
    assert [marks[piece.kind] + piece.text for piece in pieces(before, after)] == expected


@given(st.text("ab .無\u0301", max_size=20), st.text("ab .無\u0301", max_size=20))
def test_the_pieces_of_each_answer_add_up_to_it(before: str, after: str) -> None:
    cut = pieces(before, after)
    assert "".join(piece.text for piece in cut if piece.kind != "added") == before
    assert "".join(piece.text for piece in cut if piece.kind != "removed") == after


def test_every_score_is_compared() -> None:
    before = {"clr": Score(1.0), "hit@5": Score(None, "why")}
    after = {"clr": Score(0.25), "hit@5": Score(1.0), "meteor": Score(0.5)}
    scores = difference(_replay(scores=before), _replay(scores=after)).scores
    assert [(item.metric, item.gain) for item in scores] == [("clr", -0.75), ("hit@5", None), ("meteor", None)]
    assert scores[2].before == NOT_MEASURED


def test_a_replay_is_compared_with_the_stored_answer_and_written_as_json(workbench: Workbench) -> None:
    item = stored_answer(workbench)
    before = as_replay(item, retrace(workbench, item))
    change = Change(evidence=before.evidence[:2])
    report = replay_to_json(item, change, before, replay(workbench, item, change))
    assert json.loads(json.dumps(report)) == report
    assert report["before"]["answer"] == item.output
    assert report["change"]["documents"] == [name for name, _, _ in item.passages[:2]]
    assert report["difference"]["left"] == [name for name, _, _ in item.passages[2:]]
    assert {step["name"]: step["status"] for step in report["after"]["steps"]}["generate"] == "run"
    assert {score["metric"] for score in report["difference"]["scores"]} == set(item.scores)
