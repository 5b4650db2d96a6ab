"""Messages have one line: what was given, what is allowed and what to type."""

from __future__ import annotations

import pytest

from workbench.core.errors import (
    DataError,
    GenerationFailed,
    MissingError,
    TranslationFailed,
    UsageError,
    WorkbenchError,
    shorten,
    unknown_name,
)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (UsageError, 2),
        (DataError, 2),
        (MissingError, 1),
        (TranslationFailed, 1),
        (GenerationFailed, 1),
        (WorkbenchError, 1),
    ],
)
def test_wrong_input_exits_with_2_and_what_could_not_be_done_with_1(kind: type[WorkbenchError], code: int) -> None:
    assert kind("a sentence").exit_code == code


def test_a_long_input_is_cut_to_sixty_characters() -> None:
    assert shorten("x" * 61) == "x" * 59 + "…"
    assert shorten("x" * 60) == "x" * 60


def test_an_input_of_several_lines_is_joined_into_one() -> None:
    assert shorten("a\nb\t c\u2028d") == "a b c d"


def test_for_an_unknown_name_the_message_lists_the_allowed_ones() -> None:
    assert (
        str(unknown_name("scope", "mars", ["en", "all"])) == "Unknown scope “mars”. Allowed: all, en. For example: all"
    )


def test_a_hint_replaces_the_example() -> None:
    assert str(unknown_name("mode", "x", ["a"], "Type: a")) == "Unknown mode “x”. Allowed: a. Type: a"


def test_the_message_says_where_nothing_is_allowed() -> None:
    assert str(unknown_name("corpus", "x", [])) == "Unknown corpus “x”. Allowed: none yet."


def test_what_only_a_command_line_needs_is_left_out_on_screens() -> None:
    error = unknown_name("mode", "magic", ["trag"], command="For example: --mode trag")
    assert str(error) == "Unknown mode “magic”. Allowed: trag. For example: --mode trag"
    assert error.on_screen == "Unknown mode “magic”. Allowed: trag."


def test_a_message_without_a_command_is_the_same_everywhere() -> None:
    assert UsageError("The question is empty.").on_screen == "The question is empty."


def test_a_quoted_text_gives_a_terminal_no_orders() -> None:
    assert shorten("a\u202eb\u2066c\x1b[2J") == "a\\u202eb\\u2066c\\x1b[2J"
    assert shorten("näkkileipä 面包 ماء") == "näkkileipä 面包 ماء"


def test_of_many_names_the_first_are_listed_and_those_spelt_like_the_one_given() -> None:
    names = [f"name-{number:02}" for number in range(40)] + ["reranker"]
    message = str(unknown_name("field", "rerankr", names))
    assert "name-11 and 29 others; spelt like it: reranker." in message and "name-12" not in message
