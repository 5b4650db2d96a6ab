"""What can be chosen on the Ask screen, as a URL and back: a link opened elsewhere asks the same question alike."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self
from urllib.parse import urlencode, urljoin

from pydantic import AfterValidator

from workbench.pipeline import Recipe, make_recipe, mode, recipe_fields
from workbench.ui.parts import access
from workbench.ui.parts.page_state import Allowed, Flat, LanguageCode, PageState, Param, Params
from workbench.workspace import QUESTION_LIMIT

RECIPE = Flat({name: name for name in recipe_fields()}, make_recipe, always=("corpus", "mode", "scope", "prompt"))
"""A recipe in a URL, each field as a parameter under its name.

What is always written keeps a link's meaning should a default change.
"""
MODES_LIMIT = 4
"""Modes that are compared at once: as many as have room side by side."""


class Choice(PageState):
    """Everything that can be chosen on the Ask screen.

    `language` "" means: detect it. `submitted`: Ask was pressed. `compare`: further modes that answer the same question
    side by side, 0 to 3. `presentation`: only question, answer and sources are shown, in large type.
    """

    PAGE: ClassVar[str] = "ask"

    question: Annotated[str, Param("q")] = ""
    language: Annotated[LanguageCode, Param("lang")] = ""
    recipe: Annotated[Recipe, RECIPE] = Recipe()
    submitted: Annotated[bool, Param("ask")] = False
    compare: tuple[Annotated[str, AfterValidator(lambda name: mode(name).name)], ...] = ()
    presentation: bool = False

    @classmethod
    def begin(cls) -> Self:
        """A link names what answers; where there is none, the workspace's default generator does."""
        return cls(recipe=access.default_recipe())

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """The recipe, then the same for each further mode with the scope of that mode's definition."""
        return (self.recipe, *(self.recipe.with_(mode=name, scope=mode(name).scope) for name in self.compare))

    @property
    def to_answer(self) -> Choice:
        """The choice without what does not affect the answer: answers are kept by it."""
        return self.with_(submitted=True, presentation=False)

    def after(self, path: str) -> Self:
        """The selected mode is none of the further ones."""
        del path
        return self.with_(compare=tuple(name for name in self.compare if name != self.recipe.mode))

    def to_params(self) -> dict[str, list[str]]:
        """The choice as query parameters. A question that is too long to be answered is too long for a URL as well."""
        return {name: texts for name, texts in super().to_params().items() if len(texts[0]) <= QUESTION_LIMIT}

    @classmethod
    def from_params(cls, params: Params, allowed: Allowed | None = None) -> tuple[Self, tuple[str, ...]]:
        """The choice that a URL names, with as many modes as are allowed."""
        choice, problems = super().from_params(params, allowed)
        further = choice.after("recipe").compare
        if len(further) >= MODES_LIMIT:
            count = len(further) + 1
            problems += (f"{count} modes were to be compared. Allowed: {MODES_LIMIT}; the first are shown.",)
        return choice.with_(compare=further[: MODES_LIMIT - 1]), problems


def link(choice: Choice, page: str = "ask") -> str:
    """The choice as a URL relative to the app's, such as `ask?q=…&mode=trag`."""
    return f"{page}?{urlencode(choice.to_params(), doseq=True)}"


def absolute(page: str, choice: Choice) -> str:
    """The choice as a complete URL. `page` is the address of this page in the browser, "" where it is unknown.

    >>> absolute("https://rag.example/lab/ask", Choice(question="Who?")).partition("&")[0]
    'https://rag.example/lab/ask?q=Who%3F'
    """
    return urljoin(page, link(choice))
