"""The keyboard of Annotate: digits label, arrows turn, Enter completes, U takes back, ? shows the guideline.

The script is a constant: it presses the buttons of the page by the keys that Streamlit gives them, so no data is part
of it. Keys that are pressed while an earlier one is still being saved wait for their turn and none is lost. It is off
while somebody types in a field, and on any page without the labels.
"""

from __future__ import annotations

from workbench.ui.shared import safe_html
from workbench.ui.shared.safe_html import Html, element, escaped

LABEL, BACK, FORWARD = "inspect_label_", "inspect_back", "inspect_forward"
COMPLETE, UNDO, GUIDELINE = "inspect_complete", "inspect_undo", "inspect_guideline"
ITEM = "inspect_item"
"""The keys of the controls that the keyboard presses, and of the item; a label's ends in its number, from 1."""
NUMBERED = 9
"""Labels that have a digit."""

KEYBOARD = """(() => {
  if (window.wbLabelKeys) return;
  window.wbLabelKeys = true;
  const places = {ArrowLeft: 'inspect_back', ArrowRight: 'inspect_forward', Enter: 'inspect_complete',
    u: 'inspect_undo', U: 'inspect_undo', '?': 'inspect_guideline'};
  const target = key => {
    const name = /^[1-9]$/.test(key) ? 'inspect_label_' + key : places[key];
    if (!name || !document.querySelector('.st-key-inspect_complete')) return null;
    return document.querySelector(`.st-key-${name} button:not(:disabled), .st-key-${name} summary`);
  };
  const state = () => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState;
  const pause = time => new Promise(done => setTimeout(done, time));
  const fields = 'input, textarea, select, [contenteditable="true"], [role="combobox"], [role="listbox"], '
    + '[role="dialog"], [role="slider"]';
  const waiting = [];
  let working = false;
  const work = async () => {
    if (working) return;
    working = true;
    while (waiting.length) {
      const key = waiting.shift(), since = Date.now();
      const control = target(key);
      control?.click();
      if (key === '?') setTimeout(() => control?.scrollIntoView({block: 'center'}), 300);
      while (state() === 'notRunning' && key !== '?' && Date.now() - since < 500) await pause(15);
      while (state() !== 'notRunning' && Date.now() - since < 20000) await pause(15);
      await pause(40);
    }
    working = false;
  };
  document.addEventListener('keydown', event => {
    const at = event.target, label = at.closest?.('[class*="st-key-inspect_label_"]');
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
    if (at.closest?.(fields)) return;
    if (event.key === 'Enter' && at.closest?.('button, a, summary, [role="radio"]') && !label) return;
    if (!target(event.key)) return;
    event.preventDefault();
    waiting.push(event.key);
    work();
  }, true);
})()"""


LOOK_AT_ITEM = """setTimeout(() => {
  const item = document.querySelector('.st-key-inspect_item');
  if (item && item.getBoundingClientRect().top < 40) item.scrollIntoView({block: 'start'});
}, 150)"""
"""Shows a new item from its beginning where the page was scrolled down, as on a phone."""


def listen(number: int) -> None:
    """Makes the keyboard work on this page; `number` differs from item to item."""
    safe_html.run_script(KEYBOARD)
    safe_html.run_script(LOOK_AT_ITEM, number)


def keys_line() -> Html:
    """The keys, as a line of small print."""
    words = (
        ("1–9", "label"), ("← →", "previous, next"), ("Enter", "complete and next"), ("U", "undo"), ("?", "guideline"),
    )  # fmt: skip
    pairs = [piece for key, what in words for piece in (element("b", escaped(key)), escaped(what))]
    return element("div", escaped("Keys"), *pairs, css="wb-row wb-muted")
