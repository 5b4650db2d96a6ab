"""Token estimates, and costs by a table that users write."""

from __future__ import annotations

from pathlib import Path

import pytest
import regex

from workbench.core.errors import DataError
from workbench.core.records import Usage
from workbench.models.llm.cost import PricedUsage, PriceTable, estimated_tokens, load_prices, read_prices

METHODS = Path(__file__).parents[3] / "docs" / "methods.md"
ORIGIN = {"source": "a price page", "date": "2026-01-31"}
TABLE = PriceTable.model_validate({"currency": "EUR", "models": {"m": {"prompt": 2, "completion": 6, **ORIGIN}}})


def priced(usage: Usage) -> PricedUsage:
    usage_with_cost = TABLE.priced("m", usage)
    assert usage_with_cost is not None
    return usage_with_cost


def test_a_cost_is_tokens_times_price_per_million() -> None:
    # 500,000 prompt tokens at 2 per million and 250,000 completion tokens at 6 per million.
    assert priced(Usage(500_000, 250_000, False)).cost == pytest.approx(1.0 + 1.5)


def test_a_cost_keeps_the_tokens_and_states_where_its_price_is_from() -> None:
    assert priced(Usage(500_000, 0, True, 1.5)) == PricedUsage(
        500_000, 0, True, 1.5, cost=1.0, currency="EUR", source="a price page", date="2026-01-31"
    )


def test_a_model_without_a_price_has_no_cost() -> None:
    assert TABLE.priced("n", Usage(1, 1, False)) is None


@pytest.mark.parametrize(
    ("usage", "amount"),
    [
        (Usage(500_000, 250_000, False), "2.5 EUR"),
        (Usage(1_234_000_000, 0, False), "2,468 EUR"),
        (Usage(17, 0, False), "0.000034 EUR"),
        (Usage(0, 0, False), "0 EUR"),
    ],
)
def test_a_cost_is_labelled_with_its_source_and_day(usage: Usage, amount: str) -> None:
    assert priced(usage).label == f"{amount} (price of 2026-01-31: a price page)"


def test_a_cost_too_small_to_write_is_not_shown_as_nothing() -> None:
    cheap = PriceTable.model_validate({"models": {"m": {"prompt": 0.01, "completion": 0, **ORIGIN}}})
    usage = cheap.priced("m", Usage(1, 0, False))
    assert usage is not None and usage.label.startswith("under 0.000001 USD")


def test_a_workspace_without_a_table_has_no_prices(tmp_path: Path) -> None:
    assert load_prices(tmp_path) == PriceTable()


def test_the_table_in_the_methods_can_be_used_as_it_is(tmp_path: Path) -> None:
    examples = regex.findall(r"```yaml\n(.*?)```", METHODS.read_text(encoding="utf-8"), regex.DOTALL)
    (example,) = (item for item in examples if "currency:" in item)
    (tmp_path / "prices.yaml").write_text(example, encoding="utf-8")
    table = load_prices(tmp_path)
    assert table.currency == "USD" and len(table.models) >= 2
    assert all(price.source and price.date for price in table.models.values())


@pytest.mark.parametrize(
    "text",
    [
        "models: {m: {prompt: -1, completion: 1, source: s, date: 2026-01-31}}",
        "models: {m: {prompt: .nan, completion: 1, source: s, date: 2026-01-31}}",
        "models: {m: {prompt: 1, source: s, date: 2026-01-31}}",
        "models: {m: {prompt: 1, completion: 1}}",
        "models: {m: {prompt: 1, completion: 1, source: s}}",
        "models: {m: {prompt: 1, completion: 1, source: '', date: 2026-01-31}}",
        "models: {m: {prompt: 1, completion: 1, source: s, date: last year}}",
        "models: {m: {prompt: 1, completion: 1, source: s, date: 2026-02-31}}",
        "models: {m: [1, 2]}",
        "prices: {}",
        "- 1",
        "models: {",
    ],
)
def test_a_broken_table_is_refused_in_one_sentence_with_an_example(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"The price table prices\.yaml cannot be used: .* for example: models:"):
        read_prices(path)


def test_a_table_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="UTF-8"):
        read_prices(path)


def test_estimates_count_one_token_per_four_bytes_rounded_up() -> None:
    assert [estimated_tokens(text) for text in ("", "a", "abcd", "abcde", "日本")] == [0, 1, 1, 2, 2]


@pytest.mark.parametrize("text", ["[" * 20_000, f"models: {{a: {{prompt: {'9' * 6_000}}}}}", "models: &a {b: *a}"])
def test_a_table_nested_too_deeply_or_with_an_endless_number_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "prices.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="cannot be used") as caught:
        load_prices(tmp_path)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500
