"""A link that names what there is not shows a sentence that says so, and never other data in silence."""

from __future__ import annotations

import pytest

from tests.screens.conftest import html, open_page
from workbench.app.workbench import Workbench
from workbench.experiments.tours.tour import Tour, TourLibrary, TourStop

IN_VAIN = (
    ("ask", {"corpus": "my-documents"}),
    ("ask", {"corpus": "my-documents", "q": "Who?", "ask": "1"}),
    ("ask", {"mode": "magic"}),
    ("ask", {"lang": "klingon"}),
    ("ask", {"lang": "xx"}),
    ("compare", {"question": "q99"}),
    ("compare", {"view": "languages", "question": "q99"}),
    ("compare", {"view": "languages", "dataset": "my-questions"}),
    ("compare", {"view": "languages", "language": "klingon"}),
    ("compare", {"view": "languages", "question": "q30", "language": "mt"}),
    ("compare", {"view": "nothing"}),
    ("compare", {"lang": "klingon"}),
    ("compare", {"lang": "xx"}),
    ("compare", {"view": "votes", "reads": "xx"}),
    ("data", {"dataset": "sample", "language": "xx"}),
    ("compare", {"recipe": "mode=magic"}),
    ("compare", {"view": "languages", "under": "mode=magic"}),
    ("compare", {"instance": "77"}),
    ("compare", {"instance": "-1"}),
    ("compare", {"view": "votes", "ballot": "nobody's"}),
    ("compare", {"view": "votes", "reads": "klingon"}),
    ("compare", {"view": "votes", "voter": "A" * 61}),
    ("data", {"corpus": "my-documents"}),
    ("data", {"dataset": "my-questions"}),
    ("data", {"dataset": "sample", "language": "klingon"}),
    ("data", {"dataset": "sample", "page": "9999"}),
    ("data", {"dataset": "sample", "page": "first"}),
    ("data", {"corpus": "sample", "show": "pictures"}),
    ("data", {"corpus": "sample", "document": "nowhere"}),
    ("data", {"corpus": "sample", "passage": "nowhere"}),
    ("data", {"review": "my-set"}),
    ("data", {"review": "my-set", "decision": "perhaps"}),
    ("inspect", {"experiment": "zzz"}),
    ("inspect", {"instance": "77"}),
    ("inspect", {"view": "nothing"}),
    ("inspect", {"view": "annotate", "queue": "nobody's"}),
    ("runs", {"experiment": "zzz"}),
    ("tour", {"tour": "my-tour"}),
    ("settings", {"section": "Nothing"}),
    ("settings", {"section": "Audit"}),
)
AMONG_RESULTS = (
    ("dashboard", {"experiment": "zzz"}),
    ("inspect", {"experiment": "zzz"}),
    ("inspect", {"run": "77"}),
    ("inspect", {"language": "klingon"}),
    ("inspect", {"language": "xx"}),
    ("inspect", {"view": "annotate", "reads": "xx"}),
    ("dashboard", {"language": "xx"}),
    ("inspect", {"mode": "magic"}),
    ("inspect", {"scope": "moon"}),
    ("inspect", {"prompt": "none"}),
    ("inspect", {"metric": "luck"}),
    ("inspect", {"order": "random"}),
    ("inspect", {"only": "good"}),
    ("inspect", {"within": "much"}),
    ("inspect", {"page": "9999"}),
    ("inspect", {"instance": "777"}),
    ("inspect", {"view": "annotate", "queue": "nobody's"}),
    ("inspect", {"view": "annotate", "reads": "klingon"}),
    ("inspect", {"view": "annotate", "showing": "3"}),
    ("runs", {"experiment": "zzz"}),
)


@pytest.mark.parametrize(("page", "params"), IN_VAIN)
def test_what_a_link_names_in_vain_is_told(page: str, params: dict[str, str], bench: Workbench) -> None:
    assert 'role="alert"' in html(open_page(page, **params))


@pytest.mark.parametrize(("page", "params"), AMONG_RESULTS)
def test_what_a_link_names_in_vain_is_told_where_there_are_others(
    page: str, params: dict[str, str], results_bench: Workbench
) -> None:
    assert 'role="alert"' in html(open_page(page, **params))


@pytest.mark.parametrize("params", [{"stop": "9"}, {"stop": "first"}, {"stop": "1", "parts": "9"}])
def test_a_stop_that_a_tour_does_not_have_is_told(params: dict[str, str], bench: Workbench) -> None:
    stop = TourStop(question="Who?", language="en", answer="Ada", recipe_title="tRAG", recorded="2026-01-01")
    TourLibrary(bench.settings.home).add("demo", Tour(stops=(stop,)))
    assert 'role="alert"' in html(open_page("tour", tour="demo", **params))
