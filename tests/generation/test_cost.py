"""Token estimates and costs by a table that users edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import DataError
from workbench.generation.cost import PriceTable, Total, editable_prices, estimated_tokens, prices, read_prices, total
from workbench.records import Usage

TABLE = PriceTable.model_validate({"currency": "EUR", "models": {"m": {"prompt": 2, "completion": 6}}})


def test_a_cost_is_tokens_times_price_per_million() -> None:
    # 500,000 read at 2 a million and 250,000 written at 6 a million.
    assert TABLE.cost("m", Usage(500_000, 250_000, False)) == pytest.approx(1.0 + 1.5)


def test_a_model_without_a_price_has_no_cost() -> None:
    assert TABLE.cost("n", Usage(1, 1, False)) is None


def test_a_total_is_marked_estimated_when_one_part_is() -> None:
    usages = [Usage(500_000, 0, False), Usage(0, 500_000, True)]
    assert total("m", usages, TABLE) == Total(500_000, 500_000, True, pytest.approx(4.0))


def test_a_total_without_a_price_has_tokens_and_no_cost() -> None:
    assert total("n", [Usage(3, 4, False)], TABLE) == Total(3, 4, False, None)


def test_the_table_that_ships_holds_no_prices(tmp_path: Path) -> None:
    assert prices(tmp_path) == PriceTable()
    assert read_prices(editable_prices(tmp_path)) == PriceTable()


def test_the_example_in_the_table_that_ships_works_once_uncommented(tmp_path: Path) -> None:
    path = editable_prices(tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line.removeprefix("# ") for line in lines[4:]), encoding="utf-8")
    table = prices(tmp_path)
    assert table.currency == "USD"
    assert table.models["my-model"].completion == 1.5


def test_editing_keeps_what_a_user_wrote(tmp_path: Path) -> None:
    editable_prices(tmp_path).write_text("models: {m: {prompt: 1, completion: 1}}", encoding="utf-8")
    assert "m" in read_prices(editable_prices(tmp_path)).models


@pytest.mark.parametrize(
    "text",
    [
        "models: {m: {prompt: -1, completion: 1}}",
        "models: {m: {prompt: .nan, completion: 1}}",
        "models: {m: {prompt: 1}}",
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


def test_a_table_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="UTF-8"):
        read_prices(path)


def test_estimates_count_a_token_for_four_bytes_begun() -> None:
    assert [estimated_tokens(text) for text in ("", "a", "abcd", "abcde", "日本")] == [0, 1, 1, 2, 2]
