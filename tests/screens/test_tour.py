"""The Tour screen: playing from the file alone, what is always in sight, and the forms apart from it."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.screens.conftest import html, open_page
from tests.screens.results import PAYLOAD, add_results
from workbench.app.workbench import Workbench
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.tours.tour import Tour, TourDocument, TourLibrary, TourScore, TourStop, TourTranslation
from workbench.ui.ask.examples import EXAMPLES
from workbench.ui.parts.safe_html import escaped
from workbench.ui.tours.tour_list import SAMPLE_TOUR
from workbench.ui.tours.tour_player import TourPlace, place_in

NAME = "demo"


def _stop(question: str = "Who built it?", *, with_documents: bool = True) -> TourStop:
    document = TourDocument(rank=1, id="a", title="Radio", language="fi", text=f"Teksti {PAYLOAD}", marks=((0, 6),))
    return TourStop(
        question=question,
        language="en",
        answer=f"Marconi {PAYLOAD}",
        answer_language="en",
        recipe_title="tRAG · scope en · extractive",
        recorded="2026-11-22",
        golds=("Marconi",),
        documents=(document,) if with_documents else (),
        scores=(TourScore(metric="char3_recall", value=0.75), TourScore(metric="clr", reason="Too short.")),
        system_prompt="Be brief.",
        note="Look at the year.",
        headline="Nobody knows",
        english=TourTranslation(text="Who built that?", source="fi", target="en", kind="exact", match=1.0),
    )


@pytest.fixture
def library(bench: Workbench) -> TourLibrary:
    return TourLibrary(bench.settings.home)


@pytest.fixture
def tour(library: TourLibrary) -> Tour:
    tour = Tour(stops=(_stop(), _stop("Who else?", with_documents=False)))
    library.add(NAME, tour)
    return tour


def _open(*folds: str, **params: str) -> AppTest:
    return open_page("tour", *folds, **params)


def _press(app: AppTest, key: str) -> AppTest:
    return app.button(key=key).click().run()


def test_a_stop_is_revealed_part_by_part_and_that_it_is_recorded_is_always_in_sight(tour: Tour) -> None:
    app = _open(tour=NAME)
    assert "Who built it?" in html(app)
    for is_next in ("Radio", "Marconi", "0.75"):
        for recorded in (
            "Recorded",
            "on 2026-11-22",
            "tRAG · scope en · extractive",
            "Nobody knows",
            "Who built that?",
        ):
            assert recorded in html(app)
        assert is_next not in html(app)
        assert is_next in html(_press(app, "slide_next"))
    for recorded in ("Recorded", "on 2026-11-22", "tRAG · scope en · extractive"):
        assert recorded in html(app)
    assert "Who else?" in html(_press(app, "slide_next"))


def test_back_leads_to_the_complete_stop_before(tour: Tour) -> None:
    app = _press(_open(tour=NAME, stop="2", parts="1"), "slide_back")
    assert (app.query_params["stop"], app.query_params["parts"]) == ("1", "4")


def test_a_stop_without_documents_has_no_part_for_them(tour: Tour) -> None:
    app = _press(_open(tour=NAME, stop="2", parts="1"), "slide_next")
    assert "Marconi" in html(app)


def test_while_a_tour_plays_nothing_can_be_typed_or_changed(tour: Tour, library: TourLibrary) -> None:
    app = _open(tour=NAME, parts="4")
    assert not app.text_input
    assert not app.text_area
    assert not app.selectbox
    assert {button.key for button in app.button} == {"slide_back", "slide_next"}
    assert library.open(NAME) == tour


def test_a_tour_plays_without_a_corpus_or_a_model(tour: Tour, monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable(*_: object, **__: object) -> None:
        raise AssertionError("a tour must read nothing but its file")

    monkeypatch.setattr(Workbench, "corpus", unavailable)
    monkeypatch.setattr(Workbench, "ask_all", unavailable)
    monkeypatch.setattr(CorpusLibrary, "open", unavailable)
    app = open_page("tour", "slide_details", tour=NAME, parts="4")
    assert not app.exception
    assert "0.750" in html(app)
    assert "Teksti" in html(app)


def test_what_a_file_contains_is_shown_as_text(tour: Tour) -> None:
    shown = html(open_page("tour", "slide_details", tour=NAME, parts="4"))
    assert escaped(PAYLOAD) in shown
    assert "<b>bold</b>" not in shown


def test_details_reveal_no_more_than_the_slide(tour: Tour) -> None:
    app = open_page("tour", "slide_details", tour=NAME, parts="1")
    assert "Marconi" not in html(app) and "Teksti" not in html(app)


def test_notes_are_shown_only_on_request(tour: Tour) -> None:
    app = _open(tour=NAME)
    assert "Look at the year." not in html(app)
    app.toggle(key="slide_notes").set_value(True).run()
    assert "Look at the year." in html(app)


def test_a_tour_that_does_not_exist_is_named(bench: Workbench) -> None:
    app = _open(tour="missing")
    assert "Unknown tour “missing”" in html(app)


@pytest.mark.parametrize(
    ("stop", "parts", "place"),
    [("", "", TourPlace()), ("99", "99", TourPlace(2, 3)), ("x", "-1", TourPlace()), ("1", "2", TourPlace(1, 2))],
)
def test_a_url_leads_to_the_nearest_place_that_is_there(tour: Tour, stop: str, parts: str, place: TourPlace) -> None:
    assert place_in(tour, stop, parts) == place


def test_the_samples_tour_is_recorded_by_asking(bench: Workbench, library: TourLibrary) -> None:
    app = _press(_open(), "tour_record")
    assert not app.exception
    stops = library.open(SAMPLE_TOUR).stops
    assert [stop.question for stop in stops] == [example.question.text for example in EXAMPLES]
    assert all(stop.answer and stop.documents and stop.steps and stop.scores and stop.note for stop in stops)
    assert all(stop.headline and (stop.language == "en" or stop.english) for stop in stops)


def test_a_stop_is_edited_apart_from_playing(tour: Tour, library: TourLibrary) -> None:
    _press(_open("tour_edit"), "tour_down_1")
    assert [stop.question for stop in library.open(NAME).stops] == ["Who else?", "Who built it?"]


def test_a_tour_is_deleted_only_after_a_confirmation(tour: Tour, library: TourLibrary) -> None:
    app = _open("tour_edit")
    assert app.button(key="tour_delete").disabled
    app.checkbox(key=f"tour_sure_{NAME}").check().run()
    _press(app, "tour_delete")
    assert library.list() == []


def test_a_damaged_tour_is_listed_with_its_problem(tour: Tour, bench: Workbench) -> None:
    (bench.settings.home / "tours" / f"{NAME}.json").write_bytes(b"{")
    app = _open()
    assert not app.exception
    assert "is not one that this workbench can show" in html(app)


def test_the_answer_of_ask_can_be_added_to_a_tour(bench: Workbench, library: TourLibrary) -> None:
    app = open_page("ask", "ask_tour", **EXAMPLES[0].choice.to_params())
    app.text_area(key="ask_tour_note").set_value("First.")
    app.text_input(key="ask_tour_headline").set_value("Only one knows")
    app.text_input(key="ask_tour_new").set_value(NAME)
    _press(app, "ask_tour_add")
    (stop,) = library.open(NAME).stops
    assert (stop.question, stop.note, stop.headline) == (EXAMPLES[0].question.text, "First.", "Only one knows")
    assert stop.english is not None and stop.english.kind == "exact"
    assert stop.golds == EXAMPLES[0].question.answers


def test_an_answer_of_inspect_can_be_added_to_a_tour(bench: Workbench, library: TourLibrary) -> None:
    experiment_id = add_results(bench)
    item = ResultStore.at(bench.settings.database_url).of(experiment_id).instances(limit=1)[0]
    app = open_page("inspect", "inspect_tour", instance=str(item.answer))
    _press(app, "inspect_tour_add")
    (stop,) = library.open("my-tour").stops
    assert stop.answer == item.output
