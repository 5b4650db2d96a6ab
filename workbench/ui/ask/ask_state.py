"""What can be chosen on the Ask screen, as a URL and back: a link opened elsewhere asks the same question alike."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self
from urllib.parse import urlencode

from workbench.pipeline import Recipe, make_recipe, recipe_fields
from workbench.ui.parts import access
from workbench.ui.parts.page_state import Flat, LanguageCode, PageState, Param
from workbench.workspace import QUESTION_LIMIT

RECIPE = Flat({name: name for name in recipe_fields()}, make_recipe, always=("corpus", "mode", "scope", "prompt"))
"""A recipe in a URL, each field as a parameter under its name.

What is always written keeps a link's meaning should a default change.
"""


class Choice(PageState):
    """Everything that can be chosen on the Ask screen.

    `language` "" means: detect it. `submitted`: Ask was pressed. `presentation`: only question, answer and sources are
    shown, in large type.
    """

    PAGE: ClassVar[str] = "ask"

    question: Annotated[str, Param("q")] = ""
    language: Annotated[LanguageCode, Param("lang")] = ""
    recipe: Annotated[Recipe, RECIPE] = Recipe()
    submitted: Annotated[bool, Param("ask")] = False
    presentation: bool = False

    @classmethod
    def begin(cls) -> Self:
        """A link names what answers; where there is none, the workspace's default generator does."""
        return cls(recipe=access.default_recipe())

    @property
    def to_answer(self) -> Choice:
        """The choice without what does not affect the answer: answers are kept by it."""
        return self.with_(submitted=True, presentation=False)

    def to_params(self) -> dict[str, list[str]]:
        """The choice as query parameters. A question that is too long to be answered is too long for a URL as well."""
        return {name: texts for name, texts in super().to_params().items() if len(texts[0]) <= QUESTION_LIMIT}


def link(choice: Choice, page: str = "ask") -> str:
    """The choice as a URL relative to the app's, such as `ask?q=…&mode=trag`."""
    return f"{page}?{urlencode(choice.to_params(), doseq=True)}"
