"""The catalogue of verbs and the code agree: each is a function that checks it, and no other name is asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import modules, place, tree
from workbench.server.access_gate import OPEN
from workbench.server.service import RecipeService
from workbench.workspace.permissions import VERBS, Role

NOT_CHECKED_BY_A_FUNCTION = {"screens.look": "the frame of every screen, and the routes of the service"}
"""Verbs without a domain function of their own."""


def names_of_verbs(paths: tuple[Path, ...], decorated: bool = False) -> Iterator[tuple[str, str]]:
    """Where a verb is named as the argument of what decorates, checks or asks; `decorated`: of what decorates alone."""
    for path in paths:
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            words = ast.unparse(node.func)
            if words == "verb" or (
                not decorated and (words in ("check", "permits", "verb_named") or words.startswith("permitted."))
            ):
                yield place(path), str(node.args[0].value)


def test_every_verb_but_looking_is_a_function() -> None:
    decorated = {name for _, name in names_of_verbs(modules("workbench"), decorated=True)}
    assert {item.name for item in VERBS} - decorated - set(NOT_CHECKED_BY_A_FUNCTION) == set()


def test_every_verb_of_the_catalogue_is_checked_somewhere() -> None:
    assert {item.name for item in VERBS} - {name for _, name in names_of_verbs(modules("workbench"))} == set()


def test_every_verb_that_is_named_is_in_the_catalogue() -> None:
    names = {item.name for item in VERBS}
    paths = (*modules("workbench"), *modules("pages"))
    assert [(at, name) for at, name in names_of_verbs(paths) if name not in names] == []


def test_every_route_names_a_verb_that_a_reader_may_or_is_open() -> None:
    readers = {item.name for item in VERBS if item.role is Role.READER}
    service = object.__new__(RecipeService)
    verbs = {path: route.verb for path, route in service.routes.items()}
    assert {path for path, name in verbs.items() if name == OPEN} == {"/health", "/docs", "/openapi.json"}
    assert {name for name in verbs.values() if name != OPEN} <= readers
