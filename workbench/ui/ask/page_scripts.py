"""The scripts of the Ask screen: it reads a new answer out, copies a link, and closes the presentation with Esc.

They are constants: what they need from a page they read there, so that no data is ever part of a script.
"""

from __future__ import annotations

from workbench.ui.parts import safe_html
from workbench.ui.parts.safe_html import COPY, copy_button, element, escaped

ANSWER = "answer"
"""The anchor of the answer."""

ANNOUNCE = """
  let live = document.getElementById('wb-live');
  if (!live) {
    live = document.createElement('div');
    live.id = 'wb-live';
    live.className = 'wb-unseen';
    live.setAttribute('aria-live', 'polite');
    document.body.append(live);
  }
  const answers = document.querySelectorAll('.stMain .wb-said, .stMain .wb-none');
  live.textContent = [...answers].map(one => one.innerText).join(' / ');
"""
# The answer may be drawn a moment after the script.
HEAR_ANSWER = f"setTimeout(() => {{{ANNOUNCE}}}, 250)"
"""A screen reader hears the answer."""

CLOSE_WITH_ESC = """(() => {
  if (window.wbEsc) document.removeEventListener('keydown', window.wbEsc);
  window.wbEsc = event => {
    if (event.key !== 'Escape') return;
    const close = document.querySelector('.st-key-close_presentation a');
    if (close) close.click();
  };
  document.addEventListener('keydown', window.wbEsc);
})()"""


def announce(number: int) -> None:
    """Makes a new answer known; `number` differs from that of the answer before."""
    safe_html.run_script(HEAR_ANSWER, number)


def copy_link(address: str) -> None:
    """A button that copies a complete address, where `listen_for_copying` was called."""
    text = element("span", escaped(address), css="wb-address wb-unseen")
    safe_html.show(element("div", copy_button("Copy link"), text, css="wb-copy"))


def listen_for_copying() -> None:
    """Makes the buttons that copy work: once on the page, so that an answer does not bring the script again."""
    safe_html.run_script(COPY)


def close_with_esc() -> None:
    """Lets Esc follow the link that closes the presentation."""
    safe_html.run_script(CLOSE_WITH_ESC)
