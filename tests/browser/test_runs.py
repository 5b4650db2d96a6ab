"""Runs and Dashboard in a real browser: a matrix from its form to single answers, and jobs that outlive their tab."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.controls import add, choose, settled, tag, write
from tests.experiments.experiments import answer_rows, stored
from workbench.app.workbench import Workbench
from workbench.core.records import NO_EVIDENCE
from workbench.experiments.experiment import experiment_from_yaml
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore
from workbench.pipeline.prompts.variants import VARIANTS
from workbench.workspace import settings
from workbench.workspace.jobs.job import Job
from workbench.workspace.settings import Settings

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

LONG = 300.0
"""Seconds that a job may take on a busy machine; it takes some fifteen on a quiet one."""
POLL_SECONDS = 0.05
"""Seconds between looks at a job."""
ALL_LANGUAGES = 13
OPEN_ROW = "[class*=st-key-run_]:has(button:disabled)"
"""The row of the experiment whose card is open."""
ANSWERED = """above => {
  const text = document.querySelector('[class*=st-key-run_]:has(button:disabled)')?.textContent ?? '';
  const count = Number(text.match(/([\\d,]+) of [\\d,]+ answers/)?.[1].replaceAll(',', ''));
  return count > above ? count : 0;
}"""
"""The answers that the screen says are written, 0 while they are not more than `above`."""


@pytest.fixture
def app_settings(workspace: Path) -> Iterator[Settings]:
    """The workspace's settings. Jobs that the test leaves running are ended."""
    loaded = settings.load(workspace)
    yield loaded
    for row in ResultStore.at(loaded.database_url).experiments():
        if ExperimentJobs(loaded).stop(row.id):
            ended(loaded, row.id)


@pytest.fixture
def apart(workspace: Path, tmp_path: Path) -> Workbench:
    """A workbench over the same corpora and datasets that has run nothing yet."""
    home = tmp_path / "apart"
    ignored = shutil.ignore_patterns("workbench.db*", "jobs", "app.log")
    shutil.copytree(workspace, home, symlinks=True, ignore=ignored)
    return Workbench(settings.load(home))


def ended(app_settings: Settings, experiment_id: str) -> Job:
    """How its job ended; one that never does is killed."""
    until = time.monotonic() + LONG
    for now in ExperimentJobs(app_settings).watch(experiment_id, POLL_SECONDS):
        if now.pid and now.active and time.monotonic() > until:
            os.kill(now.pid, signal.SIGKILL)
    return now


def open_form(page: Page, app_url: str, name: str, seed: int) -> None:
    """Open Runs and its form, and name the experiment.

    The seed is for this test alone: with another test's, whose steps are cached, the job would end at once.
    """
    page.goto(f"{app_url}/runs")
    form = page.locator(".st-key-new_experiment details").first
    form.wait_for()
    if form.get_attribute("open") is None:
        form.locator("summary").first.click()
    form.locator(".wb-figure").first.wait_for()
    write(page, "Name", name)
    write(page, "Seed", str(seed))


def choose_prompts(page: Page, *names: str) -> None:
    """Select these prompt variants, which the form shows by their titles."""
    titles = {variant.name: variant.title for variant in VARIANTS}
    choose(page, "Prompt variants", *(titles[name] for name in names))


def start(page: Page, cells: int) -> str:
    """Start the experiment once the form says that it has `cells` cells; its id."""
    page.locator(".st-key-new_experiment .wb-figure").filter(has_text=re.compile(rf"^{cells:,}\s*cells")).wait_for()
    settled(page)
    before = shown(page.url)
    page.locator(".st-key-runs_start button").click()
    page.wait_for_url(lambda url: shown(url) not in ("", before))
    return shown(page.url)


def shown(url: str) -> str:
    """The experiment that an address of Runs names."""
    return parse_qs(urlsplit(url).query).get("experiment", [""])[0]


def stands(page: Page, state: str) -> None:
    """Wait until the screen says that the experiment stands so."""
    badge = page.locator(OPEN_ROW).locator(".wb-ready, .wb-missing, .wb-idle").first
    expect(badge).to_have_text(state, timeout=1000 * LONG)


def answered(page: Page, above: int = 0) -> int:
    """Wait until the screen says that more answers than `above` are written; how many."""
    return int(page.wait_for_function(ANSWERED, arg=above, timeout=1000 * LONG).json_value())


def await_figure(page: Page, title: str) -> None:
    """Wait until a figure with `title` in its title is drawn and the one before it is gone."""
    page.locator(".js-plotly-plot .gtitle").filter(has_text=title).wait_for()
    settled(page)


def cell_of(page: Page, row: str, column: str) -> tuple[float, float]:
    """Where a table drawn as a figure has the cell of these labels, in pixels."""
    labels = (
        page.locator(f".js-plotly-plot .{axis}tick").filter(has_text=text).first
        for axis, text in (("x", column), ("y", row))
    )
    page.locator(".js-plotly-plot .gtitle").scroll_into_view_if_needed()
    page.locator(".js-plotly-plot .xtick").first.scroll_into_view_if_needed()
    across, down = (label.bounding_box() for label in labels)
    assert across and down
    return across["x"] + across["width"] / 2, down["y"] + down["height"] / 2


def test_typing_while_the_form_is_still_being_drawn_loses_nothing(visitor: Callable[[], Page], app_url: str) -> None:
    for number in range(6):
        page = visitor()
        page.goto(f"{app_url}/runs")
        form = page.locator(".st-key-new_experiment details").first
        form.wait_for()
        if form.get_attribute("open") is None:
            form.locator("summary").first.click()
        name = page.get_by_label("Name", exact=True)
        name.fill(f"Early {number}")
        name.press("Enter")
        settled(page)
        expect(tag(page, "Modes", "MultiRAG")).to_be_visible()
        expect(tag(page, "Datasets", "sample")).to_be_visible()
        expect(page.get_by_label("Questions per language", exact=True)).to_have_value("10")
        expect(name).to_have_value(f"Early {number}")
        page.context.close()


def test_each_page_has_a_title_of_its_own_and_one_entry_in_the_history(page: Page, app_url: str) -> None:
    page.goto(app_url)
    settled(page)
    for name in ("Data", "Runs", "Settings"):
        before = page.evaluate("history.length")
        page.get_by_role("link", name=name, exact=True).first.click()
        expect(page).to_have_title(f"{name} · mRAG workbench")
        page.get_by_role("heading", name=name, exact=True).wait_for()
        settled(page)
        assert page.evaluate("history.length") == before + 1


def test_a_matrix_is_built_watched_stopped_resumed_and_opened_down_to_its_answers(
    page: Page, app_url: str, app_settings: Settings, workspace: Path
) -> None:
    prompts = ("reply-short-en", "reply-short-ul", "reply-short-in-ul-en", "reply-short-in-ul-ul")
    cells = ALL_LANGUAGES * 10 * 3 * 2 * len(prompts)
    open_form(page, app_url, "Walk-through", seed=11)
    choose(page, "Question languages", "All languages of the dataset")
    choose(page, "Modes", "MultiRAG", "CrossRAG", "tRAG")
    choose(page, "Scopes", "English", "All languages")
    choose_prompts(page, *prompts)
    experiment_id = start(page, cells)
    expect(page.locator(".st-key-new_experiment details").first).not_to_have_attribute("open", "")

    results = ResultStore.at(app_settings.database_url).of(experiment_id)
    runs = {(run.mode, run.scope, run.prompt) for run in results.runs()}
    assert runs == set(product(("multirag", "crossrag", "trag"), ("en", "all"), prompts))
    first = answered(page)
    second = answered(page, above=first)
    stands(page, "running")
    assert second <= results.count() < cells

    page.get_by_role("button", name="Stop", exact=True).click()
    stands(page, "stopped")
    stopped_at = answered(page, above=second - 1)
    assert second <= stopped_at == results.count() < cells

    page.get_by_role("button", name="Resume", exact=True).click()
    stands(page, "finished")
    assert answered(page, above=stopped_at) == results.count() == cells
    assert results.count(failed=True) == 0

    page.get_by_role("link", name="Open dashboard").click()
    unanswerable = results.with_filter(Filter(experiments=(experiment_id,), evidence_in=(NO_EVIDENCE,))).count()
    expect(page.get_by_text(f"n = {cells - unanswerable:,} scored, {unanswerable:,} unscored")).to_be_visible()
    page.get_by_role("radio", name="Where does it work?").click(force=True)
    await_figure(page, "Languages searched × language asked in")
    page.locator(".st-key-dash_filters summary").click()
    add(page, "Mode", "tRAG")
    await_figure(page, f"n = {(cells - unanswerable) // 3:,} scored, {unanswerable // 3:,} unscored")

    behind = Filter(experiments=(experiment_id,), modes=("trag",), scopes=("all",), languages=("fr",))
    cards = results.with_filter(behind).instances()
    scores = [score for card in cards if (score := card.scores["char3_recall"]) is not None]
    mean = fmean(scores)
    place = cell_of(page, "all languages", "French")
    page.mouse.move(*place)
    hover = page.locator(".js-plotly-plot .hoverlayer .hovertext")
    expect(hover).to_contain_text("all languages, French")
    expect(hover).to_contain_text(f"{mean:.3f}")
    expect(hover).to_contain_text(f"n = {len(scores)} scored")
    page.mouse.click(*place)
    expect(page.locator(".st-key-instances h2")).to_contain_text(f"Answers ({len(cards)})")
    texts = page.locator("[class*=st-key-question_]").evaluate_all("all => all.map(one => one.textContent)")
    assert len(texts) == 10 < len({card.question for card in cards})
    worst = min(scores)
    # From the chart's mark: one click lists the answers, the worst first, the next one opens it.
    assert "Français" in texts[0] and f"{worst:.2f}" in texts[0]
    page.locator(".st-key-instances").get_by_role("link", name="Open").first.click()
    expect(page).to_have_url(re.compile(r"/inspect\?.*instance="))
    assert "Traceback" not in (workspace / "app.log").read_text(encoding="utf-8")


def test_a_job_goes_on_when_its_tab_is_closed_and_whoever_comes_back_sees_it(
    visitor: Callable[[], Page], app_url: str, app_settings: Settings
) -> None:
    prompts = ("reply-short-en", "reply-short-same-lang-en", "reply-short-in-ul-ne-ul")
    cells = ALL_LANGUAGES * 10 * 3 * 2 * len(prompts)
    page = visitor()
    open_form(page, app_url, "Left alone", seed=12)
    choose(page, "Question languages", "All languages of the dataset")
    choose(page, "Modes", "MultiRAG", "CrossRAG", "tRAG")
    choose(page, "Scopes", "English", "All languages")
    choose_prompts(page, *prompts)
    experiment_id = start(page, cells)
    stands(page, "running")
    page.close()
    page.context.close()

    left = ExperimentJobs(app_settings).status(experiment_id)
    assert left and left.pid
    on = next(
        now
        for now in ExperimentJobs(app_settings).watch(experiment_id, POLL_SECONDS)
        if (now.phase, now.done) != (left.phase, left.done)
    )
    assert on.state == "running"
    os.kill(left.pid, 0)

    back = visitor()
    back.goto(f"{app_url}/runs")
    stands(back, "running")
    expect(back.locator(OPEN_ROW)).to_contain_text("Left alone")
    stands(back, "finished")
    results = ResultStore.at(app_settings.database_url).of(experiment_id)
    assert answered(back, above=cells - 1) == results.count(failed=False) == cells


def test_two_jobs_at_once_end_as_each_would_alone(
    visitor: Callable[[], Page], app_url: str, app_settings: Settings, apart: Workbench
) -> None:
    cells = 3 * 15 * 2 * 2 * 2
    pages = {}
    for name, modes in (("One", ("MultiRAG", "CrossRAG")), ("Two", ("MultiRAG", "tRAG"))):
        pages[name] = page = visitor()
        open_form(page, app_url, name, seed=13)
        write(page, "Questions per language", "15")
        choose(page, "Modes", *modes)
        choose(page, "Scopes", "English", "All languages")
        choose_prompts(page, "reply-short-in-ul-ul", "reply-short-same-lang-en")
    ids = {name: start(page, cells) for name, page in pages.items()}

    looks = zip(
        *(ExperimentJobs(app_settings).watch(experiment_id, POLL_SECONDS) for experiment_id in ids.values()),
        strict=False,
    )
    assert any(one.state == other.state == "running" for one, other in looks)
    for page in pages.values():
        stands(page, "finished")
        assert answered(page, above=cells - 1) == cells
    store = ResultStore.at(app_settings.database_url)
    for experiment_id in ids.values():
        alone, runner = stored(apart, experiment_from_yaml(store.spec(experiment_id)))
        runner.run()
        rows = answer_rows(app_settings, experiment_id)
        assert len(rows) == len({row[:3] for row in rows}) == cells
        assert rows == answer_rows(apart.settings, alone)
