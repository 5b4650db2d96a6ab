"""Recipes that expand the question, compress documents or order them, from the question to the answer on the sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.cli.terminal import terminal
from tests.pipeline.rewriting.scripted_model import ScriptedModel, scripted_model
from workbench.app.answer_parts import answer_to_json
from workbench.app.retrieval_evaluation import evaluate_retrieval
from workbench.app.workbench import Workbench
from workbench.components.prices import FACT
from workbench.core.errors import UsageError
from workbench.experiments.chain_builder import component_choices
from workbench.pipeline.recipe import Recipe, make_recipe
from workbench.pipeline.rewriting import NOT_SPLIT

QUESTION = "Who invented radio?"


def reply(turn: str) -> str | None:
    """Two simpler questions, notes or an answer, by what the turn has."""
    if "unsplit" in turn:
        return "NONE"
    if "<<<" not in turn:
        return "Marconi"
    return "Notes on radio [1]." if "Documents: <<<" in turn else "1. radio inventor?\n2. wireless telegraph?"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with scripted_model(reply) as running:
        yield running


def recipe(**choices: Any) -> Recipe:
    return make_recipe({"encoder": "builtin", "retriever": "lexical", **choices})


def test_an_answer_shows_what_was_searched_with_and_what_was_read(workbench: Workbench, model: ScriptedModel) -> None:
    choices = recipe(generator=model.name, query_expansion="decompose", compressor="refine", k=2)
    answer = workbench.ask(QUESTION, "en", choices)
    values = answer_to_json(answer, choices)
    assert answer.text == "Marconi"
    assert values["expansion"]["queries"] == ["radio inventor?", "wireless telegraph?"]
    assert values["compression"]["text"] == "Notes on radio [1]."
    assert values["compression"]["ranks"] == [1, 2]
    assert len(values["passages"]) == 2
    assert "Notes on radio [1]." in values["prompt_text"]["user"]
    assert values["compression"]["usage"]["prompt_tokens"] == 22  # one call per document


def test_one_query_ranks_as_the_question_itself(workbench: Workbench, model: ScriptedModel) -> None:
    choices = recipe(query_expansion="decompose", expander=model.name)
    plain, expanded = (workbench.ask("What is unsplit radio?", "en", item) for item in (recipe(), choices))
    assert expanded.expansion is not None
    assert expanded.expansion.note == NOT_SPLIT
    assert [item.passage.id for item in expanded.evidence] == [item.passage.id for item in plain.evidence]
    assert [item.scores for item in expanded.evidence] == [item.scores for item in plain.evidence]


def test_the_built_in_reader_can_answer_what_a_language_model_expanded(
    workbench: Workbench, model: ScriptedModel
) -> None:
    answer = workbench.ask(QUESTION, "en", recipe(query_expansion="multi-query", expander=model.name))
    assert answer.text
    assert len(model.turns) == 1
    assert answer.generation.usage is None


def test_each_calls_cost_is_by_the_price_of_its_model(workbench: Workbench, model: ScriptedModel) -> None:
    name = model.name.removeprefix("openai-like:")
    price = {"prompt": 1_000_000, "completion": 0, "source": "a test", "date": "2026-01-31"}
    prices = yaml.safe_dump({"models": {name: price}})
    (workbench.settings.home / "prices.yaml").write_text(prices, encoding="utf-8")
    answer = workbench.ask(QUESTION, "en", recipe(query_expansion="hyde", expander=model.name))
    costs = {step.name: step.facts[FACT] for step in answer.steps if FACT in step.facts}
    assert list(costs) == ["expand query"]
    assert costs["expand query"].startswith("11 USD")


@pytest.mark.parametrize(
    ("choices", "names"),
    [
        ({"query_expansion": "hyde"}, ("hyde", "generator or expander")),
        (
            {"query_expansion": "hyde-mean", "expander": "gpt-4o", "retriever": "lexical"},
            ("hyde-mean", "retriever to dense"),
        ),
        ({"query_expansion": "decompose", "expander": "extractive"}, ("decompose", "generator or expander")),
        ({"compressor": "refine"}, ("refine", "set generator")),
        (
            {"compressor": "tree-summarize", "compressor_model": "openai-like:m@http://127.0.0.1:9/v1"},
            ("set generator",),
        ),
    ],
)
def test_without_a_language_model_it_is_one_sentence_that_names_what_to_set(
    workbench: Workbench, choices: dict[str, Any], names: tuple[str, ...]
) -> None:
    for refused in (workbench.registry.check, lambda item: workbench.ask(QUESTION, "en", item)):
        with pytest.raises(UsageError) as error:
            refused(recipe(**choices))
        assert all(name in str(error.value) for name in names)


def test_a_mode_that_searches_nothing_needs_no_model_for_it(workbench: Workbench) -> None:
    choices = recipe(mode="baseline", query_expansion="hyde", compressor="refine")
    assert workbench.registry.check(choices) == ()
    assert component_choices(choices) != component_choices(choices.with_(generator="gpt-4o", mode="multirag"))


def test_an_expander_that_means_nothing_is_one_sentence(workbench: Workbench) -> None:
    with pytest.raises(UsageError, match="magic"):
        workbench.registry.check(recipe(query_expansion="hyde", expander="magic:x"))


@pytest.mark.parametrize("field", ["expander", "compressor_model"])
def test_the_hosts_of_these_models_are_told_and_what_they_lack_is_listed(workbench: Workbench, field: str) -> None:
    base = {"generator": "openai-like:m@http://127.0.0.1:9/v1", "query_expansion": "hyde", "compressor": "refine"}
    choices = recipe(**base, **{field: "openai-like:n@https://elsewhere.example/v1"})
    assert "elsewhere.example" in " ".join(workbench.registry.check(choices))
    assert [entry.name for entry in workbench.registry.unready(recipe(**base, **{field: "gpt-4o"}))] == ["gpt-4o"]
    idle = choices.with_(query_expansion="none", compressor="none")
    assert "elsewhere.example" not in " ".join(workbench.registry.hosts(idle))


def test_retrieval_alone_is_by_what_the_question_is_expanded_to(workbench: Workbench, model: ScriptedModel) -> None:
    choices = recipe(query_expansion="decompose", expander=model.name)
    plain = evaluate_retrieval(workbench, "sample", "en", recipe(), 5)
    expanded = evaluate_retrieval(workbench, "sample", "en", choices, 5)
    assert len(model.turns) == len(expanded.rankings)
    assert expanded.rankings != plain.rankings


def test_a_recipe_taken_out_as_a_retriever_expands_too(workbench: Workbench, model: ScriptedModel) -> None:
    retriever = workbench.retriever(recipe(query_expansion="decompose", expander=model.name), "en")
    assert retriever.retrieve(QUESTION)
    assert len(model.turns) == 1


def test_the_command_line_takes_every_choice(
    workbench: Workbench, model: ScriptedModel, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = terminal(workbench.settings.home, capsys, monkeypatch)
    models = ("--expander", model.name, "--compressor-model", model.name, "--generator")
    words = ("--query-expansion", "decompose", "--compressor", "refine", "--passage-order", "reversed", *models)
    command = ("ask", QUESTION, "--lang", "en", "--retriever", "lexical", *words, model.name.replace("says", "well"))
    result = run(*command, "--json").json
    assert result["expansion"]["queries"] == ["radio inventor?", "wireless telegraph?"]
    assert (result["recipe"]["passage_order"], result["compression"]["text"]) == ("reversed", "Notes on radio [1].")
    assert "Searched with: radio inventor? | wireless telegraph?" in run(*command).err


def test_retrieve_takes_an_expansion(
    workbench: Workbench, model: ScriptedModel, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = terminal(workbench.settings.home, capsys, monkeypatch)
    command = ("retrieve", "--corpus", "sample", "--dataset", "sample", "--lang", "en", "--retriever", "lexical")
    result = run(*command, "--query-expansion", "hyde", "--expander", model.name, "--json").json
    assert (result["query_expansion"], result["expander"]) == ("hyde", model.name)
    assert "needs a language model" in run(*command, "--query-expansion", "hyde").err
