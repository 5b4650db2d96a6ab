"""The keyboard of a tour: arrows, space and a presenter's remote turn it, F fills the screen, N shows the notes.

The script is a constant: it presses the buttons of the page by the keys that Streamlit gives them, so no data is part
of it. It works only while a tour is played, and never while somebody types.
"""

from __future__ import annotations

from workbench.ui.parts import safe_html
from workbench.ui.parts.safe_html import Html, element, escaped

NEXT, BACK, NOTES = "tour_next", "tour_back", "tour_notes"
"""The keys of the controls that the keyboard presses."""
FULL = "tour-full-screen"
"""The anchor of the button that fills the screen: only a click or a key may ask the browser for that."""

KEYBOARD = """(() => {
  if (window.wbTourKeys) return;
  window.wbTourKeys = true;
  const places = {ArrowRight: 'tour_next', ' ': 'tour_next', PageDown: 'tour_next', ArrowLeft: 'tour_back',
    PageUp: 'tour_back', n: 'tour_notes', N: 'tour_notes'};
  const fields = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="combobox"], '
    + '[role="dialog"]';
  const playing = () => document.querySelector('.st-key-tour_next');
  const state = () => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState;
  const pause = time => new Promise(done => setTimeout(done, time));
  const fill = () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => {});
  };
  const waiting = [];
  let working = false;
  const work = async () => {
    if (working) return;
    working = true;
    while (waiting.length) {
      const name = waiting.shift(), since = Date.now();
      const control = document.querySelector(`.st-key-${name} button:not(:disabled), .st-key-${name} input`);
      if (!control) continue;
      control.click();
      while (state() === 'notRunning' && Date.now() - since < 500) await pause(15);
      while (state() !== 'notRunning' && Date.now() - since < 20000) await pause(15);
      await pause(40);
    }
    working = false;
  };
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat || !playing()) return;
    const at = event.target;
    if (at.closest?.(fields)) return;
    const turning = at.closest?.('.st-key-tour_next, .st-key-tour_back');
    if (event.key === ' ' && at.closest?.('button, a, summary, input') && !turning) return;
    const isFull = event.key === 'f' || event.key === 'F';
    if (!isFull && !places[event.key]) return;
    event.preventDefault();
    if (isFull) { fill(); return }
    waiting.push(places[event.key]);
    work();
  }, true);
  document.addEventListener('keyup', event => {
    if (event.key === ' ' && event.target.closest?.('.st-key-tour_next, .st-key-tour_back')) event.preventDefault();
  }, true);
  document.addEventListener('click', event => {
    if (event.target.closest?.('#tour-full-screen')) fill();
  });
})()"""

FROM_THE_TOP = """setTimeout(() => {
  document.querySelector('[data-testid="stMain"]')?.scrollTo({top: 0});
}, 60)"""
"""A further part of a stop is shown from the top: the answer comes above its documents."""


def listen(number: int) -> None:
    """Makes the keyboard work on this page; `number` differs from place to place of the tour."""
    safe_html.run_script(KEYBOARD)
    safe_html.run_script(FROM_THE_TOP, number)


def full_screen_button() -> Html:
    """The button that fills the screen with the page."""
    return element("button", escaped("Full screen (F)"), css="wb-button", anchor=FULL)


def keys_line() -> Html:
    """The keys, as a line of small print."""
    words = (("→ space", "next"), ("←", "back"), ("F", "full screen"), ("N", "notes"))
    pairs = [piece for key, what in words for piece in (element("b", escaped(key)), escaped(what))]
    return element("div", escaped("Keys"), *pairs, css="wb-row wb-muted")
