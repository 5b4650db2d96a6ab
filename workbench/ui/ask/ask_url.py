"""A choice as a URL and back: a link opened elsewhere asks the same question in the same way.

No Streamlit in here. Reading never fails: for each value that is not available there is a sentence, and the default is
used instead.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from workbench.errors import UsageError, unknown_name
from workbench.languages import language
from workbench.recipes.recipe import Recipe, make_recipe
from workbench.settings import QUESTION_LIMIT

ALWAYS = ("corpus", "mode", "scope", "prompt")
SOMETIMES = (
    "retriever",
    "encoder",
    "candidates",
    "balance",
    "translate_question",
    "reranker",
    "k",
    "translator",
    "generator",
    "max_new_tokens",
    "user_turn",
    "rrf_k",
    "fusion_weight",
    "fusion_depth",
)
DIALECTIC = (
    "extraction",
    "explanation",
    "argumentation",
    "argument_language",
    "argument_language_in",
    "prompts",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """Everything that can be chosen on the Ask screen. `language` "" means: detect it. `submitted`: Ask was pressed."""

    question: str = ""
    language: str = ""
    recipe: Recipe = field(default_factory=lambda: make_recipe({}))
    submitted: bool = False


def to_params(choice: Choice) -> dict[str, str]:
    """The choice as query parameters.

    Mode, scope, prompt and corpus are always among them, so that a link keeps its meaning should a default change; the
    rest only where it is not the default.
    """
    recipe, default = choice.recipe, make_recipe({})
    # A question that is too long to be answered is too long for a URL as well.
    question = choice.question if len(choice.question) <= QUESTION_LIMIT else ""
    params = {"q": question, "lang": choice.language}
    params |= {key: str(getattr(recipe, key)) for key in ALWAYS}
    params |= _changed(SOMETIMES, recipe, default)
    params |= _changed(DIALECTIC, recipe.dialectic, default.dialectic)
    params["ask"] = "1" if choice.submitted else ""
    return {key: value for key, value in params.items() if value}


def link(choice: Choice, page: str = "ask") -> str:
    """The choice as a URL relative to the app's, such as `ask?q=…&mode=trag`."""
    return f"{page}?{urlencode(to_params(choice))}"


def from_params(params: Mapping[str, str], corpora: Collection[str]) -> tuple[Choice, tuple[str, ...]]:
    """The choice that a URL names, and a sentence for each value in it that is not available.

    Unknown parameters, such as those of trackers, are ignored.
    """
    problems: list[str] = []
    choices: dict[str, object] = {}
    for key in (*ALWAYS, *SOMETIMES):
        _take(choices, key, params, problems)
    if "corpus" in choices and choices["corpus"] not in corpora:
        problems.append(str(unknown_name("corpus", choices.pop("corpus"), corpora)))
    inner: dict[str, object] = {}
    for key in DIALECTIC:
        _take(inner, key, params, problems, within="dialectic")
    code = params.get("lang", "")
    try:
        code = code and language(code).code
    except UsageError as error:
        problems.append(str(error))
        code = ""
    recipe = make_recipe({**choices, **({"dialectic": inner} if inner else {})})
    return Choice(params.get("q", ""), code, recipe, params.get("ask") == "1"), tuple(problems)


def _take(into: dict[str, object], key: str, params: Mapping[str, str], problems: list[str], within: str = "") -> None:
    if key not in params:
        return
    try:
        make_recipe({within: {key: params[key]}} if within else {key: params[key]})
    except UsageError as error:
        problems.append(str(error))
    else:
        into[key] = params[key]


def _changed(keys: Sequence[str], choices: object, default: object) -> dict[str, str]:
    """Those of the choices that are not the default."""
    values = {key: getattr(choices, key) for key in keys}
    return {key: _plain(value) for key, value in values.items() if value != getattr(default, key)}


def _plain(value: object) -> str:
    return ("0", "1")[value] if isinstance(value, bool) else str(value)
