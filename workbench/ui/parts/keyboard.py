"""What the keyboards of Annotate, of blind votes and of tours share: a queue of presses, one answer of the server each.

A control is known by the class that Streamlit makes of its key. `st.button(shortcut=…)` would not do: it takes one key
for a button, not “?”, and presses at once. Somebody who labels faster than the server draws would then give the next
answer's label to the one before. Here a press waits until the page is drawn again after the press before it.

The scripts are constants: no data is part of them.
"""

from __future__ import annotations

import time
from pathlib import Path

from workbench.ui.parts import safe_html
from workbench.ui.parts.safe_html import Html, element, escaped

QUEUE = Path(__file__).with_name("keyboard.js").read_text("utf-8")
"""`expect` names controls whose click the server answers; `press` presses one by its key; `draw` says that it did.

`isOther` is a key that is none of ours, with a modifier or repeated.
"""


def listen(script: str) -> None:
    """Makes a keyboard's script work on this page, which is drawn down to here."""
    safe_html.run_script(QUEUE + script)
    safe_html.run_script("window.wbKeys?.draw()", time.time_ns())


def keys_line(*keys: tuple[str, str]) -> Html:
    """Keys and what they do, as a line of small print."""
    pairs = [each for key, what in keys for each in (element("b", escaped(key)), escaped(what))]
    return element("div", escaped("Keys"), *pairs, css="wb-row wb-muted wb-keys")
