"""A choice as a URL and back: a link opened elsewhere asks the same question in the same way.

No Streamlit in here. Reading never fails: for each value that is not available there is a sentence, and the default is
used instead.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode, urljoin

from workbench.core import UsageError, unknown_name
from workbench.languages import language
from workbench.pipeline import Recipe, make_recipe, mode
from workbench.workspace import QUESTION_LIMIT

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
    "centring",
    "levelling",
    "sentence_share",
    "builtin_view",
    "exact_search",
    "query_expansion",
    "expander",
    "compressor",
    "compressor_model",
    "passage_order",
    "normalisation",
    "neighbours",
    "neighbour_side",
    "score_threshold",
    "score_percentile",
)
DIALECTIC = (
    "extraction",
    "explanation",
    "argumentation",
    "argument_language",
    "argument_language_in",
    "prompts",
)

SHARED = frozenset({"corpus", "view"})
"""Parameters that other screens use too: a URL with only these is not a choice made here."""
MODES_LIMIT = 4
"""Modes that are compared at once: as many as have room side by side."""
PRESENTATION = "presentation"


@dataclass(frozen=True, slots=True)
class Choice:
    """Everything that can be chosen on the Ask screen.

    `language` "" means: detect it. `submitted`: Ask was pressed. `compare`: further modes that answer the same question
    side by side, 0 to 3. `presentation`: only question, answer and sources are shown, in large type.
    """

    question: str = ""
    language: str = ""
    recipe: Recipe = field(default_factory=lambda: make_recipe({}))
    submitted: bool = False
    compare: tuple[str, ...] = ()
    presentation: bool = False

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """The recipe, then the same for each further mode with the scope of that mode's definition."""
        return (self.recipe, *(self.recipe.with_(mode=name, scope=mode(name).scope) for name in self.compare))

    @property
    def to_answer(self) -> Choice:
        """The choice without what does not affect the answer: answers are kept by it."""
        return replace(self, submitted=True, presentation=False)


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
    params["compare"] = ",".join(choice.compare)
    params["view"] = PRESENTATION if choice.presentation else ""
    return {key: value for key, value in params.items() if value}


def link(choice: Choice, page: str = "ask") -> str:
    """The choice as a URL relative to the app's, such as `ask?q=…&mode=trag`."""
    return f"{page}?{urlencode(to_params(choice))}"


def absolute(page: str, choice: Choice) -> str:
    """The choice as a complete URL. `page` is the address of this page in the browser, "" where it is unknown.

    >>> absolute("https://rag.example/lab/ask", Choice("Who?")).partition("&")[0]
    'https://rag.example/lab/ask?q=Who%3F'
    """
    return urljoin(page, link(choice))


def names_a_choice(params: Mapping[str, str]) -> bool:
    """Whether a URL was made for this screen: one with parameters of other screens alone was not.

    >>> names_a_choice({"dataset": "sample"}), names_a_choice({"q": "Who?"})
    (False, True)
    """
    names = {"q", "lang", "ask", "compare", *ALWAYS, *SOMETIMES, *DIALECTIC} - SHARED
    return bool(names & set(params)) or params.get("view") == PRESENTATION


def from_params(params: Mapping[str, str], corpora: Collection[str]) -> tuple[Choice, tuple[str, ...]]:
    """The choice that a URL names, and a sentence for each value in it that is not available.

    Unknown parameters, such as those of trackers, are ignored.
    """
    problems: list[str] = []
    choices: dict[str, object] = {}
    for key in (*ALWAYS, *SOMETIMES):
        _take(choices, key, params, problems)
    if "corpus" in choices and choices["corpus"] not in corpora:
        problems.append(unknown_name("corpus", choices.pop("corpus"), corpora).on_screen)
    inner: dict[str, object] = {}
    for key in DIALECTIC:
        _take(inner, key, params, problems, within="dialectic")
    code = params.get("lang", "")
    try:
        code = code and language(code).code
    except UsageError as error:
        problems.append(error.on_screen)
        code = ""
    recipe = make_recipe({**choices, **({"dialectic": inner} if inner else {})})
    others = _further_modes(params.get("compare", ""), recipe.mode, problems)
    view = params.get("view", "")
    if view not in ("", PRESENTATION):
        problems.append(unknown_name("view", view, [PRESENTATION]).on_screen)
    choice = Choice(params.get("q", ""), code, recipe, params.get("ask") == "1", others, view == PRESENTATION)
    return choice, tuple(problems)


def _further_modes(names: str, first: str, problems: list[str]) -> tuple[str, ...]:
    """The modes of a list separated by commas, without `first` and repetitions, as many as are allowed."""
    modes: list[str] = []
    for name in filter(None, names.split(",")):
        try:
            modes.append(mode(name).name)
        except UsageError as error:
            problems.append(error.on_screen)
    further = tuple(name for name in dict.fromkeys(modes) if name != first)
    if len(further) >= MODES_LIMIT:
        problems.append(f"{len(further) + 1} modes were to be compared. Allowed: {MODES_LIMIT}; the first are shown.")
    return further[: MODES_LIMIT - 1]


def _take(into: dict[str, object], key: str, params: Mapping[str, str], problems: list[str], within: str = "") -> None:
    if key not in params:
        return
    try:
        make_recipe({within: {key: params[key]}} if within else {key: params[key]})
    except UsageError as error:
        problems.append(error.on_screen)
    else:
        into[key] = params[key]


def _changed(keys: Sequence[str], choices: object, default: object) -> dict[str, str]:
    """Those of the choices that are not the default."""
    values = {key: getattr(choices, key) for key in keys}
    return {key: _plain(value) for key, value in values.items() if value != getattr(default, key)}


def _plain(value: object) -> str:
    return ("0", "1")[value] if isinstance(value, bool) else str(value)
