"""What an answer cost, from the price table to the command line and the steps on the screen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import yaml

from tests.cli.terminal import Terminal, terminal
from tests.pipeline.fakes import FakeGenerator
from tests.servers.misbehaving import misbehaving
from workbench.app.workbench import Workbench
from workbench.components import factory
from workbench.core.records import Generation, Prompt, Step, Usage
from workbench.models.llm.cost import PricedUsage
from workbench.pipeline.recipe import Recipe, make_recipe
from workbench.ui.ask.answer_view import steps_table

PRICE = {"prompt": 1000, "completion": 100_000, "source": "the test's <b>own</b>", "date": "2026-01-31"}
WHENCE = "USD (price of 2026-01-31: the test's <b>own</b>)"
# The server reports 11 prompt tokens and 2 completion tokens.
COST = (11 * 1000 + 2 * 100_000) / 1_000_000
QUESTION = ("ask", "Who invented radio?", "--lang", "en", "--mode", "monorag", "--generator")


@pytest.fixture
def server(home: Path) -> Iterator[str]:
    """A generator whose server answers well, its price in the workspace."""
    with misbehaving() as running:
        name = f"m@{running.url('well')}"
        write(home, {name: PRICE})
        yield f"openai-like:{name}"


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return terminal(home, capsys, monkeypatch)


def write(home: Path, models: dict[str, object]) -> None:
    plain = json.loads(json.dumps({"models": models}, default=str))
    (home / "prices.yaml").write_text(yaml.safe_dump(plain), encoding="utf-8")


def test_json_gives_tokens_and_cost_with_source_and_day(run: Terminal, server: str) -> None:
    usage = run(*QUESTION, server, "--json").json["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"], usage["estimated"]) == (11, 2, False)
    assert usage["estimated_cost"] == {
        "amount": pytest.approx(COST),
        "currency": "USD",
        "source": PRICE["source"],
        "date": "2026-01-31",
    }


def test_the_step_that_generated_states_the_cost(run: Terminal, server: str) -> None:
    steps = {step["name"]: step["facts"] for step in run(*QUESTION, server, "--json").json["steps"]}
    assert steps["generate"]["estimated cost"] == f"0.211 {WHENCE}"
    assert not any("estimated cost" in facts for name, facts in steps.items() if name != "generate")


def test_from_the_cache_it_states_that_nothing_was_spent_this_time(run: Terminal, server: str) -> None:
    run(*QUESTION, server, "--json")
    steps = {step["name"]: step for step in run(*QUESTION, server, "--json").json["steps"]}
    assert steps["generate"]["cached"]
    assert steps["generate"]["facts"]["estimated cost"] == f"0.211 {WHENCE}; nothing this time"


def test_people_read_the_cost_below_the_answer(run: Terminal, server: str) -> None:
    assert f"Estimated cost: 0.211 {WHENCE}" in run(*QUESTION, server).err


def test_a_price_of_another_endpoint_is_not_taken(run: Terminal, server: str, home: Path) -> None:
    write(home, {"m": PRICE, "m@elsewhere": PRICE})
    result = run(*QUESTION, server, "--json").json
    assert result["usage"]["prompt_tokens"] == 11 and result["usage"]["estimated_cost"] is None
    assert not any("estimated cost" in step["facts"] for step in result["steps"])
    assert "cost" not in run(*QUESTION, server).err


def test_a_broken_price_table_stops_no_answer_and_is_reported(run: Terminal, server: str, home: Path) -> None:
    (home / "prices.yaml").write_text("models: {", encoding="utf-8")
    result = run(*QUESTION, server)
    assert result.code == 0 and result.out.strip() == "Paris"
    assert "The price table prices.yaml cannot be used: it is not YAML" in result.err


def test_a_reader_that_counts_no_tokens_has_neither_usage_nor_cost(run: Terminal, home: Path) -> None:
    write(home, {"extractive": PRICE})
    result = run("ask", "Who invented radio?", "--lang", "en", "--json").json
    assert result["usage"] is None
    assert not any("estimated cost" in step["facts"] for step in result["steps"])


def test_the_steps_on_the_screen_hold_the_cost_escaped() -> None:
    cost = f"0.211 {WHENCE}"
    shown = steps_table([Step("generate", "llm", 0.1, False, {"estimated cost": cost})])
    assert "estimated cost: 0.211 USD (price of 2026-01-31" in shown
    assert "<b>own" not in shown and "&lt;b&gt;own" in shown


class Counting(FakeGenerator):
    """Counts ten prompt tokens and one completion token for every prompt."""

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        return [Generation("said", usage=Usage(10, 1, False, 0.5)) for _ in prompts]


def four(prompts: str) -> Recipe:
    return make_recipe({"mode": "drag", "generator": "openai-like:m", "dialectic": {"prompts": prompts}})


def test_four_prompts_cost_what_all_four_used(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    write(workbench.settings.home, {"m": PRICE})
    monkeypatch.setattr(factory, "generator", lambda *_: Counting())
    one, each = (workbench.ask("Who?", "en", four(number)).generation.usage for number in ("one", "four"))
    assert isinstance(one, PricedUsage) and isinstance(each, PricedUsage)
    assert (each.prompt_tokens, each.completion_tokens, each.seconds) == (40, 4, 2.0)
    assert each.cost == pytest.approx(4 * one.cost)


def test_nothing_is_counted_where_no_part_counts(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factory, "generator", lambda *_: FakeGenerator(text="said"))
    assert workbench.ask("Who?", "en", four("four")).generation.usage is None
