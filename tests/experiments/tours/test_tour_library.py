"""Tours as files: what is stored comes back, and what comes from elsewhere is checked before any of it is used."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from workbench.core.errors import DataError, UsageError
from workbench.experiments.tours.tour import (
    FILE_LIMIT,
    STOPS_LIMIT,
    Tour,
    TourDocument,
    TourLibrary,
    TourStop,
    read_tour,
    tour_bytes,
)

NAME = "demo"


def _stop(question: str = "Who?", **values: Any) -> TourStop:
    return TourStop(
        question=question, language="en", answer="Marconi", recipe_title="tRAG", recorded="2026-11-22", **values
    )


@pytest.fixture
def library(tmp_path: Path) -> TourLibrary:
    return TourLibrary(tmp_path)


def _data(**changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(tour_bytes(Tour(stops=(_stop(),))))
    return {**values, **changes}


def _questions(library: TourLibrary) -> list[str]:
    return [stop.question for stop in library.open(NAME).stops]


def test_a_tour_comes_back_as_it_was_stored(library: TourLibrary) -> None:
    document = TourDocument(
        rank=1, id="a", title="ﷺ", language="ar", text="نص", scores={"lexical": 1.5}, marks=((0, 2),)
    )
    stop = _stop(documents=(document,), note="Look at the year.")
    library.add_stop(NAME, stop)
    assert library.open(NAME) == Tour(stops=(stop,))


def test_the_list_has_each_tour_with_its_days(library: TourLibrary) -> None:
    library.add_stop(NAME, _stop())
    library.add_stop(NAME, _stop().model_copy(update={"recorded": "2026-12-01"}))
    (info,) = library.list()
    assert (info.name, info.stops, info.recorded) == (NAME, 2, "2026-11-22 to 2026-12-01")


def test_stops_that_are_added_at_once_are_all_kept(library: TourLibrary) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: library.add_stop(NAME, _stop(f"{number}?")), range(12)))
    assert sorted(_questions(library)) == sorted(f"{number}?" for number in range(12))


def test_a_stop_can_be_moved_and_removed(library: TourLibrary) -> None:
    for question in ("1?", "2?", "3?"):
        library.add_stop(NAME, _stop(question))
    library.move(NAME, 3, -5)
    assert _questions(library) == ["3?", "1?", "2?"]
    library.remove_stop(NAME, 2)
    assert _questions(library) == ["3?", "2?"]


def test_a_note_can_be_changed(library: TourLibrary) -> None:
    library.add_stop(NAME, _stop())
    library.set_words(NAME, 1, " One ", " Wait here. ")
    assert library.open(NAME).stops[0].note == "Wait here."


def test_a_note_that_is_too_long_leaves_the_tour_as_it_was(library: TourLibrary) -> None:
    library.add_stop(NAME, _stop(note="short"))
    with pytest.raises(UsageError, match="The note has 5,000 characters: shorten it to 2,000 or fewer"):
        library.set_words(NAME, 1, "", "x" * 5_000)
    assert library.open(NAME).stops[0].note == "short"


@pytest.mark.parametrize("stop", [0, 2])
def test_a_stop_that_does_not_exist_is_refused(library: TourLibrary, stop: int) -> None:
    library.add_stop(NAME, _stop())
    with pytest.raises(UsageError, match=f"has no stop {stop}"):
        library.remove_stop(NAME, stop)


def test_a_full_tour_takes_no_more(library: TourLibrary) -> None:
    library.add(NAME, Tour(stops=(_stop(),) * STOPS_LIMIT))
    with pytest.raises(UsageError, match="which is the most"):
        library.add_stop(NAME, _stop())


@pytest.mark.parametrize("name", ["", "../x", "A tour", "x/y", ".hidden", "a" * 80])
def test_a_name_that_could_lead_elsewhere_is_refused(library: TourLibrary, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a tour"):
        library.add_stop(name, _stop())
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("name", ["../../x", "x/y", "x\0", "A tour"])
def test_a_name_that_could_lead_elsewhere_creates_no_file_when_a_tour_is_deleted_or_renamed(
    library: TourLibrary, tmp_path: Path, name: str
) -> None:
    library.add_stop(NAME, _stop())
    before = sorted(tmp_path.rglob("*"))
    changes: tuple[Callable[[], object], ...] = (
        lambda: library.remove(name),
        lambda: library.rename(name, "talk"),
        lambda: library.rename(NAME, name),
        lambda: library.set_words(name, 1, "", "x"),
    )
    for change in changes:
        with pytest.raises(UsageError, match="cannot name a tour"):
            change()
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(sys.platform != "linux", reason="A file whose reading fails for everybody is one of Linux.")
def test_a_file_that_cannot_be_read_does_not_hide_the_other_tours(library: TourLibrary, tmp_path: Path) -> None:
    library.add_stop(NAME, _stop())
    (tmp_path / "tours" / "broken.json").symlink_to("/proc/self/mem")
    broken, sound = library.list()
    assert "cannot be read" in broken.problem
    assert sound.stops == 1


def test_a_tour_is_renamed_unless_the_name_is_taken(library: TourLibrary) -> None:
    library.add_stop(NAME, _stop())
    library.rename(NAME, "talk")
    library.add_stop(NAME, _stop("Other?"))
    with pytest.raises(UsageError, match="exists already"):
        library.rename(NAME, "talk")
    assert [info.name for info in library.list()] == [NAME, "talk"]


def test_a_deleted_tour_is_gone(library: TourLibrary) -> None:
    library.add_stop(NAME, _stop())
    library.remove(NAME)
    with pytest.raises(UsageError, match="Unknown tour"):
        library.open(NAME)


def test_an_imported_file_is_a_tour(library: TourLibrary) -> None:
    library.add_file(NAME, json.dumps(_data()).encode())
    assert _questions(library) == ["Who?"]


def test_an_import_replaces_no_tour(library: TourLibrary) -> None:
    library.add_stop(NAME, _stop("Mine?"))
    with pytest.raises(UsageError, match="exists already"):
        library.add_file(NAME, json.dumps(_data()).encode())
    assert _questions(library) == ["Mine?"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no JSON",
        b"[]",
        b'{"format": "mrag-tour"}',
        b"\xff\xfe{}",
        b'{"format": "mrag-tour", "version": 1, "stops": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        json.dumps(_data(stops=[])).encode(),
        json.dumps(_data(format="other")).encode(),
        json.dumps(_data(extra=1)).encode(),
        json.dumps(_data(stops=[{**_data()["stops"][0], "language": "<b>"}])).encode(),
        json.dumps(_data(stops=[{**_data()["stops"][0], "recorded": "today"}])).encode(),
        json.dumps(_data(stops=[{**_data()["stops"][0], "recorded": "2026-99-99"}])).encode(),
        json.dumps(_data(stops=[{**_data()["stops"][0], "recorded": "٢٠٢٦-٠١-٠١"}])).encode(),
        json.dumps(_data(stops=[{**_data()["stops"][0], "question": "x" * 50_000}])).encode(),
        json.dumps(_data(stops=[{**_data()["stops"][0], "scores": [{"metric": "m", "value": float("nan")}]}])).encode(),
        json.dumps(_data(stops=_data()["stops"] * (STOPS_LIMIT + 1))).encode(),
        rb'{"format": "mrag-tour", "version": 1, "stops": [{"question": "\ud800"}]}',
    ],
)
def test_an_unsound_file_is_one_sentence_and_leaves_nothing(library: TourLibrary, tmp_path: Path, data: bytes) -> None:
    with pytest.raises(DataError) as caught:
        library.add_file(NAME, data)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert not list(tmp_path.rglob("*.json"))


def test_a_file_of_a_later_version_asks_for_an_update() -> None:
    with pytest.raises(DataError, match="version 3, and this workbench reads version 2"):
        read_tour(json.dumps(_data(version=3)).encode(), NAME)


def test_a_huge_file_is_refused_by_its_size() -> None:
    with pytest.raises(DataError, match="bytes"):
        read_tour(b" " * (FILE_LIMIT + 1), NAME)


def test_a_damaged_file_is_listed_with_its_problem_and_can_be_deleted(library: TourLibrary, tmp_path: Path) -> None:
    library.add_stop(NAME, _stop())
    (tmp_path / "tours" / f"{NAME}.json").write_bytes(b"{")
    assert library.list()[0].problem
    library.remove(NAME)
    assert library.list() == []
