"""The keyboard of Annotate: each label has a digit or letter, ← → turn, Enter completes, U takes back, M marks words.

What a key writes counts, and on a keyboard of another script where it lies: an Arabic one labels too.

Keys that are pressed while an earlier one is still being saved wait for their turn. While the connection is lost,
when Streamlit disables its buttons, a line at the top of the page says that nothing is saved, and keys do nothing,
until the server has drawn the page again. The keyboard is off while somebody types in a field, which Escape leaves, and
on pages without labels.
"""

from __future__ import annotations

import time

import streamlit as st

from workbench.ui.parts import keyboard, safe_html
from workbench.ui.parts.safe_html import Html

LABEL, BACK, FORWARD = "inspect_label_", "inspect_back", "inspect_forward"
COMPLETE, UNDO, GUIDELINE = "inspect_complete", "inspect_undo", "inspect_guideline"
ITEM = "inspect_item"
"""The keys of the controls that the keyboard presses, and of the item; a label's ends in its number, from 1."""
KEYS = "1234567890ABDEFGHIJKLNOPQSTVWXYZ"
"""The keys of the labels in their order: digits, then letters but for C and R, which Streamlit takes, M and U."""

KEYBOARD = """(() => {
  const link = window.wbLabelKeys ||= { away: false };
  if (link.isListening) return;
  link.isListening = true;
  const names = {ArrowLeft: 'inspect_back', ArrowRight: 'inspect_forward', Enter: 'inspect_complete',
    U: 'inspect_undo', '?': 'inspect_guideline'};
  const keyOf = event => {
    if (event.key === '?' || event.key.length > 1) return event.key;
    const place = /^(?:Digit|Numpad|Key)([0-9A-Z])$/.exec(event.code)?.[1] || '';
    return (/^[a-z]$/i.test(event.key) ? event.key : place || event.key).toUpperCase();
  };
  wbKeys.expect('.st-key-inspect_labels button, .st-key-inspect_complete button, .st-key-inspect_forward button, '
    + '.st-key-inspect_undo button, .st-key-inspect_back button');
  const nameOf = key => {
    const at = key.length === 1 ? labels.indexOf(key) : -1;
    const name = at < 0 ? names[key] : 'inspect_label_' + (at + 1);
    return document.querySelector('.st-key-inspect_undo') && name && wbKeys.control(name) ? name : '';
  };
  const stops = ['.wb-marks', '.st-key-inspect_labels', '[class*="st-key-inspect_comment_"]',
    '.st-key-inspect_complete'];
  const moved = key => {
    if (!document.querySelector('.st-key-inspect_complete')) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const groups = stops.map(name => document.querySelector(name)).filter(Boolean);
    const now = groups.findIndex(group => group.contains(document.activeElement));
    let to = null;
    const last = groups.length - 1;
    if (step) to = groups[now < 0 && step < 0 ? last : Math.max(0, Math.min(last, now + step))];
    else if (key === 'M') to = document.querySelector('.wb-marks');
    to?.querySelector('.wb-marks-text, button, textarea')?.focus();
    return Boolean(to);
  };
  link.isConnected = () => !document.querySelector('.st-key-inspect_back button:disabled');
  const line = document.body.appendChild(document.createElement('div'));
  line.className = 'wb-away';
  line.setAttribute('role', 'alert');
  setInterval(() => {
    if (!link.isConnected()) link.away = true;
    if (link.away) wbKeys.forget();
    const isShown = link.away && document.querySelector('.st-key-inspect_undo');
    const words = isShown ? 'Connection lost: nothing is being saved. Continue once this line is gone.' : '';
    if (line.textContent !== words) line.textContent = words;
  }, 50);
  const fields = 'input, textarea, select, [contenteditable="true"], [role="combobox"], [role="listbox"], '
    + '[role="dialog"], [role="slider"]';
  document.addEventListener('keydown', event => {
    const at = event.target, key = keyOf(event), label = at.closest?.('[class*="st-key-inspect_label_"]');
    if (wbKeys.isOther(event)) return;
    // A guideline that closes gives its button the focus, and Enter is to complete.
    if (/^(Escape|[?])$/.test(key)) setTimeout(() => wbKeys.control('inspect_guideline')?.blur(), 400);
    if (at.closest?.('[data-testid="stPopoverBody"]')) {
      if (key === '?') wbKeys.press('inspect_guideline');
      return;
    }
    if (at.closest?.(fields)) {
      if (event.key === 'Escape' && at.closest('[class*="st-key-inspect_comment_"]')) at.blur();
      return;
    }
    if (at.closest?.('.wb-marks-text') && !/^(.|ArrowUp|ArrowDown)$/.test(key)) return;
    if (event.key === 'Enter' && at.closest?.('button, a, summary, [role="radio"]') && !label) return;
    if (!event.shiftKey && moved(key)) return event.preventDefault();
    const name = nameOf(key);
    if (!name) return;
    event.preventDefault();
    if (link.away || !link.isConnected()) return;
    wbKeys.press(name);
  }, true);
})()""".replace("link = window", f"labels = '{KEYS}', link = window")


LOOK_AT_ITEM = """setTimeout(() => {
  const item = document.querySelector('.st-key-inspect_item');
  if (item && item.getBoundingClientRect().top < 40) item.scrollIntoView({block: 'start'});
}, 150)"""
"""Shows a new item from its beginning where the page was scrolled down, as on a phone."""

REJOIN = """export default function ({ data, setTriggerValue }) {
  window.wbRejoin?.();
  const link = window.wbLabelKeys ||= { away: false };
  const isConnected = () => link.isConnected?.() ?? true;
  if (isConnected() && link.run !== data.run) link.away = false;
  link.run = data.run;
  let last = 0;
  const timer = setInterval(() => {
    if (!link.away || !isConnected()) last = Date.now() - 4000;
    else if (Date.now() - last > 5000) setTriggerValue('back', last = Date.now());
  }, 100);
  window.wbRejoin = () => clearInterval(timer);
  return window.wbRejoin;
}"""
"""Has a server that comes back draw the page, and sees by the run's time that it did.

Until it has done so once, it knows no button and loses the press.
"""
REJOINING = st.components.v2.component("workbench_rejoin", js=REJOIN, isolate_styles=False)


def listen(number: int) -> None:
    """Makes the keyboard work on this page; `number` differs from item to item."""
    keyboard.listen(KEYBOARD)
    safe_html.run_script(LOOK_AT_ITEM, number)
    REJOINING(key="inspect_rejoin", data={"run": time.time()}, on_back_change=lambda: None)


def key_of(number: int) -> str:
    """The key of the label with a number, from 0; "" for those after the last key."""
    return KEYS[number : number + 1]


def cap(key: str) -> str:
    """A key in the label of a button, which the style sheet draws as one, and hides where there is no keyboard."""
    return f"`{key}`" if key else ""


def keys_line(labels: int) -> Html:
    """The keys, as a line of small print; of a number of `labels`."""
    last = KEYS[min(labels, len(KEYS)) - 1]
    letters = "1–9, 0" + (f", {KEYS[10]}–{last}" if labels > 10 else "")
    return keyboard.keys_line(
        (letters if labels > 9 else f"1–{last}", "label"),
        ("← →", "previous, next"),
        ("↑ ↓", "fields"),
        ("Enter", "completes the answer and opens the next; without a label where none applies"),
        ("U", "undo"),
        ("?", "guideline"),
        ("M", "mark words of the answer: ← → go, Shift + ← → extend, Enter marks, Delete removes"),
        ("Esc", "out of a field"),
    )
