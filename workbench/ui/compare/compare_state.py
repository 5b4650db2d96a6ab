"""The Compare screen's state: in the session, and in the URL by which a link opened elsewhere compares the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, ClassVar, Literal, Self

import streamlit as st
from pydantic import Field

from workbench.data import SAMPLE
from workbench.pipeline import MODES, Recipe
from workbench.ui.ask.ask_state import RECIPE, Choice
from workbench.ui.parts import access, permitted
from workbench.ui.parts.page_state import Allowed, LanguageCode, Packed, PageSession, PageState, Param, Params
from workbench.workspace import QUESTION_LIMIT

CompareView = Literal["recipes", "languages", "votes"]
TITLES: Mapping[CompareView, str] = {"recipes": "Recipes", "languages": "Languages", "votes": "Blind votes"}
QUESTION = "compare_question"
SHOWN = "compare_question_shown"
"""The session's key for the question that its control was last set to."""
FEWEST, MOST = 2, 12
"""Recipes that are compared: as many as a table of agreement can be read of."""
NAME_LIMIT = 60
"""Characters of a voter's name."""
INSTANCE_LIMIT = 999_999_999
TYPED = "*"
"""In place of a dataset: the question is typed."""
FOLD, FOLD_LABEL = "compare_fold", "Recipes and languages"
"""The session's key for whether the choices are unfolded, which an answer folds. By another label it would forget."""
ASKED_FOR = ("q", "lang", "ask")
PARAMETERS = {
    "recipes": ("view", *ASKED_FOR, "recipe"),
    "languages": ("view", *ASKED_FOR, "dataset", "question", "language", "under"),
    "votes": ("view", "ballot", "voter", "reads"),
    "stored": ("view", "instance"),
}
"""What belongs to each view, and to stored answers."""


def all_modes(recipe: Recipe) -> tuple[Recipe, ...]:
    """A recipe in every mode, each with the scope of the mode's definition."""
    return tuple(recipe.with_(mode=item.name, scope=item.scope) for item in MODES)


class CompareState(PageState):
    """Everything that a user can choose on the Compare screen.

    Recipes: `question` in `language` ("" means: detect it) under `recipes`, at first every mode. Languages: the
    question with the id `name` of `dataset`, or `question` where it is `TYPED`, in `languages` (() for all) under
    `recipe`. `submitted`: Ask was pressed. `instance` is the stored id of an answer, 0 for none: then stored answers
    are compared instead.

    Votes: `ballot` is a ballot's id, `voter` a person's name, `reads` the languages that they read.
    """

    PAGE: ClassVar[str] = "compare"

    view: Annotated[CompareView, Param(always=True)] = "recipes"
    question: Annotated[str, Param("q")] = ""
    language: Annotated[LanguageCode, Param("lang")] = ""
    recipes: Annotated[tuple[Recipe, ...], Packed("recipe", RECIPE, Recipe)] = all_modes(Recipe())
    of_languages: Annotated[tuple[Recipe, ...], Packed("under", RECIPE, Recipe)] = (Recipe(),)
    dataset: Annotated[str, Param(always=True)] = SAMPLE
    name: Annotated[str, Param("question")] = ""
    languages: Annotated[tuple[LanguageCode, ...], Param("language")] = ()
    submitted: Annotated[bool, Param("ask")] = False
    instance: int = Field(default=0, ge=0, le=INSTANCE_LIMIT)
    ballot: str = ""
    voter: str = Field(default="", max_length=NAME_LIMIT)
    reads: tuple[LanguageCode, ...] = ()

    @classmethod
    def begin(cls) -> Self:
        """Without a link the workspace's default generator answers."""
        begun = access.default_recipe()
        return cls(recipes=all_modes(begun), of_languages=(begun,))

    @property
    def recipe(self) -> Recipe:
        """The recipe under which a question is asked in several languages."""
        return self.of_languages[0]

    def after(self, path: str) -> Self:
        """Another view leaves the stored answers, another dataset the question and the languages of the last one."""
        if path == "view":
            # A question that was typed goes along, unless one of a dataset was chosen here before.
            typed = self.view == "languages" and self.question and not self.name
            return self.with_(instance=0, **({"dataset": TYPED} if typed else {}))
        return self.with_(name="", languages=()) if path == "dataset" else self

    def to_params(self) -> dict[str, list[str]]:
        """The state as query parameters; of each view only what belongs to it."""
        names = PARAMETERS["stored" if self.instance and self.view != "votes" else self.view]
        params = {name: texts for name, texts in super().to_params().items() if name in names}
        return {name: texts for name, texts in params.items() if name != "q" or len(texts[0]) <= QUESTION_LIMIT}

    @classmethod
    def from_params(cls, params: Params, allowed: Allowed | None = None) -> tuple[Self, tuple[str, ...]]:
        """The state that a URL names. A question of a dataset is asked in languages; a typed one is of no dataset."""
        state, problems = super().from_params(params, allowed)
        recipes = state.recipes if len(state.recipes) >= FEWEST else all_modes(state.recipes[0])
        if len(recipes) > MOST:
            problems += (f"The URL names {len(recipes)} recipes. Allowed: {MOST}; the first are compared.",)
        if "question" in params and "view" not in params:
            state = state.with_(view="languages")
        dataset = TYPED if state.question and "dataset" not in params else state.dataset
        return state.with_(recipes=recipes[:MOST], dataset=dataset), problems


SESSION = PageSession(CompareState)


def of_question(choice: Choice) -> CompareState:
    """A question of the Ask screen, asked as there in every mode."""
    return CompareState(
        question=choice.question, language=choice.language, recipes=all_modes(choice.recipe), submitted=True
    )


def restore(corpora: Collection[str]) -> CompareState:
    """The state before any control is drawn: from the URL where it is new, else as it last was."""
    # Who votes is kept where a link does not say.
    datasets = (TYPED, *(info.name for info in access.datasets()))
    state = SESSION.restore({"corpus": corpora, "dataset": datasets}, keep=("voter", "reads"))
    st.session_state.setdefault(FOLD, not state.submitted)
    # Only where it is another one: what somebody is typing stays.
    if QUESTION not in st.session_state or st.session_state.get(SHOWN) != state.question:
        st.session_state[QUESTION] = st.session_state[SHOWN] = state.question
    if state.voter and (worker := permitted.worker(state.voter, "votes.cast")) != state.voter:
        SESSION.set(state.with_(voter=worker))
    SESSION.show_problems()
    return SESSION.current
