"""The Home screen over a fake workbench."""

from tests.fakes import FakeWorkbench
from tests.screens.conftest import html, open_page
from workbench.ui.home import home_view


def test_home_counts_what_the_workspace_holds(fake: FakeWorkbench) -> None:
    app = open_page("home")
    assert not app.exception
    assert "<b>2</b>corpora" in html(app)
    assert "<b>6</b>passages" in html(app)


def test_home_offers_an_example_of_each_phenomenon(fake: FakeWorkbench) -> None:
    shown = html(open_page("home"))
    assert all(
        title in shown for title in ("Scope matters", "English distracts", "Sources conflict", "Translation misleads")
    )


def test_a_table_without_its_head_still_says_what_its_names_and_numbers_are() -> None:
    shown = home_view.corpora_table({"mine": {"en": 1}})
    assert '<span class="wb-phone">Corpus </span><bdi class="wb-title">mine</bdi>' in shown
    assert '1<span class="wb-phone"> passage</span>' in shown
