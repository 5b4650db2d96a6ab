"""What came of a queue, on screen: decisions on disagreements, shares by language, versions, deleting, imports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete
from streamlit.testing.v1 import AppTest

from tests.screens.conftest import cells, html, open_page
from tests.screens.results import PAYLOAD, add_results
from workbench.annotation.error_taxonomy import taxonomy
from workbench.annotation.files.label_files import export_labels
from workbench.annotation.label_store import AdjudicationStore, LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.app.workbench import Workbench
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore
from workbench.ui.annotate import adjudication_view, label_card
from workbench.ui.parts.safe_html import escaped
from workbench.workspace import annotation_tables as t

KIND = "chirkova-table-8"
TEAM = """version: {version}
title: Tone
source: Our team
question: How does it sound?
several: false
labels:
  - {{key: neutral, name: Neutral, definition: It takes no side., example: It names both claims.}}
  - {{key: loud, name: Loud, definition: {definition}, example: It shouts.}}
"""


def store(bench: Workbench) -> ResultStore:
    return ResultStore.at(bench.settings.database_url)


def write_taxonomy(bench: Workbench, version: int, definition: str) -> None:
    folder = bench.settings.home / "taxonomies"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tone.yaml").write_text(TEAM.format(version=version, definition=definition), encoding="utf-8")


def queue_under(bench: Workbench, kind: str, first: str, second: str) -> AnnotationQueue:
    """A queue of three answers on whose first one two people disagree; both completed all of them."""
    add_results(bench)
    results = store(bench)
    runs = [run.id for run in results.where(Filter()).runs()]
    queues, labels = QueueStore(results), LabelStore(results)
    queue = queues.create("Pilot", taxonomy(kind, bench.settings.home), runs, per_language=5)
    for item in queues.items(queue.id):
        for person, key in (("Grace", first), ("<b>Hedy</b>", second if item.number == 1 else first)):
            labels.save(item, person, [key])
            labels.complete(item, person)
    return queue


@pytest.fixture
def disputed(bench: Workbench) -> AnnotationQueue:
    return queue_under(bench, KIND, "wrong-answer", "fluency")


def opened(queue: AnnotationQueue, *folds: str) -> AppTest:
    """The page of a queue without a name, with these folds open."""
    return open_page("inspect", *folds, view="annotate", queue=queue.id)


def press(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label.startswith(label)).click().run()


def test_a_disagreement_shows_what_each_person_said_as_text(disputed: AnnotationQueue) -> None:
    app = opened(disputed, "inspect_disagreements")
    assert not app.exception
    assert "1 disagreements, 0 settled" in html(app)
    assert escaped("<b>Hedy</b>") in html(app) and "<b>Hedy" not in html(app)


def test_a_decision_is_stored_with_its_reason_and_counted(bench: Workbench, disputed: AnnotationQueue) -> None:
    app = opened(disputed, "inspect_disagreements")
    app.radio[0].set_value("guideline")
    app.text_input(key="inspect_decide_person").set_value("Ida")
    pills: Any = next(group for group in app.get("button_group") if getattr(group, "label", "") == "Final labels")
    pills.set_value(["fluency"])
    app = press(app, "Decide")
    assert not app.exception
    decision = AdjudicationStore(store(bench)).decisions(disputed.id)[0]
    assert (decision.labels, decision.reason, decision.adjudicator) == (("fluency",), "guideline", "Ida")
    assert "1 disagreements, 1 settled" in html(app)
    assert "No disagreement is open." in html(app)


def test_a_decision_needs_a_reason(bench: Workbench, disputed: AnnotationQueue) -> None:
    app = press(opened(disputed, "inspect_disagreements"), "Decide")
    assert "Choose why they disagreed" in html(app)
    assert not AdjudicationStore(store(bench)).history(disputed.id)


def test_progress_and_pace_name_people_as_text_and_what_a_time_is(disputed: AnnotationQueue) -> None:
    app = opened(disputed, "inspect_pace")
    assert not app.exception
    (paces,) = app.dataframe
    assert {"items", "pauses_left_out"} <= set(paces.value)
    assert "<b>Hedy</b>" in set(paces.value["annotator"]) and "<b>Hedy" not in html(app)
    assert any("Pauses of more than 10 minutes are left out" in item.value for item in app.caption)
    assert "Progress and pace (CSV)" in [item.proto.label for item in app.get("download_button")]


def test_shares_name_the_paper_and_its_sample(disputed: AnnotationQueue) -> None:
    app = opened(disputed, "inspect_shares")
    assert not app.exception
    assert "2 of 2" in cells(app) and "100 %" in cells(app)
    assert any("counted 50 predictions per language" in item.value for item in app.caption)


def test_a_newer_version_says_what_it_reopens_before_it_is_used(bench: Workbench) -> None:
    write_taxonomy(bench, 1, "It is loud.")
    queue = queue_under(bench, "tone", "loud", "neutral")
    write_taxonomy(bench, 2, "It is very loud.")
    app = opened(queue, "inspect_manage")
    assert any("5 labels will have to be looked at again" in item.value for item in app.caption)
    assert QueueStore(store(bench)).queue(queue.id).version == 1
    app = press(app, "Use version 2")
    assert not app.exception
    assert QueueStore(store(bench)).queue(queue.id).version == 2
    assert "Version 2 is in use: 5 labels are to be looked at again." in html(app)


def test_people_are_led_to_what_a_newer_version_touches(bench: Workbench) -> None:
    write_taxonomy(bench, 1, "It is loud.")
    queue = queue_under(bench, "tone", "loud", "neutral")
    write_taxonomy(bench, 2, "It is very loud.")
    QueueStore(store(bench)).use_version(queue.id, taxonomy("tone", bench.settings.home))
    app = open_page("inspect", view="annotate", queue=queue.id, annotator="Grace")
    assert "look at 3 answers again" in html(app)
    app = press(app, "Open the next of them")
    app = press(app, "Complete and next")
    assert "look at 2 answers again" in html(app)


def test_a_queue_is_deleted_only_once_its_name_is_typed(bench: Workbench, disputed: AnnotationQueue) -> None:
    app = opened(disputed, "inspect_manage")
    assert app.button(key="inspect_delete_queue").disabled
    app = app.text_input(key=f"inspect_delete_{disputed.id}").set_value("Pilot").run()
    app = app.button(key="inspect_delete_queue").click().run()
    assert not app.exception
    assert QueueStore(store(bench)).queues() == ()
    assert "The queue “Pilot” is deleted" in html(app)


def test_every_format_and_what_its_project_needs_can_be_downloaded(disputed: AnnotationQueue) -> None:
    names = [item.proto.label for item in opened(disputed, "inspect_results").get("download_button")]
    for name in ("CSV", "JSON lines", "Parquet", "Label Studio", "Argilla", "InspectorRAGet"):
        assert f"Labels ({name})" in names
    assert {"Label Studio configuration (XML)", "Argilla settings (JSON)"} <= set(names)


def uploaded(bench: Workbench, queue: AnnotationQueue, tmp_path: Path, old: str = "", new: str = "") -> AppTest:
    """The page after an upload of the queue's labels with `old` replaced by `new`; there are none left here."""
    path = tmp_path / "labels.json"
    export_labels(store(bench), queue, "labelstudio", path)
    with store(bench).engine.begin() as connection:
        for table in (t.labels, t.places):
            connection.execute(delete(table))
    app = opened(queue, "inspect_import")
    content = path.read_text(encoding="utf-8").replace(old, new).encode()
    return app.file_uploader(key="inspect_import_file_0").upload("labels.json", content).run()


def test_an_upload_says_what_it_would_import_and_imports_once_confirmed(
    bench: Workbench, disputed: AnnotationQueue, tmp_path: Path
) -> None:
    app = uploaded(bench, disputed, tmp_path)
    assert not app.exception
    assert "6 rows: 6 new, 0 are already here." in html(app)
    assert escaped("<b>Hedy</b>") in html(app) and "<b>Hedy" not in html(app)
    assert not LabelStore(store(bench)).labels(disputed.id)
    app = app.button(key="inspect_import_confirm").click().run()
    assert "6 labels were imported." in html(app)
    assert len(LabelStore(store(bench)).labels(disputed.id)) == 6
    assert app.file_uploader(key="inspect_import_file_1").value is None


def test_an_upload_with_wrong_rows_names_each_and_offers_no_import(
    bench: Workbench, disputed: AnnotationQueue, tmp_path: Path
) -> None:
    app = uploaded(bench, disputed, tmp_path, "wrong-answer", "<i>wrong</i>")
    assert "5 of 6 rows cannot be imported, so none is." in html(app)
    assert cells(app).count("Unknown label “<i>wrong</i>”") == 5
    assert "<i>wrong" not in html(app)
    assert "inspect_import_confirm" not in [button.key for button in app.button]


def test_what_was_decided_is_shown_with_its_reason_and_note_as_text(
    bench: Workbench, disputed: AnnotationQueue
) -> None:
    decisions = AdjudicationStore(store(bench))
    (case,) = decisions.disagreements(disputed.id)
    decisions.decide(case.item, case.on, ["fluency"], "guideline", "<i>Ida</i>", "see rule <b>3</b>")
    app = opened(disputed, "inspect_disagreements")
    app.segmented_control(key="inspect_decide_which").set_value("Settled").run()
    shown = html(app)
    assert "Decided by " in shown
    assert escaped("<i>Ida</i>") in shown and escaped("see rule <b>3</b>") in shown
    assert "<i>Ida" not in shown and "<b>3" not in shown


def test_the_documents_of_a_disagreement_are_shown_on_request(disputed: AnnotationQueue) -> None:
    app = opened(disputed, "inspect_disagreements")
    before = html(app)
    app.toggle(key="inspect_decide_documents").set_value(True).run()
    assert not app.exception
    assert "radio.en.1" not in before and html(app) != before


def test_a_disagreement_on_an_answer_that_was_deleted_shows_what_the_queue_kept(
    bench: Workbench, disputed: AnnotationQueue
) -> None:
    with store(bench).engine.begin() as connection:
        connection.exec_driver_sql("UPDATE runs SET number = number + 10")
    app = opened(disputed, "inspect_disagreements")
    assert not app.exception
    assert label_card.GONE in html(app) and escaped(PAYLOAD) in html(app)


def test_a_queue_that_nobody_has_labelled_says_so_in_every_fold(bench: Workbench) -> None:
    add_results(bench)
    runs = [run.id for run in store(bench).where(Filter()).runs()]
    queue = QueueStore(store(bench)).create("Fresh", taxonomy(KIND, bench.settings.home), runs, per_language=5)
    folds = ("inspect_disagreements", "inspect_pace", "inspect_shares", "inspect_results")
    shown = html(opened(queue, *folds))
    assert "Nobody has labelled in this queue yet." in shown
    assert "Shares need completed answers; there are none yet." in shown
    assert adjudication_view.NONE in shown
