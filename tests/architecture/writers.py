"""Which functions below the screens write files or rows, as their syntax shows it, and which of them are verbs.

A function writes if it calls something that does: SQLAlchemy's insert, update and delete, methods that change files,
the start of a process, or a function of ours that writes and is named plainly (its own module's, an imported one, a
method of its own class). What it calls on other objects is not followed, and need not be: that method is itself on the
list.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.architecture.sources import ROOT, modules, place, tree

SQL = frozenset({"insert", "update", "delete"})
FILE_METHODS = frozenset(
    {
        *("write_text", "write_bytes", "unlink", "rmtree", "mkdir", "touch", "rename", "symlink_to", "hardlink_to"),
        *("rmdir", "copytree", "copyfile", "move", "kill"),
    }
)
ABOVE = (
    "workbench/ui/",
    "workbench/cli/",
    "workbench/cli/command_line.py",
    "workbench/server/",
    "workbench/workspace/actions/",
)
"""What only calls verbs, and the room that checks them."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef
Key = tuple[str, str]
"""A module and the name in it: `function` or `Class.method`."""


@dataclass(frozen=True)
class Defined:
    """A function below the screens: where it is, and the verb that it is, "" for none."""

    module: str
    class_name: str
    node: Definition
    imports: Mapping[str, tuple[str, str]]

    @property
    def key(self) -> Key:
        return self.module, f"{self.class_name}.{self.node.name}" if self.class_name else self.node.name

    @property
    def is_public(self) -> bool:
        return not any(part.startswith("_") for part in self.key[1].split("."))

    @property
    def verb(self) -> str:
        for item in self.node.decorator_list:
            if isinstance(item, ast.Call) and isinstance(item.func, ast.Name) and item.func.id == "verb":
                name = item.args[0]
                return str(name.value) if isinstance(name, ast.Constant) else ""
        return ""

    @property
    def writes_itself(self) -> bool:
        return any(self._is_write(call) for call in ast.walk(self.node) if isinstance(call, ast.Call))

    def _is_write(self, call: ast.Call) -> bool:
        target = call.func
        if isinstance(target, ast.Name):
            return target.id in SQL and self.imports.get(target.id, ("", ""))[0].startswith("sqlalchemy")
        if not isinstance(target, ast.Attribute):
            return False
        starts = target.attr == "start" and isinstance(target.value, ast.Name) and target.value.id == "detached"
        return starts or target.attr in FILE_METHODS

    def calls(self) -> Iterator[Key]:
        """What it names plainly."""
        for node in ast.walk(self.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield self.imports.get(node.id, (self.module, node.id))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id in ("self", "cls"):
                    yield self.module, f"{self.class_name}.{node.attr}"
                elif node.value.id in self.imports:
                    yield ".".join(filter(None, self.imports[node.value.id])), node.attr


@cache
def functions() -> Mapping[Key, Defined]:
    """Every function below the screens."""
    below = [path for path in modules("workbench") if not place(path).startswith(ABOVE)]
    return {item.key: item for path in below for item in _of(path)}


@cache
def _links() -> Mapping[Key, frozenset[Key]]:
    """What each function names of ours."""
    everything = functions()
    return {key: frozenset(item.calls()) & everything.keys() for key, item in everything.items()}


@cache
def _direct() -> frozenset[Key]:
    """The functions that write themselves."""
    return frozenset(key for key, item in functions().items() if item.writes_itself)


@cache
def writers(inner: frozenset[Key]) -> frozenset[Key]:
    """The functions that write without being verbs, those that are `inner` and what writes by them alone left out."""
    silent = {key for key, item in functions().items() if item.verb} | inner
    writing = set(_direct()) - silent
    while more := {key for key, links in _links().items() if key not in writing | silent and links & writing}:
        writing |= more
    return frozenset(writing)


def writes(key: Key, inner: frozenset[Key]) -> bool:
    """Whether a function, itself perhaps `inner`, writes itself or by others that are not."""
    return key in _direct() or bool((_links()[key] - {key}) & writers(inner))


@cache
def names_above() -> frozenset[str]:
    """Every name and attribute that screens, pages, commands and the service use."""
    paths = [path for path in modules("workbench") if place(path).startswith(ABOVE[:-1])] + [*modules("pages")]
    names = set()
    for path in (*paths, ROOT / "app.py"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Attribute):
                names.add(node.attr)
            elif isinstance(node, ast.alias):
                names.add(node.name.rpartition(".")[2])
    return frozenset(names)


def _of(path: Path) -> Iterator[Defined]:
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    imports: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            imports |= {item.asname or item.name: (node.module, item.name) for item in node.names}
        elif isinstance(node, ast.Import):
            imports |= {item.asname or item.name.partition(".")[0]: (item.name, "") for item in node.names}
    for node in tree(path).body:
        if isinstance(node, Definition):
            yield Defined(module, "", node, imports)
        elif isinstance(node, ast.ClassDef):
            yield from (Defined(module, node.name, item, imports) for item in node.body if isinstance(item, Definition))
