"""The README and the pages under docs/: their links lead somewhere, their commands exist, their figures agree."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup
from typer.main import get_command

from tests.architecture.sources import ROOT
from workbench.annotation import shipped_taxonomies
from workbench.cli.command_line import app

PAGES = (ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
COMMAND = re.compile(r"^(?:mrag|python -m workbench) (.+?)(?: #.*)?$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        if not link.startswith("http"):
            goal = page.parent / path if path else page
            assert goal.exists(), link
            assert not anchor or anchor in anchors(goal), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_its_options_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in COMMAND.findall(text):
        command, words = get_command(app), shlex.split(line)
        while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
            _, inner, words = command.resolve_command(typer.Context(command), words)
            assert inner is not None, line
            command = inner
        parameters = command.get_params(typer.Context(command))
        known = {name for item in parameters for name in (*item.opts, *item.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_the_readme_has_at_most_eight_figures_and_the_page_of_figures_has_their_scripts() -> None:
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## How good it is")[2].partition("\n## ")[0]
    figures = [row.split("|") for row in section.splitlines() if row.startswith("|")][2:]
    page = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    assert 0 < len(figures) <= 8
    for _, what, figure, script, _ in figures:
        (row,) = (
            line for line in page.splitlines() if script in line and figure.split(";")[0].split(",")[0].strip() in line
        )
        assert (ROOT / script.strip(" `").replace(".", "/")).is_dir(), row or what


def test_the_page_for_annotators_has_an_example_of_every_label() -> None:
    text = (ROOT / "docs" / "annotation.md").read_text(encoding="utf-8")
    for taxonomy in shipped_taxonomies():
        section = text.partition(f"### {taxonomy.title}\n")[2].partition("\n##")[0]
        assert [label.name for label in taxonomy.labels] == re.findall(r"^\| ([^|]+?) \|", section, re.MULTILINE)[2:]
