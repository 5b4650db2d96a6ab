"""The keyboard of blind votes: A or ←, B or →, T or ↓ for a tie, X or 0 for both bad, U takes back.

The script is a constant: it presses the buttons of the page by the keys that Streamlit gives them, so no data is part
of it. Keys that are pressed while a vote is being saved are dropped: nobody votes on what they have not seen.
"""

from __future__ import annotations

from collections.abc import Mapping

from workbench.annotation import Pressed
from workbench.ui.parts import safe_html
from workbench.ui.parts.safe_html import Html, element, escaped

VOTE, UNDO = "vote_", "vote_undo"
"""How the keys of the buttons begin, and the key of Undo; the keyboard presses them."""
LABELS: Mapping[Pressed, str] = {"a": "A is better", "b": "B is better", "tie": "Tie", "both_bad": "Both bad"}

KEYBOARD = """(() => {
  if (window.wbVoteKeys) return;
  window.wbVoteKeys = true;
  const places = {a: 'vote_a', ArrowLeft: 'vote_a', b: 'vote_b', ArrowRight: 'vote_b', t: 'vote_tie',
    ArrowDown: 'vote_tie', x: 'vote_both_bad', '0': 'vote_both_bad', u: 'vote_undo'};
  const fields = 'input, textarea, select, [contenteditable="true"], [role="combobox"], [role="listbox"], '
    + '[role="dialog"], [role="radio"]';
  const state = () => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState;
  const pause = time => new Promise(done => setTimeout(done, time));
  let working = false;
  const press = async control => {
    working = true;
    const since = Date.now();
    control.click();
    while (state() === 'notRunning' && Date.now() - since < 200) await pause(15);
    while (state() !== 'notRunning' && Date.now() - since < 20000) await pause(15);
    await pause(80);
    working = false;
  };
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
    if (event.target.closest?.(fields)) return;
    const name = places[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const control = name && document.querySelector(`.st-key-${name} button:not(:disabled)`);
    if (!control) return;
    event.preventDefault();
    event.stopPropagation();
    if (!working) press(control);
  }, true);
})()"""


def listen() -> None:
    """Makes the keyboard work on this page."""
    safe_html.run_script(KEYBOARD)


def keys_line() -> Html:
    """The keys, as a line of small print."""
    words = (("A ←", "A is better"), ("B →", "B is better"), ("T ↓", "tie"), ("X 0", "both bad"), ("U", "undo"))
    pairs = [piece for key, what in words for piece in (element("b", escaped(key)), escaped(what))]
    return element("div", escaped("Keys"), *pairs, css="wb-row wb-muted")
