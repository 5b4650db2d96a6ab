"""Everyone: axe-core finds nothing serious on any screen, and the way to a cited answer can be walked by keyboard."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import pytest
from axe_playwright_python.sync_playwright import Axe

from benchmarks.screens.running import running_app
from tests.browser.annotating import add_queue
from tests.experiments.experiments import stored
from tests.screens import team
from workbench.app.workbench import Workbench
from workbench.experiments.experiment import make_experiment
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore
from workbench.ui.dashboard.dashboard_state import View
from workbench.workspace import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Theme = Literal["light", "dark"]

pytestmark = pytest.mark.browser

SCREENS = (
    *("home", "ask", "compare", "data", "runs", "optimise", "dashboard", "inspect", "tour", "settings"),
    "ask?q=Who+invented+radio%3F&lang=en&mode=drag&ask=1",
    "compare?view=languages",
    "compare?view=votes",
    "inspect?view=annotate",
    "settings?section=Generators",
    "settings?section=Keys",
)
SETTLED = """() => document.querySelector('[data-test-script-state=notRunning]')
    && getComputedStyle(document.querySelector('.stMainBlockContainer')).maxWidth === '1248px'
    && ![...document.querySelectorAll('[data-stale=true], .stExpander > details > *')].some(one =>
      one.dataset.stale === 'true' || getComputedStyle(one).opacity !== '1')
    && !document.getAnimations().some(one => one.timeline === document.timeline
    && one.playState === 'running' && one.effect?.getComputedTiming().iterations !== Infinity)"""
"""Nothing is drawn any more: what is old fades, and a faded text has less contrast than it will have.

What moves with the scrolling of a table does not end."""
TAKEN_AWAY = 200
"""Presses of Tab after which a control is taken to be out of the keyboard's reach."""


def settle(page: Page) -> None:
    page.locator("h1").first.wait_for()
    page.wait_for_timeout(500)
    page.wait_for_function(SETTLED)


def faults(browser: Browser, addresses: Sequence[str], theme: Theme, width: int) -> list[str]:
    """What axe calls serious or critical at these addresses, one after the other."""
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
    context.set_default_timeout(120_000)
    page, findings = context.new_page(), list[str]()
    for address in addresses:
        page.goto(address)
        settle(page)
        for fault in Axe().run(page).response["violations"]:
            if fault["impact"] in ("serious", "critical"):
                nodes = "; ".join(f"{node['html'][:160]} {node['failureSummary'][:240]}" for node in fault["nodes"])
                findings.append(f"{address}: {fault['id']} ({fault['impact']}): {nodes}")
    context.close()
    return findings


@pytest.fixture(scope="module")
def with_results(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The addresses of screens that show results: every view of the Dashboard, an answer, labels, the sign-in."""
    home = shutil.copytree(prepared, tmp_path_factory.mktemp("everyone") / "home", symlinks=True)
    spec = {"name": "Everyone", "languages": ["en", "ar"], "modes": ["monorag", "multirag"], "questions": 10}
    experiment_id, runner = stored(Workbench(settings.load(home)), make_experiment(spec))
    runner.run()
    store = ResultStore.at(settings.load(home).database_url)
    queue = add_queue(store, home, people=1)
    first = store.where(Filter()).instances()[0].answer
    paths = [
        *(f"dashboard?view={view}" for view in get_args(View)),
        f"inspect?experiment={experiment_id}",
        f"inspect?instance={first}",
        f"inspect?view=annotate&queue={queue.id}&annotator=Ada",
        f"runs?experiment={experiment_id}",
        "compare?q=Who+invented+radio%3F&lang=en&ask=1",
    ]
    apart = tmp_path_factory.mktemp("team")
    team.create_team(settings.load(apart).database_url)
    with running_app(home) as url, running_app(apart) as closed:
        yield [*(f"{url}/{path}" for path in paths), closed]


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", get_args(Theme))
def test_axe_finds_nothing_serious_on_any_screen(theme: Theme, width: int, app_url: str, browser: Browser) -> None:
    assert faults(browser, [f"{app_url}/{screen}" for screen in SCREENS], theme, width) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", get_args(Theme))
def test_axe_finds_nothing_serious_where_there_are_results(
    theme: Theme, width: int, with_results: list[str], browser: Browser
) -> None:
    assert faults(browser, with_results, theme, width) == []


def focus_on(page: Page, selector: str) -> None:
    """Presses Tab until the focus is on what the selector names."""
    for _ in range(TAKEN_AWAY):
        page.keyboard.press("Tab")
        if page.evaluate("selector => Boolean(document.activeElement?.matches(selector))", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def test_from_home_to_the_sentence_that_is_cited_by_keyboard_alone(app_url: str, page: Page) -> None:
    page.goto(app_url)
    settle(page)
    focus_on(page, "a[href$='/ask']")
    page.keyboard.press("Enter")
    page.get_by_label("Question", exact=True).wait_for()
    settle(page)
    focus_on(page, "[aria-label='Question']")
    page.keyboard.type("Who invented radio?")
    page.keyboard.press("Enter")
    page.locator("a.wb-jump").first.wait_for()
    settle(page)
    focus_on(page, "a.wb-jump")
    page.keyboard.press("Enter")
    page.locator(":target").wait_for(state="attached")
