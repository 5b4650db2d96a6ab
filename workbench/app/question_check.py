"""What can be asked: a question as a person typed it, checked before anything is built or sent."""

from __future__ import annotations

from workbench.core import UsageError, shorten
from workbench.workspace import QUESTION_LIMIT


def checked_question(question: str) -> str:
    """`question` without white space around it.

    Raises UsageError when it is empty, too long, not valid Unicode or without a letter or digit.
    """
    text = question.strip()
    example = "For example: “Who invented radio?”"
    if not text:
        raise UsageError(f"The question is empty. Type a question of 1 to {QUESTION_LIMIT:,} characters. {example}")
    if len(text) > QUESTION_LIMIT:
        raise UsageError(
            f"The question has {len(text):,} characters (“{shorten(text, 30)}”); at most {QUESTION_LIMIT:,} are "
            f"allowed. {example}"
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError(
            f"The question holds half a character, as text that is not UTF-8 does. Type it as UTF-8. {example}"
        )
    if not any(character.isalnum() for character in text):
        raise UsageError(
            f"The question “{shorten(text)}” holds no letter or digit, so there is nothing to search for. {example}"
        )
    return text
