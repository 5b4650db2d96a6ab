"""A field that is added to a recipe in one file is on every form, on the command line, in experiments and in spaces."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BEFORE = "    passage_order: Annotated["
TOY = """\
    toy_width: Annotated[int, About("augmenter", effect=SEARCHING)] = _later(
        7, "Toy width", "How wide the toy is.", ge=1, le=9
    )
"""


@pytest.mark.slow
def test_a_field_that_is_described_in_one_file_is_everywhere(tmp_path: Path) -> None:
    for name in ("workbench", "pages", "tests", ".streamlit"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "secrets.toml"))
    for name in ("app.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    path = tmp_path / "workbench" / "pipeline" / "recipe.py"
    source = path.read_text(encoding="utf-8")
    assert source.count(BEFORE) == 1
    path.write_text(source.replace(BEFORE, TOY + BEFORE), encoding="utf-8")
    probe = "tests/screens/toy_field_probe.py"
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", probe]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    assert "8 passed" in done.stdout
