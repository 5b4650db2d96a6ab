"""Scopes are exact."""

from __future__ import annotations

import pytest

from workbench.core.errors import UsageError
from workbench.pipeline.choices import EXPLAINED, SCOPES, ScopeName, languages_in, scope

CORPUS = ("en", "fi", "th")


@pytest.mark.parametrize(
    ("name", "ul", "expected"),
    [
        ("en", "fi", ("en",)),
        ("ul", "fi", ("fi",)),
        ("ul", "en", ("en",)),
        ("en+ul", "th", ("en", "th")),
        ("en+ul", "en", ("en",)),
        ("en+ul", "de", ("en",)),
        ("all", "fi", CORPUS),
        ("all", "de", CORPUS),
    ],
)
def test_a_scope_is_these_languages(name: ScopeName, ul: str, expected: tuple[str, ...]) -> None:
    assert languages_in(name, ul, CORPUS) == expected


def test_a_scope_that_holds_nothing_is_refused() -> None:
    with pytest.raises(
        UsageError, match=r"no passages in German, so scope “ul” holds nothing. Its languages: en, fi, th"
    ):
        languages_in("ul", "de", CORPUS)
    with pytest.raises(UsageError, match="no passages in English or Finnish"):
        languages_in("en+ul", "fi", ("th",))
    with pytest.raises(UsageError, match="Its languages: none"):
        languages_in("all", "fi", ())


@pytest.mark.parametrize("name", ["EN", "Ul", "EN+UL", "ALL"])
def test_capitals_do_not_matter(name: str) -> None:
    assert scope(name) == name.lower()


@pytest.mark.parametrize("name", ["", "ul+en", "mars", "en+", " all"])
def test_an_unknown_scope_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(UsageError, match=r"Allowed: all, en, en\+ul, ul"):
        scope(name)


def test_every_scope_is_explained() -> None:
    assert set(EXPLAINED) == set(SCOPES)
