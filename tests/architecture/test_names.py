"""Participles are not names, and no class is called as another (docs/style.md)."""

from __future__ import annotations

import ast
import re
from collections import Counter

import pytest

from tests.architecture.sources import identifiers, modules, place, tree

PARTICIPLES = frozenset({"found", "chosen", "made", "asked", "told", "said", "held", "own"})
CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def words(name: str) -> set[str]:
    return set(CAPITAL.sub("_", name).casefold().split("_"))


@pytest.mark.parametrize("folder", ["workbench", "pages", "tests", "benchmarks"])
def test_no_identifier_holds_a_participle(folder: str) -> None:
    # A test's name is a sentence, in which these are verbs.
    offenders = [
        f"{place(path)}:{line} {name}"
        for path in modules(folder)
        for line, name in identifiers(path)
        if words(name) & PARTICIPLES and not name.startswith("test_")
    ]
    assert not offenders, f"{len(offenders)} identifiers:\n" + "\n".join(offenders)


def test_no_public_class_name_stands_twice() -> None:
    names = Counter(
        node.name
        for path in modules("workbench")
        for node in tree(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []
