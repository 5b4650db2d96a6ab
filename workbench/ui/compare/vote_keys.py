"""The keyboard of blind votes: A or ←, B or →, T or ↓ for a tie, X or 0 for both bad, U takes back.

Keys that are pressed while a vote is being saved are dropped: nobody votes on what they have not seen.
"""

from __future__ import annotations

from collections.abc import Mapping

from workbench.annotation import Pressed
from workbench.ui.parts import keyboard
from workbench.ui.parts.safe_html import Html

VOTE, UNDO = "vote_", "vote_undo"
"""How the keys of the buttons begin, and the key of Undo; the keyboard presses them."""
LABELS: Mapping[Pressed, str] = {"a": "A is better", "b": "B is better", "tie": "Tie", "both_bad": "Both bad"}

KEYBOARD = """(() => {
  if (window.wbVoteKeys) return;
  window.wbVoteKeys = true;
  const names = {a: 'vote_a', ArrowLeft: 'vote_a', b: 'vote_b', ArrowRight: 'vote_b', t: 'vote_tie',
    ArrowDown: 'vote_tie', x: 'vote_both_bad', '0': 'vote_both_bad', u: 'vote_undo'};
  const fields = 'input, textarea, select, [contenteditable="true"], [role="combobox"], [role="listbox"], '
    + '[role="dialog"], [role="radio"]';
  wbKeys.expect('.st-key-vote_buttons button, .st-key-vote_undo button');
  document.addEventListener('keydown', event => {
    if (wbKeys.isOther(event) || event.target.closest?.(fields)) return;
    const name = names[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!name || !wbKeys.control(name)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!wbKeys.isBusy()) wbKeys.press(name);
  }, true);
})()"""


def listen() -> None:
    """Makes the keyboard work on this page."""
    keyboard.listen(KEYBOARD)


def keys_line() -> Html:
    """The keys, as a line of small print."""
    return keyboard.keys_line(
        ("A ←", "A is better"), ("B →", "B is better"), ("T ↓", "tie"), ("X 0", "both bad"), ("U", "undo")
    )
