"""Frozen values written as YAML by people: read back as they were, refused in one sentence where they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field

from workbench.errors import UsageError
from workbench.storage.yaml_files import YamlForm


class Oven(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    degrees: int = Field(default=200, ge=0)


class Order(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    bread: str = "rye"
    oven: Oven = Oven()


FORM = YamlForm(Order, noun="order", example="bread: rye", typed="bake order.yaml", limit=60)


def test_what_was_written_is_read_back() -> None:
    order = FORM.make({"bread": "näkkileipä", "oven": {"degrees": 250}})
    assert FORM.read(FORM.write(order, ()), "mine.yaml") == order


def test_comments_stand_above_and_are_no_part_of_the_value() -> None:
    text = FORM.write(Order(), ("One.", "Two."))
    assert text.startswith("# One.\n# Two.\nbread:")
    assert FORM.read(text, "mine.yaml") == Order()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bred: rye", "Unknown order key “bred”. Allowed: bread, oven."),
        ("oven: {degree: 3}", "Unknown order key “oven.degree”. Allowed: degrees."),
        ("oven: {degrees: -1}", "The order's oven.degrees is “-1”."),
        ("oven: hot", "The order's oven is “hot”."),
        ("- rye", "“mine.yaml” holds no order: expected lines such as “bread: rye”."),
        ("1: rye", "“mine.yaml” holds no order"),
        ("bread: rye\noven: [", "“mine.yaml” is not YAML at line 2: mend that line."),
        ("bread: 2024-99-99", "“mine.yaml” holds a value that cannot be read."),
        ("bread: &b rye\noven: *b", "“mine.yaml” uses YAML aliases (“*name”), which an order may not"),
        ("#" * 61, "“mine.yaml” has 61 characters; an order has at most 60."),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        FORM.read(text, "mine.yaml")
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_said_with_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Type the path of an order, for example: bake order\.yaml"):
        FORM.read_file(tmp_path / "none.yaml")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "order.yaml").write_bytes("bread: näkki".encode("latin-1"))
    with pytest.raises(UsageError, match="save the order as UTF-8 YAML"):
        FORM.read_file(tmp_path / "order.yaml")


def test_a_remedy_follows_what_is_wrong() -> None:
    form = YamlForm(
        Order, noun="order", example="bread: rye", typed="bake order.yaml", limit=9, remedy="Ask the baker."
    )
    with pytest.raises(UsageError, match=r"at most 9\. Ask the baker\.$"):
        form.read("bread: wheat", "mine.yaml")
