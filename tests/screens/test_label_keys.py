"""The keyboard's script: constant, harmless, and in step with the controls that it presses."""

from __future__ import annotations

import re

from workbench.ui.annotate import label_keys
from workbench.ui.annotate.label_keys import BACK, COMPLETE, FORWARD, GUIDELINE, KEYBOARD, LABEL, UNDO


def test_the_script_presses_the_controls_by_their_keys() -> None:
    names = set(re.findall(r"'(inspect_[a-z_]+)'", KEYBOARD))
    assert names == {BACK, COMPLETE, FORWARD, GUIDELINE, LABEL, UNDO}


def test_the_script_writes_no_markup() -> None:
    assert "</" not in KEYBOARD
    assert "innerHTML" not in KEYBOARD


def test_every_key_is_explained() -> None:
    line = str(label_keys.keys_line())
    assert all(f"<b>{key}</b>" in line for key in ("1–9", "← →", "↑ ↓", "Enter", "U", "?", "M", "Esc"))
