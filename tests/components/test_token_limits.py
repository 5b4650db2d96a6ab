"""How many tokens a language model may write: by the task that it serves, or as the recipe says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.app.workbench import Workbench
from workbench.core.errors import WorkbenchError
from workbench.core.records import Hit, Passage, Prompt, Query, Task
from workbench.pipeline.recipe import make_recipe

QUESTION = "Who invented radio?"


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as running:
        yield running


def limits(server: MisbehavingServer) -> set[object]:
    """The limits of all calls since the last time that this was asked for."""
    sent = {one.body.get("max_tokens") or one.body.get("max_completion_tokens") for one in server.requests}
    server.requests.clear()
    return sent


def model(server: MisbehavingServer) -> str:
    return f"openai-like:m@{server.url('well')}"


@pytest.mark.parametrize(
    ("choices", "limit"),
    [
        ({}, 128),
        ({"mode": "drag"}, 2048),
        ({"max_new_tokens": 300}, 300),
        ({"mode": "drag", "max_new_tokens": 300}, 300),
    ],
    ids=str,
)
def test_an_answers_limit_is_the_recipes_or_the_tasks(
    workbench: Workbench, server: MisbehavingServer, choices: dict[str, object], limit: int
) -> None:
    workbench.ask(QUESTION, "en", make_recipe({"generator": model(server), **choices}))
    assert limits(server) == {limit}


def test_a_translation_by_a_language_model_has_room_for_a_passage(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    recipe = make_recipe({"mode": "crossrag", "translator": f"llm:{model(server)}", "max_new_tokens": 16, "k": 2})
    workbench.ask("Kuka keksi radion?", "fi", recipe.with_(scope="ul"))
    assert limits(server) == {2048}


def test_a_ranking_by_a_language_model_has_a_separate_limit(workbench: Workbench, server: MisbehavingServer) -> None:
    reranker = workbench.registry.reranker(f"llm:{model(server)}")
    passages = [Passage(name, name, "", "en", f"On {name}.") for name in ("a", "b")]
    hits = [Hit(passage.id, row, "en", 1.0) for row, passage in enumerate(passages)]
    with pytest.raises(WorkbenchError, match="named no passage"):  # it answers “Paris”
        reranker.rerank(Query(QUESTION, "en", ("en",)), hits, passages)
    assert limits(server) == {512}


def test_a_judge_has_room_to_think(workbench: Workbench, server: MisbehavingServer) -> None:
    workbench.registry.judge(model(server)).generate([Prompt("", "Good?", Task("", ""))])
    workbench.registry.generator(model(server)).generate([Prompt("", "Good?", Task("", ""))])
    assert limits(server) == {512, 128}
