"""A replay by a language model behind an endpoint: what is sent, how often, and what is shown where it fails."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.experiments.replays.stored_answers import forget, stored_answer
from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.app.workbench import Workbench
from workbench.experiments.replays.change import Change, retrace
from workbench.experiments.replays.replay import replay


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as running:
        yield running


def _by_model(workbench: Workbench, server: MisbehavingServer, way: str) -> Change:
    (workbench.settings.home / "endpoints.yaml").write_text(f"there:\n  url: {server.url(way)}\n", encoding="utf-8")
    return Change({"generator": "openai-like:some-model@there"})


def test_the_model_is_sent_the_stored_prompt_once(workbench: Workbench, server: MisbehavingServer) -> None:
    item = stored_answer(workbench)
    prompt = retrace(workbench, item).prompt
    change = _by_model(workbench, server, "well")
    first, second = replay(workbench, item, change), replay(workbench, item, change)
    assert (first.answer, second.answer, first.failure) == ("Paris", "Paris", "")
    assert prompt is not None
    assert [entry.body["messages"][-1]["content"] for entry in server.requests] == [prompt.user]
    assert {step.name: step.status for step in first.steps}["compose"] == "kept"


def test_a_model_that_fails_is_a_sentence_and_nothing_is_cached(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    item = stored_answer(workbench)
    failed = replay(workbench, item, _by_model(workbench, server, "no-credit"))
    assert failed.failure
    assert failed.answer == ""
    assert failed.steps[-1].name == "compose"
    assert replay(workbench, item, _by_model(workbench, server, "well")).answer == "Paris"


def test_a_stored_answer_of_a_model_is_not_asked_for_again(workbench: Workbench, server: MisbehavingServer) -> None:
    generator = _by_model(workbench, server, "well").fields["generator"]
    item = stored_answer(workbench, models=[generator])
    before = len(server.requests)
    assert replay(workbench, item, Change()).answer == "Paris"
    assert len(server.requests) == before
    forget(workbench, "generate")
    again = replay(workbench, item, Change())
    assert {step.name: step.status for step in again.steps}["generate"] == "run again"
    assert len(server.requests) == before + 1
