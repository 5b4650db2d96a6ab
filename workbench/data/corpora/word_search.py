"""Whether a text contains the words of a search, in any script.

Words are compared in the form of the lexical index (`languages.normalise.search_form`), so case, width, points and the
digits of other scripts make no difference. A word may be part of a longer one; all of them must occur.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from workbench.core import UsageError
from workbench.languages import search_form
from workbench.workspace import QUESTION_LIMIT


@dataclass(frozen=True)
class WordSearch:
    """A search by words. Raises UsageError for one that is longer than a question may be."""

    text: str = ""

    def __post_init__(self) -> None:
        """Checks the length."""
        if len(self.text) > QUESTION_LIMIT:
            raise UsageError(f"The search has {len(self.text):,} characters. Allowed: {QUESTION_LIMIT:,}.")

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words in the form in which they are compared; () where everything matches."""
        return tuple(dict.fromkeys(search_form(self.text).split()))

    def matches(self, *texts: str) -> bool:
        """Whether each word occurs in one of the texts or in another.

        >>> WordSearch("MARCONI 1909").matches("Guglielmo Marconi", "in 1909"), WordSearch("x").matches("y")
        (True, False)
        """
        if not self.words:
            return True
        form = search_form("\n".join(texts))
        return all(word in form for word in self.words)
