"""The keyboard of a tour: arrows, space and a presenter's remote turn it, F fills the screen, N shows the notes.

It works only while a tour is played, and never while somebody types.
"""

from __future__ import annotations

from workbench.ui.parts import keyboard, safe_html
from workbench.ui.parts.safe_html import Html, element, escaped

NEXT, BACK, NOTES = "tour_next", "tour_back", "tour_notes"
"""The keys of the controls that the keyboard presses."""
FULL = "tour-full-screen"
"""The anchor of the button that fills the screen: only a click or a key may ask the browser for that."""

KEYBOARD = """(() => {
  if (window.wbTourKeys) return;
  window.wbTourKeys = true;
  const names = {ArrowRight: 'tour_next', ' ': 'tour_next', PageDown: 'tour_next', ArrowLeft: 'tour_back',
    PageUp: 'tour_back', n: 'tour_notes', N: 'tour_notes'};
  const fields = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="combobox"], '
    + '[role="dialog"]';
  const turns = '.st-key-tour_next, .st-key-tour_back';
  wbKeys.expect('.st-key-tour_next button, .st-key-tour_back button, .st-key-tour_notes input');
  const fill = () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => {});
  };
  document.addEventListener('keydown', event => {
    const at = event.target, isFull = event.key === 'f' || event.key === 'F';
    if (wbKeys.isOther(event) || !document.querySelector('.st-key-tour_next') || at.closest?.(fields)) return;
    if (event.key === ' ' && at.closest?.('button, a, summary, input') && !at.closest(turns)) return;
    if (!isFull && !names[event.key]) return;
    event.preventDefault();
    if (isFull) fill();
    else wbKeys.press(names[event.key]);
  }, true);
  document.addEventListener('keyup', event => {
    if (event.key === ' ' && event.target.closest?.(turns)) event.preventDefault();
  }, true);
  document.addEventListener('click', event => {
    if (event.target.closest?.('#tour-full-screen')) fill();
  });
})()"""

FROM_THE_TOP = "setTimeout(() => document.querySelector('.stMain')?.scrollTo({top: 0}), 60)"
"""A further part of a stop is shown from the top: the answer comes above its documents."""


def listen(number: int) -> None:
    """Makes the keyboard work on this page; `number` differs from place to place of the tour."""
    keyboard.listen(KEYBOARD)
    safe_html.run_script(FROM_THE_TOP, number)


def full_screen_button() -> Html:
    """The button that fills the screen with the page."""
    return element("button", escaped("Full screen (F)"), css="wb-button", anchor=FULL)


def keys_line() -> Html:
    """The keys, as a line of small print."""
    return keyboard.keys_line(("→ space", "next"), ("←", "back"), ("F", "full screen"), ("N", "notes"))
