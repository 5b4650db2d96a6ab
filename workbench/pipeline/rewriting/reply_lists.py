"""The questions in a language model's reply: one per line, numbered, bulleted or plain, in any script.

Reading is deterministic and never guesses: where some lines are marked as items, only those count, since the rest is
what a model says around them; where none is, every line counts but one that announces the others with a colon.
"""

from __future__ import annotations

import regex

from workbench.core import without_thinking
from workbench.pipeline.rewriting.rewriting_texts import NOTHING

INVISIBLE = regex.compile(r"[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u061c]")
"""Marks of the direction of writing, which models put around numbers in right-to-left scripts, and widthless blanks."""
ITEM = regex.compile(
    r"""
    (?: \(? \p{Nd}{1,2} (?: \s?[.)\]:،、．）：] (?!\p{Nd}) | \s[-–—] (?=\s) ) \s*   # 1.  ١)  (2)  3:  4、  5 -
      | [①-⑳] [.)]? \s*
      | [•‣◦▪▫●○■□·‧∙➤➢►] \s*
      | [-*+–—] \s+
    )
    """,
    regex.VERBOSE,
)
"""What begins an item of a list: a number of one or two digits of any script, or a bullet."""
EMPHASIS = regex.compile(r"^(?P<mark>\*\*|__|\*|_|`)(?P<text>.+)(?P=mark)$")
QUOTED = regex.compile(r"^[\"“”„«»‹›「『'‘](?P<text>[^\"“”„«»‹›「」『』]+)[\"“”«»‹›」』'’]$")
NAMING = regex.compile(r"[:：]$")
WORD = regex.compile(r"[\p{L}\p{N}]")


def reply_items(reply: str) -> tuple[str, ...]:
    r"""The items of a reply in order, each once; () where it has none or says that there are none.

    >>> reply_items("Here are two:\n1. Who invented radio?\n2) «Where was he born?»")
    ('Who invented radio?', 'Where was he born?')
    >>> reply_items("١. من اخترع الراديو؟"), reply_items("NONE.")
    (('من اخترع الراديو؟',), ())
    """
    text = INVISIBLE.sub("", without_thinking(reply))
    if is_nothing(text):
        return ()
    lines = [line for raw in text.splitlines() if (line := " ".join(raw.split())) and not line.startswith("```")]
    marked = [match for line in lines if (match := ITEM.match(_plain(line)))]
    items = [match.string[match.end() :] for match in marked] or [line for line in lines if not NAMING.search(line)]
    distinct: dict[str, str] = {}
    for item in map(_plain, items):
        if WORD.search(item) and not is_nothing(item):
            distinct.setdefault(item.casefold(), item)
    return tuple(distinct.values())


def is_nothing(reply: str) -> bool:
    """Whether a reply, or an item of one, is nothing but the word for nothing.

    >>> is_nothing("**NONE**"), is_nothing("None of them")
    (True, False)
    """
    return reply.strip(" \t\r\n.。*_`\"'“”«»「」[]()") == NOTHING


def _plain(line: str) -> str:
    """A line without emphasis or quotation marks around all of it."""
    line = line.strip()
    for around in (EMPHASIS, QUOTED, EMPHASIS):
        match = around.match(line)
        line = match["text"].strip() if match else line
    return line
