"""YAML files: folders of data, and values that people write, read back or refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field

from workbench.core.errors import DataError, UsageError
from workbench.workspace import yaml_files
from workbench.workspace.yaml_files import YamlForm, read_block, read_mappings


class Oven(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    degrees: int = Field(default=200, ge=0)


class Order(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    bread: str = "rye"
    oven: Oven = Oven()


FORM = YamlForm(Order, noun="order", example="bread: rye", command="bake order.yaml", limit=60)


def test_a_value_is_read_back_as_it_was_written() -> None:
    order = FORM.make({"bread": "näkkileipä", "oven": {"degrees": 250}})
    assert FORM.read(FORM.write(order, ()), "mine.yaml") == order


def test_comments_come_first_and_are_not_part_of_the_value() -> None:
    text = FORM.write(Order(), ("One.", "Two."))
    assert text.startswith("# One.\n# Two.\nbread:")
    assert FORM.read(text, "mine.yaml") == Order()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bred: rye", "Unknown order key “bred”. Allowed: bread, oven."),
        ("oven: {degree: 3}", "Unknown order key “oven.degree”. Allowed: degrees."),
        ("oven: {degrees: -1}", "The order's oven.degrees is “-1”."),
        ("oven: hot", "The order's oven is “hot”."),
        ("- rye", "“mine.yaml” holds no order: expected lines such as “bread: rye”."),
        ("1: rye", "“mine.yaml” holds no order"),
        ("bread: rye\noven: [", "“mine.yaml” is not YAML at line 2: correct that line."),
        ("bread: rye\noven: 2024-99-99", "“mine.yaml” holds a value at line 2 that cannot be read: correct that line."),
        ("bread: &b rye\noven: *b", "“mine.yaml” uses YAML aliases (“*name”), which an order may not"),
        ("#" * 61, "“mine.yaml” has more than 60 characters, the most an order may have."),
    ],
)
def test_an_error_is_one_sentence(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        FORM.read(text, "mine.yaml")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_for_a_missing_file_the_message_has_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Type the path of an order, for example: bake order\.yaml"):
        FORM.read_file(tmp_path / "none.yaml")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "order.yaml").write_bytes("bread: näkki".encode("latin-1"))
    with pytest.raises(UsageError, match="save the order as UTF-8 YAML"):
        FORM.read_file(tmp_path / "order.yaml")


def test_a_remedy_follows_the_problem() -> None:
    form = YamlForm(
        Order, noun="order", example="bread: rye", command="bake order.yaml", limit=9, remedy="Ask the baker."
    )
    with pytest.raises(UsageError, match=r"more than 9 characters, the most an order may have\. Ask the baker\.$"):
        form.read("bread: wheat", "mine.yaml")


def test_files_are_read_in_order_of_name_and_others_are_ignored(tmp_path: Path) -> None:
    for name, text in (("b.yaml", "x: 1"), ("a.yaml", "y: ä"), ("notes.txt", "no YAML: [")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert list(read_mappings(tmp_path, "Recipe", "keys")) == [("a.yaml", {"y": "ä"}), ("b.yaml", {"x": 1})]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: [", "Recipe a.yaml: it is not YAML in UTF-8: "),
        (b"a: \xff", "Recipe a.yaml: it is not YAML in UTF-8: "),
        (b"a: 2024-99-99", "Recipe a.yaml: it is not YAML in UTF-8: "),
        (b"- a", "Recipe a.yaml: it must hold models by name."),
        (b"", "Recipe a.yaml: it must hold models by name."),
    ],
)
def test_a_damaged_file_is_named_in_one_sentence(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "a.yaml").write_bytes(data)
    with pytest.raises(DataError) as caught:
        list(read_mappings(tmp_path, "Recipe", "models by name"))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["[" * 60_000, "{a: " * 15_000, "- " * 30_000])
def test_a_text_nested_without_end_is_refused_before_it_is_read_whole(text: str) -> None:
    # Read whole, these take minutes: the time grows with the square of the depth.
    form = YamlForm(Order, noun="order", example="bread: rye", command="bake order.yaml", limit=64_000)
    with pytest.raises(UsageError, match="cannot be read"):
        form.read(text, "deep.yaml")


PARSER_FAILURES = {
    "a timestamp without a date's form": "!!timestamp 1-1-1",
    "a sexagesimal number of thousands of parts": "1" + ":1" * 3_000,
    "a hexadecimal number beyond a float": "0x" + "f" * 300,
    "a number of more digits than Python reads": "9" * 6_000,
    "a truth value that is not one": "!!bool x",
    "an integer without digits": '!!int ""',
    "a character beyond Unicode": '"\\U99999999"',
    "a day that does not exist": "2024-99-99",
    "lists within each other without end": "[" * 3_000,
}


@pytest.mark.parametrize("value", PARSER_FAILURES.values(), ids=PARSER_FAILURES)
def test_a_value_on_which_the_parser_itself_fails_is_refused_by_the_files_name(tmp_path: Path, value: str) -> None:
    form = YamlForm(Order, noun="order", example="bread: rye", command="bake order.yaml", limit=9_000)
    file = tmp_path / "mine.yaml"
    file.write_text(f"bread: {value}", encoding="utf-8")
    for read, refusal in (
        (lambda: form.read_file(file), UsageError),
        (lambda: list(read_mappings(tmp_path, "Recipe", "keys")), DataError),
        (lambda: read_block(file), DataError),
    ):
        with pytest.raises(refusal, match=r"mine\.yaml") as caught:
            read()
        assert "\n" not in str(caught.value)
    with pytest.raises((yaml.YAMLError, ValueError)):
        yaml_files.load(file)


def test_a_file_that_is_longer_than_any_that_a_person_writes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_files, "FILE_LIMIT", 9)
    (tmp_path / "a.yaml").write_text("bread: wheat", encoding="utf-8")
    with pytest.raises(ValueError, match="it has more than 9 characters"):
        yaml_files.load(tmp_path / "a.yaml")
