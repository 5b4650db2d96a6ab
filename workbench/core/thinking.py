"""What a reasoning model wrote while thinking, and the answer without it."""

from __future__ import annotations

import regex

THINKING = regex.compile(r"<(think(?:ing)?)>.*?(?:</\1>|\Z)", regex.DOTALL | regex.IGNORECASE)
"""A thought; one that never ends takes the rest of the text with it."""
END = regex.compile(r"</think(?:ing)?>", regex.IGNORECASE)
"""The end of a thought whose beginning the model's chat template has written already."""


def without_thinking(text: str) -> str:
    r"""`text` without `<think>…</think>` and the white space around it; unchanged where it has no such part.

    >>> without_thinking("<think>[1] says Paris?</think>\n\nParis"), without_thinking("so be it.</think> Paris")
    ('Paris', 'Paris')
    """
    if "think" not in text.casefold():
        return text
    answer: str = END.split(THINKING.sub("", text))[-1]
    return answer.strip() if answer != text else text
