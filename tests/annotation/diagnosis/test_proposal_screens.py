"""What went wrong on the Inspect screen and in a terminal, over a workspace of planted failures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import delete
from streamlit.testing.v1 import AppTest

from tests.annotation.diagnosis.conftest import Pairs
from tests.cli.terminal import Terminal, refused, terminal
from tests.jobs.waiting import work_on
from tests.screens.conftest import APP, html
from workbench.annotation.diagnosis.diagnosing import Diagnosing, ProposalJobs
from workbench.annotation.diagnosis.proposal import TAXONOMY, CaseTrial, Proposal, ProposalStore
from workbench.annotation.error_taxonomy import shipped_taxonomies
from workbench.app.workbench import Workbench
from workbench.components.registry import Registry
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultStore
from workbench.ui.diagnosis import proposal_view
from workbench.ui.diagnosis.proposal_batch_view import NONE, PEOPLE, RULES, proposal_chart, proposal_rows
from workbench.ui.diagnosis.proposal_view import PROPOSED, TRY, TRY_ALL
from workbench.ui.parts import access
from workbench.workspace.annotation_tables import proposals as table

TRY_KEY, START = "inspect_wrong_try", "inspect_proposals_start"
CAUSES = next(item for item in shipped_taxonomies() if item.name == TAXONOMY)


@pytest.fixture
def store(planted_bench: tuple[Workbench, Pairs], monkeypatch: pytest.MonkeyPatch) -> Iterator[ProposalStore]:
    """The proposals of the planted workspace, which the screens use; there are none before and after."""
    workbench = planted_bench[0]
    monkeypatch.setattr(access, "workbench", lambda: workbench)
    monkeypatch.setattr(access, "warm", lambda corpus: None)
    results = ResultStore.at(workbench.settings.database_url)
    yield ProposalStore(results)
    with results.engine.begin() as connection:
        connection.execute(delete(table))


@pytest.fixture
def misled(planted_bench: tuple[Workbench, Pairs]) -> Instance:
    """An English answer that a document misled."""
    return next(item for case, item in planted_bench[1] if (case.cause, case.language) == ("misled-by-document", "en"))


def opened(instance: int = 0, experiment: str = "") -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.switch_page("pages/inspect.py")
    app.query_params["experiment"] = experiment
    if instance:
        app.query_params["instance"] = str(instance)
    return app.run()


def test_an_answer_is_diagnosed_when_that_is_asked_for(store: ProposalStore, misled: Instance) -> None:
    app = opened(misled.answer, misled.run.experiment_id)
    assert PROPOSED not in html(app)
    assert app.button(key=TRY_KEY).label == TRY
    app.button(key=TRY_KEY).click().run()
    assert not app.exception
    assert "Misled by a document" in html(app) and PROPOSED in html(app)
    assert "Without document 1" in html(app)
    proposal = store.of(misled)
    assert proposal is not None and proposal.label == "misled-by-document"


def test_every_change_is_tried_once_that_is_asked_for(store: ProposalStore, misled: Instance) -> None:
    app = opened(misled.answer, misled.run.experiment_id)
    app.button(key=TRY_KEY).click().run()
    assert app.button(key=TRY_KEY).label == TRY_ALL
    app.button(key=TRY_KEY).click().run()
    proposal = store.of(misled)
    assert proposal is not None and proposal.thorough
    assert TRY_KEY not in [button.key for button in app.button]


def test_what_would_be_sent_is_stated_before_it_is(
    store: ProposalStore, misled: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Registry, "hosts", lambda registry, recipe: ("api.example",))
    monkeypatch.setattr(proposal_view, "most_calls", lambda recipe: 10)
    app = opened(misled.answer, misled.run.experiment_id)
    assert "sends the question and its documents to api.example: at most 10 calls" in html(app)
    assert app.checkbox(key="inspect_wrong_sends").value is False


def test_a_failure_is_one_sentence(store: ProposalStore, misled: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(diagnosing: Diagnosing, *_: object) -> Proposal:
        raise OSError("the disk is full")

    monkeypatch.setattr(Diagnosing, "propose", fail)
    app = opened(misled.answer, misled.run.experiment_id)
    app.button(key=TRY_KEY).click().run()
    assert not app.exception
    assert "The workspace cannot be read or written" in html(app)
    assert store.of(misled) is None


def test_what_a_trial_says_is_shown_as_text(store: ProposalStore, misled: Instance) -> None:
    payload = "<script>alert(1)</script>"
    store.save(misled, Proposal("reader-error", (payload,), (CaseTrial("left-out", payload, payload, "en", False),)))
    page = html(opened(misled.answer, misled.run.experiment_id))
    assert payload not in page
    assert page.count("&lt;script&gt;alert(1)") >= 3


def test_all_answers_of_the_filters_are_diagnosed_and_counted(
    store: ProposalStore, misled: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProposalJobs, "spawn", lambda jobs, job_id, _number: work_on(jobs.settings, job_id))
    app = opened(experiment=misled.run.experiment_id)
    app.session_state["inspect_proposals_part"] = True
    app.run()
    assert app.button(key=START).label == "Propose for these 24 answers"
    app.button(key=START).click().run()
    assert not app.exception
    batch = ProposalJobs(access.workbench().settings).batch()
    assert batch is not None and (batch.state, batch.done) == ("done", 24)
    assert START in [button.key for button in app.button]
    assert app.selectbox(key="inspect_proposals_language").options[0] == "All languages"
    assert "create a queue under Annotate" in html(app)


def test_the_figure_counts_rules_and_people_apart() -> None:
    rules = {("reader-error", "fi"): 3, ("", "fi"): 1, ("format", "ru"): 2}
    rows = proposal_rows(rules, {("reader-error", "fi"): 2}, CAUSES)
    figure = proposal_chart(rows)
    *marks, names = figure.data
    counts = {trace.name: {names.text[int(y)]: x for x, y in zip(trace.x, trace.y, strict=True)} for trace in marks}
    assert counts[RULES] == {"Reader's mistake": 3, "Parts of the answer missing": 2, NONE: 1}
    assert counts[PEOPLE] == {"Reader's mistake": 2}
    in_russian = proposal_chart(rows, "ru")
    assert list(in_russian.data[-1].text) == ["Parts of the answer missing"]


def test_the_terminal_proposes_and_counts(
    store: ProposalStore,
    planted_bench: tuple[Workbench, Pairs],
    misled: Instance,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run: Terminal = terminal(planted_bench[0].settings.home, capsys, monkeypatch)
    result = run("labels", "propose", misled.run.experiment_id, "--lang", "en", "--json").json
    assert {row["label"]: row["answers"] for row in result["proposals"]} == {
        "answer-not-in-corpus": 1,
        "misled-by-document": 1,
        "not-retrieved": 1,
    }
    again = run("labels", "propose", misled.run.experiment_id, "--lang", "en")
    assert "misled-by-document\ten\t1" in again.out
    assert "proposed for" not in again.err


def test_the_terminal_refuses_an_experiment_that_does_not_exist(
    planted_bench: tuple[Workbench, Pairs], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = terminal(planted_bench[0].settings.home, capsys, monkeypatch)
    refused(run("labels", "propose", "gone"), "gone")
