"""Links with anything in them: each page shows itself or a sentence, never a traceback."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.screens.conftest import html, open_page
from tests.screens.results import PAYLOAD
from workbench.app.workbench import Workbench
from workbench.experiments.tours.tour import Tour, TourDocument, TourLibrary, TourStop
from workbench.ui.parts.access import UNEXPECTED
from workbench.ui.parts.safe_html import escaped

PARAMETERS = {
    "inspect": (
        *("view", "search", "metric", "within", "page", "instance", "only", "queue", "annotator", "reads", "item"),
        *("showing", "experiment", "run", "mode", "scope", "prompt", "language"),
    ),
    "compare": (
        *("view", "q", "lang", "recipe", "instance", "dataset", "question", "language", "ballot", "voter", "reads"),
        "ask",
    ),
    "tour": ("tour", "stop", "parts"),
    "optimise": ("search", "view", "node"),
}
GARBAGE = ("\0", "%_'; DROP TABLE labels;--", "-9" * 5_000, "../../\u202e<script>alert(1)</script>")
VIEWS = (("inspect", ""), ("inspect", "annotate"), ("compare", ""), ("compare", "languages"), ("compare", "votes"))


def _open(page: str, params: dict[str, str]) -> AppTest:
    return open_page(page, **params)


@pytest.mark.parametrize(("page", "view"), [*VIEWS, ("tour", ""), ("optimise", "")])
def test_no_link_breaks_a_page(results_bench: Workbench, page: str, view: str) -> None:
    for garbage in GARBAGE:
        params = dict.fromkeys(PARAMETERS[page], garbage) | ({"view": view} if view else {})
        app = _open(page, params)
        assert not app.exception, garbage
        assert UNEXPECTED not in html(app), garbage
        assert "<script>" not in html(app), garbage


def test_a_hostile_tour_is_played_as_text(bench: Workbench) -> None:
    document = TourDocument(
        rank=1, id="i\0", title=PAYLOAD, language="ar", text="\u202e" + PAYLOAD, marks=((5, 2), (0, 1_000_000), (1, 3)),
        scores={PAYLOAD: 1e308},
    )  # fmt: skip
    full = TourStop(
        question=f"\u202e{PAYLOAD}\0", language="en", answer=f"# {PAYLOAD}", recipe_title=PAYLOAD, recipe=": [",
        recorded="2026-01-01", documents=(document,), golds=(PAYLOAD,), note=PAYLOAD, missing=PAYLOAD,
    )  # fmt: skip
    blank = TourStop(question="", language="", answer="", recipe_title="", recorded="2026-01-01")
    TourLibrary(bench.settings.home).add("demo", Tour(stops=(full, blank)))
    for stop, parts in (("1", "4"), ("2", "3"), ("999999999", "-1"), ("\0", "x")):
        app = _open("tour", {"tour": "demo", "stop": stop, "parts": parts})
        assert not app.exception, stop
        assert UNEXPECTED not in html(app), stop
        assert "<b>bold</b>" not in html(app), stop
        if stop == "1":
            assert escaped(PAYLOAD) in html(app)
