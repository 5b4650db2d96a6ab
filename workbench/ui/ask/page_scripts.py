"""The scripts of the Ask screen: it reads a new answer out, and copies a link.

They are constants: what they need from a page they read there, so that no data is ever part of a script.
"""

from __future__ import annotations

from workbench.ui.parts import safe_html
from workbench.ui.parts.safe_html import COPY, copy_button, element

ANSWER = "answer"
"""The anchor of the answer."""

HEAR_ANSWER = """if (!window.wbHears) {
  const live = document.createElement('div');
  live.className = 'wb-unseen';
  live.id = 'wb-live';
  live.setAttribute('aria-live', 'polite');
  document.body.append(live);
  const say = () => {
    const answers = document.querySelectorAll('.stMain .wb-said, .stMain .wb-none');
    live.textContent = [...answers].map(one => one.innerText).join(' / ');
  };
  let last = null;
  window.wbHears = new MutationObserver(() => {
    const answer = document.getElementById('answer');
    if (answer && answer !== last) setTimeout(say, 250);
    last = answer;
  });
  window.wbHears.observe(document.body, {childList: true, subtree: true});
}"""
"""A screen reader hears each new answer, once it is drawn."""


def copy_link() -> None:
    """A button that copies the page's address, where `listen` was called."""
    text = element("span", css="wb-address wb-unseen")
    safe_html.show(element("div", copy_button("Copy link"), text, css="wb-copy"))


def listen() -> None:
    """Makes the buttons that copy work, and new answers heard: once on the page, so that no answer brings a script."""
    safe_html.run_script(f"{COPY}\n{HEAR_ANSWER}")
