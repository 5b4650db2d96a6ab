"""The scripts of the Ask screen: it moves to a new answer, copies a link, and closes the presentation with Esc.

They are constants: what they need from a page they read there, so that no data is ever part of a script.
"""

from __future__ import annotations

from workbench.ui.parts import safe_html
from workbench.ui.parts.safe_html import element, escaped

ANSWER, LINK, COPY = "answer", "answer-link", "copy-link"
"""Anchors of the answer, of the text of its link, and of the button that copies it."""

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
MOVE = """
  const answer = document.getElementById('answer');
  if (answer && answer.getBoundingClientRect().top > window.innerHeight - 160) {
    answer.tabIndex = -1;
    answer.focus({preventScroll: true});
    answer.scrollIntoView({block: 'start'});
  }
"""
# The answer may be drawn a moment after the script.
HEAR_ANSWER = f"setTimeout(() => {{{ANNOUNCE}}}, 250)"
"""A screen reader hears the answer."""
LOOK_AT_ANSWER = f"setTimeout(() => {{{ANNOUNCE}{MOVE}}}, 250)"
"""The same; and where the answer is below the fold, as on a phone, the page and the focus move to it."""

COPY_LINK = """if (!window.wbCopies) {
  window.wbCopies = true;
  const say = (button, words) => {
    button.textContent = words;
    setTimeout(() => { button.textContent = 'Copy link' }, 2500);
  };
  const select = text => {
    const range = document.createRange(), selection = window.getSelection();
    range.selectNodeContents(text);
    selection.removeAllRanges();
    selection.addRange(range);
    return document.execCommand('copy') ? 'Link copied' : 'Press Ctrl+C to copy';
  };
  document.addEventListener('click', event => {
    const text = document.getElementById('answer-link'), button = event.target;
    if (!text || button.id !== 'copy-link') return;
    if (!navigator.clipboard) say(button, select(text));
    else navigator.clipboard.writeText(text.textContent)
      .then(() => say(button, 'Link copied'), () => say(button, select(text)));
  });
}"""
"""Copies the address; where the browser does not let it, the text is selected instead."""

CLOSE_WITH_ESC = """(() => {
  if (window.wbEsc) document.removeEventListener('keydown', window.wbEsc);
  window.wbEsc = event => {
    if (event.key !== 'Escape') return;
    const close = document.querySelector('.st-key-close_presentation a');
    if (close) close.click();
  };
  document.addEventListener('keydown', window.wbEsc);
})()"""


def announce(number: int, *, move: bool) -> None:
    """Makes a new answer known; `number` differs from that of the answer before. `move`: the page may move to it."""
    safe_html.run_script(LOOK_AT_ANSWER if move else HEAR_ANSWER, number)


def copy_link(address: str) -> None:
    """A complete address with a button that copies it."""
    button = element("button", escaped("Copy link"), css="wb-button", anchor=COPY)
    text = element("span", escaped(address), css="wb-address", anchor=LINK)
    safe_html.show(element("div", button, text, css="wb-copy"))
    safe_html.run_script(COPY_LINK)


def close_with_esc() -> None:
    """Lets Esc follow the link that closes the presentation."""
    safe_html.run_script(CLOSE_WITH_ESC)
