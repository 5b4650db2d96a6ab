"""The folder list shows the architecture: packages with doors, and nothing that passes them by."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, modules, place, tree

PACKAGES = tuple(sorted(path.parent.name for path in (ROOT / "workbench").glob("*/__init__.py")))
WITH_DOORS = tuple(name for name in PACKAGES if name != "ui")
"""Every package but the screens, which nobody imports but the pages."""


def home(path: Path) -> str:
    """The package that a file belongs to; the pages belong to the screens."""
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == "workbench" and len(parts) > 2 else "ui"


def public(package: str) -> dict[str, str]:
    """The names that a package's door lists, with the modules that define them; "" for a module itself."""
    stub = ast.parse((ROOT / "workbench" / package / "__init__.pyi").read_text(encoding="utf-8"))
    return {
        alias.name: node.module or "" for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }


@cache
def imports_of_ours() -> tuple[tuple[Path, ast.ImportFrom], ...]:
    """Every import of the project's own modules by the product."""
    return tuple(
        (path, node)
        for path in (*modules("workbench"), *modules("pages"), ROOT / "app.py")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("workbench.")
    )


def test_there_are_few_packages() -> None:
    assert len(PACKAGES) <= 18


def test_a_package_is_entered_by_its_door() -> None:
    beside = [
        f"{place(path)}:{node.lineno} {node.module}"
        for path, node in imports_of_ours()
        if (parts := str(node.module).split("."))[1] != home(path) and len(parts) > 2
    ]
    assert beside == []


def test_every_public_name_is_used_by_another_package() -> None:
    used = {(str(node.module).split(".")[1], alias.name) for _, node in imports_of_ours() for alias in node.names}
    faces = {("app", "Workbench"), ("pipeline", "Recipe"), ("cli", "main")}
    assert [(name, item) for name in WITH_DOORS for item in public(name) if (name, item) not in used | faces] == []


@pytest.mark.parametrize("name", WITH_DOORS)
def test_a_public_name_is_what_its_module_defines(name: str) -> None:
    package = import_module(f"workbench.{name}")
    for public_name, module in public(name).items():
        owner = import_module(f"workbench.{name}{'.' * bool(module)}{module}")
        assert getattr(package, public_name) is (
            getattr(owner, public_name) if module else import_module(f"workbench.{name}.{public_name}")
        )


def test_every_package_says_what_it_is() -> None:
    packages = [path for path in modules("workbench") if path.name == "__init__.py"]
    assert [place(path) for path in packages if not path.read_text(encoding="utf-8").startswith('"""')] == []


def test_the_page_on_architecture_names_every_package() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert [name for name in PACKAGES if f"{name}/" not in page] == []


def test_no_page_holds_a_bare_text() -> None:
    """Streamlit would draw it, docstrings of constants included."""
    bare = [
        f"{place(path)}:{node.lineno}"
        for path in (*modules("pages"), ROOT / "app.py")
        for node in tree(path).body[1:]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    assert bare == []
