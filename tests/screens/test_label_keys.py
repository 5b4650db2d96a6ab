"""The keyboard's script: constant, harmless, and in step with the controls that it presses."""

from __future__ import annotations

import re

from workbench.annotation.error_taxonomy import shipped_taxonomies
from workbench.ui.annotate import label_keys
from workbench.ui.annotate.label_keys import BACK, COMPLETE, FORWARD, GUIDELINE, KEYBOARD, KEYS, LABEL, UNDO


def test_the_script_presses_the_controls_by_their_keys() -> None:
    names = set(re.findall(r"'(inspect_[a-z_]+)'", KEYBOARD))
    assert names == {BACK, COMPLETE, FORWARD, GUIDELINE, LABEL, UNDO}


def test_the_script_writes_no_markup() -> None:
    assert "</" not in KEYBOARD
    assert "innerHTML" not in KEYBOARD


def test_every_label_of_every_shipped_taxonomy_has_a_key_of_its_own_that_nothing_else_has() -> None:
    assert f"labels = '{KEYS}'" in KEYBOARD
    assert len(set(KEYS)) == len(KEYS) > max(len(kind.labels) for kind in shipped_taxonomies())
    # U undoes and M marks; C and R are Streamlit's.
    assert not set(KEYS) & set("UMCR")


def test_every_key_is_explained() -> None:
    for labels, keys in ((3, "1–3"), (10, "1–9, 0"), (14, "1–9, 0, A–E")):
        line = str(label_keys.keys_line(labels))
        assert all(f"<b>{key}</b>" in line for key in (keys, "← →", "↑ ↓", "Enter", "U", "?", "M", "Esc"))
