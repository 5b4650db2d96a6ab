"""Inspect over invented results: browsing with filters in the URL, and labelling from the first click to the end."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.screens.conftest import html, open_page
from tests.screens.results import PAYLOAD, add_results
from workbench.annotation.error_taxonomy import taxonomy
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue, QueueItem
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.text_spans import text_span
from workbench.app.workbench import Workbench
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore, SavedFilters
from workbench.ui.annotate import answer_marks, labelling
from workbench.ui.annotate.label_keys import COMPLETE, FORWARD, UNDO
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.inspect.instance_page import OUTSIDE
from workbench.ui.parts import access
from workbench.ui.parts.safe_html import escaped

PERSON = "Ada"
FIRST_LABEL = "inspect_label_1"
NEW_QUEUE = "inspect_new_queue"
RESULTS = "Agreement and downloads"


def _open(*folds: str, **params: str | list[str]) -> AppTest:
    return open_page("inspect", *folds, **params)


def _store(bench: Workbench) -> ResultStore:
    return ResultStore.at(bench.settings.database_url)


def _queue(bench: Workbench, name: str = "answer-faithfulness") -> AnnotationQueue:
    """A queue of the three answers that did not fail, in English and Finnish."""
    add_results(bench)
    store = _store(bench)
    runs = [run.id for run in store.where(Filter()).runs()]
    return QueueStore(store).create("Pilot", taxonomy(name, bench.settings.home), runs, per_language=5)


def _labelling(bench: Workbench, queue: AnnotationQueue) -> AppTest:
    return _open(view="annotate", queue=queue.id, annotator=PERSON, reads=["en", "fi"])


def _labels(bench: Workbench, queue: AnnotationQueue) -> dict[int, tuple[str, ...]]:
    return {record.number: record.labels for record in LabelStore(_store(bench)).labels(queue.id)}


def _key(name: str) -> str:
    return taxonomy("answer-faithfulness", access.workbench().settings.home).labels[int(name[-1]) - 1].key


def test_an_empty_workspace_leads_to_the_demonstration(bench: Workbench) -> None:
    app = _open()
    assert not app.exception
    assert "There are no answers yet" in app.markdown[0].value
    assert [link.proto.label for link in app.get("page_link")] == ["Go to the demonstration", "Run an experiment"]


def test_browsing_lists_the_answers_of_the_newest_experiment(results_bench: Workbench) -> None:
    app = _open()
    assert not app.exception
    assert app.header[0].value == "Answers (4)"


def test_an_answer_is_shown_as_text(results_bench: Workbench) -> None:
    app = _open()
    assert escaped(PAYLOAD) in html(app)
    assert PAYLOAD not in html(app)


def test_a_search_in_the_url_narrows_the_list(results_bench: Workbench) -> None:
    app = _open(search="KEKSIJÄNÄ")
    assert app.header[0].value == "Answers (2)"
    assert app.text_input(key="inspect_search").value == "KEKSIJÄNÄ"


def test_a_language_in_the_url_narrows_the_list(results_bench: Workbench) -> None:
    app = _open(language="fi")
    assert app.header[0].value == "Answers (2)"
    assert app.multiselect(key="inspect_languages").value == ["fi"]


def test_scores_in_the_url_narrow_the_list(results_bench: Workbench) -> None:
    assert _open(metric="char3_recall", within="0.9-1").header[0].value == "Answers (1)"


def test_answers_in_the_wrong_language_can_be_listed_alone(results_bench: Workbench) -> None:
    assert _open(only="wrong-language").header[0].value == "Answers (1)"


def test_a_selected_filter_is_written_into_the_url(results_bench: Workbench) -> None:
    app = _open("inspect_filters")
    assert "experiment" not in app.query_params, "Back would lead to the page without it, in vain"
    app.multiselect(key="inspect_modes").select("crossrag").run()
    assert app.query_params["mode"] == "crossrag"


def test_closed_filters_are_not_built(results_bench: Workbench) -> None:
    assert "inspect_modes" not in {box.key for box in _open().multiselect}


def test_what_is_wrong_with_a_url_is_named(results_bench: Workbench) -> None:
    app = _open(page="x", only="nonsense")
    assert "“page” in the URL is “" in html(app)
    assert "“only” in the URL is “nonsense”" in html(app)


def test_answers_with_a_label_are_not_among_those_without(bench: Workbench) -> None:
    queue = _queue(bench)
    item = QueueStore(_store(bench)).items(queue.id)[0]
    LabelStore(_store(bench)).save(item, PERSON, [_key(FIRST_LABEL)])
    assert _open(only="unlabelled").header[0].value == "Answers (3)"


def test_an_open_instance_names_its_golds_and_scores(results_bench: Workbench) -> None:
    app = _open()
    rows = ResultStore.at(results_bench.settings.database_url).where(Filter()).instances()
    ways = [str(group.key) for group in app.button_group if str(group.key).startswith("inspect_open_")]
    # The worst question is the first.
    assert ways[0] == f"inspect_open_{next(row.question_id for row in rows if row.answer == 2)}"
    app.button_group(key=ways[0]).set_value(2).run()
    assert not app.exception
    assert "Marconi" in html(app)
    assert "All scores (2)" in [fold.label for fold in app.expander]
    assert app.query_params["instance"] == "2"


def test_next_turns_to_the_next_instance_within_the_filter(results_bench: Workbench) -> None:
    app = _open(language="fi", instance="2")
    app.button(key="inspect_next").click().run()
    assert app.query_params["instance"] == "4"
    assert app.button(key="inspect_next").disabled


def test_previous_turns_back_within_the_filter(results_bench: Workbench) -> None:
    app = _open(language="fi", instance="4")
    assert "Question 1 of 1" in [text.value for text in app.markdown]
    app.button(key="inspect_previous").click().run()
    assert app.query_params["instance"] == "2"
    assert app.button(key="inspect_previous").disabled


def test_an_instance_outside_the_filter_is_shown_and_said_to_be_so(results_bench: Workbench) -> None:
    app = _open(language="fi", instance="1")
    assert OUTSIDE in [text.value for text in app.markdown]
    assert app.button(key="inspect_next").disabled


def test_a_label_changes_the_count_of_answers_without_one(bench: Workbench) -> None:
    queue = _queue(bench)
    before = _open(only="unlabelled").header[0].value
    LabelStore(_store(bench)).save(QueueStore(_store(bench)).items(queue.id)[0], PERSON, [_key(FIRST_LABEL)])
    assert (before, _open(only="unlabelled").header[0].value) == ("Answers (4)", "Answers (3)")


def test_an_open_answer_is_not_below_the_filters(results_bench: Workbench) -> None:
    app = _open(instance="2")
    assert not app.multiselect and "inspect_search" not in {field.key for field in app.text_input}
    app.button(key="inspect_list").click().run()
    assert "instance" not in app.query_params
    assert app.multiselect(key="inspect_experiments").value


def test_an_instance_that_is_gone_is_named_in_a_sentence(results_bench: Workbench) -> None:
    assert "The answer that the link names is not in this workspace." in html(_open(instance="99"))


def test_one_click_makes_the_first_queue_and_asks_who_labels(bench: Workbench) -> None:
    add_results(bench)
    app = _open(view="annotate")
    app.button(key="inspect_first_queue").click().run()
    assert not app.exception
    assert len(QueueStore(_store(bench)).queues()) == 1
    app.text_input(key="inspect_name").set_value(PERSON)
    app.button(key="inspect_start").click().run()
    assert app.query_params["annotator"] == PERSON
    assert FIRST_LABEL in _keys(app)


def test_a_name_is_needed_to_label(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _open(view="annotate", queue=queue.id)
    app.button(key="inspect_start").click().run()
    assert "Type your name" in html(app)


def test_the_form_makes_a_queue_of_all_runs(bench: Workbench) -> None:
    add_results(bench)
    app = _open(NEW_QUEUE, view="annotate")
    app.text_input(key="inspect_queue_name").set_value("Second")
    app.button(key="inspect_queue_create").click().run()
    assert not app.exception
    (queue,) = QueueStore(_store(bench)).queues()
    assert (queue.name, len(queue.runs)) == ("Second", 2)


def test_a_label_is_saved_when_it_is_pressed(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _labelling(bench, queue)
    app.button(key=FIRST_LABEL).click().run()
    assert not app.exception
    assert list(_labels(bench, queue).values()) == [(_key(FIRST_LABEL),)]


def test_a_second_press_takes_the_label_back(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _labelling(bench, queue)
    app.button(key=FIRST_LABEL).click().run()
    app.button(key=FIRST_LABEL).click().run()
    assert list(_labels(bench, queue).values()) == [()]


def test_another_label_replaces_the_first_where_one_is_allowed(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _labelling(bench, queue)
    app.button(key=FIRST_LABEL).click().run()
    app.button(key="inspect_label_2").click().run()
    assert list(_labels(bench, queue).values()) == [(_key("inspect_label_2"),)]


def test_labels_add_up_where_several_are_allowed(bench: Workbench) -> None:
    queue = _queue(bench, "chirkova-table-8")
    app = _labelling(bench, queue)
    app.button(key=FIRST_LABEL).click().run()
    app.button(key="inspect_label_2").click().run()
    assert [len(labels) for labels in _labels(bench, queue).values()] == [2]


def test_a_comment_is_saved_with_its_labels(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _labelling(bench, queue)
    app.button(key=FIRST_LABEL).click().run()
    app.text_area[0].set_value("half right").run()
    (record,) = LabelStore(_store(bench)).labels(queue.id)
    assert (record.labels, record.comment) == ((_key(FIRST_LABEL),), "half right")


def test_the_url_leads_back_to_the_same_item(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _labelling(bench, queue)
    app.button(key=FIRST_LABEL).click().run()
    number = app.query_params["item"]
    again = _open(view="annotate", queue=queue.id, annotator=PERSON, reads=["en", "fi"], item=number)
    assert again.query_params["item"] == number
    assert again.button(key=FIRST_LABEL).label.endswith("✓")


def test_an_item_without_a_label_is_not_completed_where_one_is_needed(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _labelling(bench, queue)
    app.button(key=COMPLETE).click().run()
    assert "Choose a label first" in html(app)
    assert QueueStore(_store(bench)).progress(queue.id).complete == 0


def test_undo_opens_the_item_that_it_took_a_label_from(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _labelling(bench, queue)
    number = app.query_params["item"]
    app.button(key=FIRST_LABEL).click().run()
    app.button(key=COMPLETE).click().run()
    assert app.query_params["item"] != number
    app.button(key=UNDO).click().run()
    assert app.query_params["item"] == number
    assert app.button(key=FIRST_LABEL).label.endswith("✓")
    app.button(key=UNDO).click().run()
    assert app.query_params["item"] == number
    assert not app.button(key=FIRST_LABEL).label.endswith("✓")
    app.button(key=UNDO).click().run()
    assert "There is nothing to undo since you opened this queue" in html(app)


def test_what_an_earlier_session_labelled_is_not_undone(bench: Workbench) -> None:
    queue = _queue(bench)
    _labelling(bench, queue).button(key=FIRST_LABEL).click().run()
    app = _labelling(bench, queue)
    assert app.button(key=FIRST_LABEL).label.endswith("✓")
    app.button(key=UNDO).click().run()
    assert "There is nothing to undo" in html(app) and app.button(key=FIRST_LABEL).label.endswith("✓")


def test_undo_with_nothing_saved_is_a_sentence(bench: Workbench) -> None:
    app = _labelling(bench, _queue(bench))
    app.button(key=UNDO).click().run()
    assert "There is nothing to undo" in html(app)


def test_forward_puts_an_item_off_and_back_returns_to_it(bench: Workbench) -> None:
    app = _labelling(bench, _queue(bench))
    first = app.query_params["item"]
    app.button(key=FORWARD).click().run()
    assert app.query_params["item"] != first
    app.button(key="inspect_back").click().run()
    assert app.query_params["item"] == first


def test_a_finished_queue_shows_agreement_and_downloads(bench: Workbench) -> None:
    queue = _queue(bench)
    _complete_all(bench, queue, "Grace")
    app = _labelling(bench, queue)
    for _ in range(3):
        app.button(key=FIRST_LABEL).click().run()
        app.button(key=COMPLETE).click().run()
    assert not app.exception
    assert "Nothing is left for you" in html(app)
    assert "Everybody made the same choices on all answers (n = 3)." in html(app)
    assert "Labels (CSV)" in [item.proto.label for item in app.get("download_button")]


def test_what_others_said_is_not_offered_to_people_who_still_label(bench: Workbench) -> None:
    queue = _queue(bench)
    _complete_all(bench, queue, "Grace")
    assert RESULTS not in [box.label for box in _labelling(bench, queue).expander]


def test_results_are_offered_to_whoever_runs_the_queue_without_a_name(bench: Workbench) -> None:
    queue = _queue(bench)
    assert RESULTS in [box.label for box in _open(view="annotate", queue=queue.id).expander]


def test_progress_names_languages_and_people_as_text(bench: Workbench) -> None:
    queue = _queue(bench)
    _complete_all(bench, queue, "<b>Grace</b>")
    app = _labelling(bench, queue)
    assert "2 of 4" in html(app)
    assert escaped("<b>Grace</b>") in html(app)
    assert "<b>Grace" not in html(app)


def test_a_second_showing_does_not_show_what_was_said_at_the_first(bench: Workbench) -> None:
    add_results(bench)
    store = _store(bench)
    runs = [run.id for run in store.where(Filter()).runs()]
    kind = taxonomy("answer-faithfulness", bench.settings.home)
    queue = QueueStore(store).create("Twice", kind, runs, per_language=5, twice_share=1.0)
    app = _labelling(bench, queue)
    for _ in range(3):
        app.button(key=FIRST_LABEL).click().run()
        app.button(key=COMPLETE).click().run()
    assert app.query_params["showing"] == "2"
    assert not app.button(key=FIRST_LABEL).label.endswith("✓")


def test_the_answers_of_a_deleted_experiment_can_still_be_labelled(bench: Workbench) -> None:
    queue = _queue(bench)
    with _store(bench).engine.begin() as connection:
        connection.exec_driver_sql("UPDATE runs SET number = number + 10")
    app = _labelling(bench, queue)
    assert not app.exception
    (text,) = [item for item in app.get("bidi_component") if item.proto.component_name == "workbench_marks"]
    assert json.loads(text.proto.json)["text"] == PAYLOAD
    app.button(key=FIRST_LABEL).click().run()
    assert len(_labels(bench, queue)) == 1


def test_an_answer_to_label_is_set_in_its_own_language_and_not_in_the_questions(bench: Workbench) -> None:
    app = _open(view="annotate", queue=_queue(bench).id, annotator=PERSON, reads=["fi"], others="1")
    (text,) = [item for item in app.get("bidi_component") if item.proto.component_name == "workbench_marks"]
    assert json.loads(text.proto.json)["lang"] == "en"


def test_a_label_keeps_that_english_was_shown_next_to_the_original(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _open(view="annotate", queue=queue.id, annotator=PERSON, reads=["fi"], others="1")
    app.toggle(key="inspect_english").set_value(True).run()
    app.button(key=FIRST_LABEL).click().run()
    app.button(key=COMPLETE).click().run()
    assert [record.translated for record in LabelStore(_store(bench)).labels(queue.id)] == [True]


def test_an_answer_in_a_language_that_its_person_does_not_read_is_counted_and_given_on_request(
    bench: Workbench,
) -> None:
    queue = _queue(bench)
    app = _open(view="annotate", queue=queue.id, annotator=PERSON, reads=["fi"])
    assert "Nothing is left for you" in html(app)
    switch = app.toggle(key="inspect_others")
    assert switch.label == "Also answers in other languages (1)" and "English (en) 1" in switch.help
    switch.set_value(True).run()
    assert FIRST_LABEL in _keys(app) and app.query_params["others"] == "1"


def test_where_labels_may_be_left_out_the_button_that_completes_says_that_nothing_is_wrong(bench: Workbench) -> None:
    app = _labelling(bench, queue := _queue(bench, "chirkova-table-8"))
    assert app.button(key=COMPLETE).label == "Nothing wrong `Enter`"
    app.button(key=FIRST_LABEL).click().run()
    assert app.button(key=COMPLETE).label == "Complete and next `Enter`"
    app.button(key=FIRST_LABEL).click().run()
    app.button(key=COMPLETE).click().run()
    assert QueueStore(_store(bench)).progress(queue.id).complete == 1


def test_the_taxonomy_of_the_paper_is_the_first_choice(bench: Workbench) -> None:
    add_results(bench)
    assert _open(NEW_QUEUE, view="annotate").selectbox(key="inspect_queue_taxonomy").value == "chirkova-table-8"


def test_english_next_to_english_is_no_translation(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _open(view="annotate", queue=queue.id, annotator=PERSON, reads=["en"])
    app.toggle(key="inspect_english").set_value(True).run()
    app.button(key=FIRST_LABEL).click().run()
    assert [record.translated for record in LabelStore(_store(bench)).labels(queue.id)] == [False]


def test_english_is_shown_on_demand(results_bench: Workbench) -> None:
    app = _open(instance="2")
    before = html(app)
    app.toggle(key="inspect_english").set_value(True).run()
    assert not app.exception
    assert html(app).count("→") > before.count("→")


def test_the_system_and_other_people_are_not_named_while_labelling(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _labelling(bench, queue)
    shown = html(app)
    assert "crossrag" not in shown.lower()
    assert "multirag" not in shown.lower()


def test_experiments_are_not_named_while_labelling(bench: Workbench) -> None:
    queue = _queue(bench)
    boxes = [box.label for box in _labelling(bench, queue).selectbox]
    assert "Queue" in boxes and "Experiment" not in boxes
    assert "Experiment" in [box.label for box in _open(NEW_QUEUE, view="annotate", queue=queue.id).selectbox]


def test_the_first_queue_is_not_named_after_its_experiment(bench: Workbench) -> None:
    add_results(bench)
    _open(view="annotate").button(key="inspect_first_queue").click().run()
    assert [queue.name for queue in QueueStore(_store(bench)).queues()] == ["First labels"]


def test_a_label_of_a_teams_taxonomy_is_shown_as_text(bench: Workbench) -> None:
    folder = bench.settings.home / "taxonomies"
    folder.mkdir()
    hostile = "![x](https://stranger.example/a.png) <b>bold</b>"
    content = (
        "version: 1\ntitle: Ours\nsource: Us\nquestion: Which?\nseveral: false\nlabels:\n"
        f"  - key: a\n    name: '{hostile}'\n    definition: '{hostile}'\n    example: '{hostile}'\n"
    )
    (folder / "ours.yaml").write_text(content, encoding="utf-8")
    app = _labelling(bench, _queue(bench, "ours"))
    button = app.button(key=FIRST_LABEL)
    assert r"\!\[x\]\(" in button.label
    assert r"\!\[x\]\(" in button.help
    assert escaped(hostile) in html(app)
    assert hostile not in html(app)


def _complete_all(bench: Workbench, queue: AnnotationQueue, person: str) -> None:
    labels = LabelStore(_store(bench))
    queues = QueueStore(_store(bench))
    item: QueueItem | None = queues.next_item(queue.id, person)
    while item is not None:
        labels.save(item, person, [_key(FIRST_LABEL)])
        labels.complete(item, person)
        item = queues.next_item(queue.id, person)


def _keys(app: AppTest) -> list[str]:
    return [str(button.key) for button in app.button]


def test_filters_are_saved_by_name_and_picked_again(bench: Workbench) -> None:
    add_results(bench)
    app = _open(language="fi", search="KEKSIJÄNÄ")
    app.text_input(key="inspect_filter_name").set_value("Finnish *finds*").run()
    app.button(key="inspect_filter_save").click().run()
    app = _open()
    app.button(key="inspect_filter_pick_0").click().run()
    assert not app.exception
    assert app.query_params["language"] == "fi" and app.query_params["search"] == "KEKSIJÄNÄ"
    assert app.multiselect(key="inspect_languages").value == ["fi"]
    assert app.button(key="inspect_filter_pick_0").proto.type == "primary"


def test_a_saved_filter_is_deleted(bench: Workbench) -> None:
    add_results(bench)
    SavedFilters(_store(bench), "inspect").save("Mine", "language=fi")
    _open().button(key="inspect_filter_delete_0").click().run()
    assert SavedFilters(_store(bench), "inspect").all() == ()


def test_filters_without_a_name_are_not_saved(results_bench: Workbench) -> None:
    app = _open()
    app.button(key="inspect_filter_save").click().run()
    assert "cannot be the name of a filter" in html(app)


def _desk(bench: Workbench, queue: AnnotationQueue) -> LabellingDesk:
    store = _store(bench)
    queues = QueueStore(store)
    return LabellingDesk(queues, LabelStore(store), queue, queues.taxonomy_of(queue.id), PERSON, 0.0)


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a session holds, for callbacks that are called without a browser."""
    values: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", values)
    return values


def test_what_is_selected_in_an_answer_is_marked_under_its_label_and_can_be_taken_away(
    bench: Workbench, state: dict[str, Any]
) -> None:
    desk = _desk(bench, _queue(bench))
    item = desk.queues.item(desk.queue.id, 1)
    key = desk.taxonomy.keys[0]
    desk.save(item, (key,))
    place = {"start": 0, "end": 4, "label": key}
    for _ in range(2):
        state["marks"] = {"marked": {**place, "text": item.answer[:4]}}
        answer_marks._mark(desk, item, "marks")
    record = desk.record(item)
    assert record is not None
    assert [(span.start, span.end, span.text, span.label) for span in record.spans] == [(0, 4, PAYLOAD[:4], key)]
    for _ in range(2):
        state["marks"] = {"removed": place}
        answer_marks._remove(desk, item, "marks")
    record = desk.record(item)
    assert record is not None and record.spans == () and record.labels == (key,)
    assert "inspect_notice" not in state


def test_what_is_marked_is_shown_in_the_answer_with_the_number_of_its_label(bench: Workbench) -> None:
    desk = _desk(bench, _queue(bench))
    item = desk.queues.item(desk.queue.id, 1)
    key = desk.taxonomy.keys[1]
    desk.labels.save(item, PERSON, [key], spans=[replace(text_span(item.answer, 0, 4), label=key)])
    app = _open(view="annotate", queue=desk.queue.id, annotator=PERSON, reads=["en", "fi"], item="1")
    (text,) = [part for part in app.get("bidi_component") if part.proto.component_name == "workbench_marks"]
    (mark,) = json.loads(text.proto.json)["marks"]
    assert (mark["start"], mark["end"], mark["label"], mark["number"]) == (0, 4, key, "2")
    assert mark["name"] == desk.taxonomy.label(key).name


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (None, "The selection could not be read"),
        ({"start": "0", "end": 4, "label": "x", "text": "y"}, "The selection could not be read"),
        ({"start": 0, "end": 4, "label": ["x"], "text": "y"}, "The selection could not be read"),
        ({"start": 0, "end": 4, "label": "x", "text": PAYLOAD[:4]}, "give the label first, then select the words"),
    ],
)
def test_a_selection_that_cannot_be_marked_is_refused_in_a_sentence(
    event: object, sentence: str, bench: Workbench, state: dict[str, Any]
) -> None:
    desk = _desk(bench, _queue(bench))
    item = desk.queues.item(desk.queue.id, 1)
    labelling.mark(desk, item, event)
    assert sentence in state["inspect_notice"]
    assert desk.record(item) is None


def test_an_item_that_the_link_names_and_the_queue_does_not_have_is_said_and_another_is_open(bench: Workbench) -> None:
    queue = _queue(bench)
    app = _open(view="annotate", queue=queue.id, annotator=PERSON, reads=["en", "fi"], item="99")
    assert not app.exception
    assert 'class="wb-message wb-error"' in html(app) and "99" in html(app)
    assert FIRST_LABEL in _keys(app) and app.query_params["item"] != "99"


def test_who_goes_back_from_ask_has_the_filters_that_they_left_although_ask_was_still_at_work(bench: Workbench) -> None:
    add_results(bench)
    app = _open(language="fi")
    before = dict(app.query_params)
    address = {"q": "Who?", "mode": "crossrag", "scope": "all", "prompt": "reply-short-en"}
    app.switch_page("pages/ask.py")
    app.query_params.clear()
    app.query_params.update(address)
    app.run()
    address = dict(app.query_params)
    app.switch_page("pages/inspect.py")
    app.query_params.clear()
    app.query_params.update(address)
    app.run()
    assert not app.exception
    assert before.items() <= dict(app.query_params).items()
    assert app.multiselect(key="inspect_modes").value == []


def test_a_link_to_what_the_results_do_not_have_says_so(results_bench: Workbench) -> None:
    app = _open(experiment="zzz", mode="trag", metric="nonsense")
    assert not app.exception
    for words in ("experiment “zzz”", "mode “trag”", "metric “nonsense”"):
        assert f"There is no {words} among these results." in html(app)
    app.text_input(key="inspect_search").set_value("radio").run()
    assert "zzz" not in html(app)
