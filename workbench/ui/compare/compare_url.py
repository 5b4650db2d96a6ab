"""What the Compare screen shows as a URL and back: a link opened elsewhere compares the same.

No Streamlit in here. Reading never fails: for each value that is not allowed there is a sentence, and the default is
used instead.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args
from urllib.parse import parse_qsl, urlencode

from workbench.core import UsageError, shorten
from workbench.data import SAMPLE
from workbench.languages import language
from workbench.pipeline import Recipe, make_recipe
from workbench.ui.ask import ask_url
from workbench.ui.ask.ask_url import Choice
from workbench.workspace import QUESTION_LIMIT

CompareView = Literal["recipes", "languages", "votes"]
VIEWS: tuple[CompareView, ...] = get_args(CompareView)
FEWEST, MOST = 2, 4
"""Recipes side by side."""
NAME_LIMIT = 60
"""Characters of a voter's name."""
DIGITS = 9
"""Digits of a number in the URL at most."""
TYPED = "*"
"""In place of a dataset: the question is typed."""
Params = Mapping[str, Sequence[str]]


def _first_recipes() -> tuple[Recipe, ...]:
    return tuple(make_recipe({"mode": name}) for name in ("multirag", "trag"))


@dataclass(frozen=True, slots=True)
class CompareState:
    """Everything that a user can choose on the Compare screen.

    Recipes: `question` in `language` ("" means: detect it) under `recipes`, 2 to 4. Languages: the question with the id
    `name` of `dataset`, or `question` where it is `TYPED`, in `languages` (() for all) under `recipe`. `submitted`: Ask
    was pressed. `instance` is the stored id of an answer, 0 for none: then stored answers are compared instead.

    Votes: `ballot` is a ballot's id, `voter` a person's name, `reads` the languages that they read.
    """

    view: CompareView = VIEWS[0]
    question: str = ""
    language: str = ""
    recipes: tuple[Recipe, ...] = field(default_factory=_first_recipes)
    recipe: Recipe = field(default_factory=lambda: make_recipe({}))
    dataset: str = SAMPLE
    name: str = ""
    languages: tuple[str, ...] = ()
    submitted: bool = False
    instance: int = 0
    ballot: str = ""
    voter: str = ""
    reads: tuple[str, ...] = ()


def to_params(state: CompareState) -> dict[str, list[str]]:
    """The state as query parameters; of each view only what belongs to it."""
    texts: dict[str, str] = {"view": state.view, "instance": str(state.instance or "")}
    lists: dict[str, list[str]] = {}
    if state.view == "votes":
        texts |= {"ballot": state.ballot, "voter": state.voter}
        lists = {"reads": list(state.reads)}
    elif not state.instance:
        question = state.question if len(state.question) <= QUESTION_LIMIT else ""
        texts |= {"q": question, "lang": state.language, "ask": "1" if state.submitted else ""}
        if state.view == "recipes":
            lists = {"recipe": [_written(recipe) for recipe in state.recipes]}
        else:
            texts |= {"dataset": state.dataset, "question": state.name}
            lists = {"recipe": [_written(state.recipe)], "language": list(state.languages)}
    params = {**{name: [text] for name, text in texts.items() if text}, **lists}
    return {name: values for name, values in params.items() if values}


def from_params(params: Params, corpora: Collection[str]) -> tuple[CompareState, tuple[str, ...]]:
    """The state that a URL names, and a sentence for each value in it that is not allowed.

    Unknown parameters, such as those of trackers, are ignored.
    """
    problems: list[str] = []
    first = {name: values[0] for name, values in params.items() if values}
    view = next((name for name in VIEWS if name == first.get("view", VIEWS[0])), None)
    if view is None:
        problems.append(f"“view” in the URL is “{shorten(first['view'])}”. Allowed: {', '.join(VIEWS)}.")
    recipes = tuple(_read(text, corpora, problems) for text in params.get("recipe", ())[:MOST])
    defaults = CompareState()
    state = CompareState(
        view=view or VIEWS[0],
        question=first.get("q", ""),
        language=_language(first.get("lang", ""), problems),
        recipes=recipes if len(recipes) >= FEWEST else (*recipes, *defaults.recipes)[:FEWEST],
        recipe=recipes[0] if recipes else defaults.recipe,
        dataset=first.get("dataset", TYPED if first.get("q") else SAMPLE),
        name=first.get("question", ""),
        languages=tuple(dict.fromkeys(params.get("language", ()))),
        submitted=first.get("ask") == "1",
        instance=_number(first.get("instance", "0"), problems),
        ballot=first.get("ballot", ""),
        voter=first.get("voter", "")[:NAME_LIMIT],
        reads=tuple(dict.fromkeys(params.get("reads", ()))),
    )
    return state, tuple(problems)


def _written(recipe: Recipe) -> str:
    """A recipe as one parameter: the parameters by which Ask names it."""
    return urlencode(ask_url.to_params(Choice(recipe=recipe)))


def _read(text: str, corpora: Collection[str], problems: list[str]) -> Recipe:
    choice, sentences = ask_url.from_params(dict(parse_qsl(text)), corpora)
    problems += sentences
    return choice.recipe


def _language(code: str, problems: list[str]) -> str:
    try:
        return code and language(code).code
    except UsageError as error:
        problems.append(error.on_screen)
        return ""


def _number(text: str, problems: list[str]) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= DIGITS:
        return int(text)
    problems.append("“instance” in the URL must be a whole number, for example: instance=5")
    return 0
