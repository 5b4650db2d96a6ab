"""A link that names what there is not shows a sentence that says so, and never other data in silence."""

from __future__ import annotations

import pytest

from tests.screens.conftest import html, open_page
from workbench.app.workbench import Workbench

IN_VAIN = (
    ("ask", {"corpus": "my-documents"}),
    ("ask", {"corpus": "my-documents", "q": "Who?", "ask": "1"}),
    ("ask", {"mode": "magic"}),
    ("ask", {"lang": "klingon"}),
    ("compare", {"question": "q99"}),
    ("compare", {"view": "languages", "question": "q99"}),
    ("compare", {"view": "languages", "dataset": "my-questions"}),
    ("compare", {"view": "nothing"}),
    ("data", {"corpus": "my-documents"}),
    ("tour", {"tour": "my-tour"}),
    ("settings", {"section": "Nothing"}),
)


@pytest.mark.parametrize(("page", "params"), IN_VAIN)
def test_what_a_link_names_in_vain_is_told(page: str, params: dict[str, str], bench: Workbench) -> None:
    assert 'role="alert"' in html(open_page(page, **params))


def test_an_experiment_that_is_not_there_is_told_where_others_are(results_bench: Workbench) -> None:
    assert 'role="alert"' in html(open_page("dashboard", experiment="zzz"))
