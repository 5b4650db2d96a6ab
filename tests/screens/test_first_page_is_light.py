"""The app's first page, and what it opens in the background, import no model library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"torch", "transformers", "FlagEmbedding", "pymilvus", "sentence_transformers"}
SCRIPT = """
import threading
from streamlit.testing.v1 import AppTest

app = AppTest.from_file("app.py", default_timeout=60).run()
assert app.title[0].value == "mRAG workbench", app.exception
for thread in threading.enumerate():
    if thread.name == "warm up":
        thread.join(60)
app.switch_page("pages/ask.py").run()
app.switch_page("pages/settings.py").run()
assert app.title[0].value == "Settings", app.exception
"""


@pytest.mark.slow
def test_home_ask_and_settings_import_no_model_library(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", SCRIPT],
        cwd=ROOT,
        env={**os.environ, "WORKBENCH_HOME": str(home), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}
    assert {"workbench", "streamlit"} <= imported
    assert not imported & HEAVY
