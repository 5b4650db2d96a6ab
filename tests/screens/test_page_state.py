"""A page's state: its URL and back, and its controls."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import pytest
from hypothesis import given, strategies as st
from pydantic import Field, TypeAdapter
from streamlit.testing.v1 import AppTest

from workbench.pipeline.recipe import Recipe, make_recipe
from workbench.ui.dashboard.dashboard_state import DashboardState
from workbench.ui.data.data_state import Selection
from workbench.ui.inspect.inspect_state import InspectState
from workbench.ui.optimise.search_view import OptimiseState
from workbench.ui.parts.page_state import Flat, LanguageCode, Packed, PageState, Param
from workbench.ui.runs.jobs_view import RunsState

RECIPE = Flat(
    {"corpus": "corpus", "mode": "mode", "k": "k", "rrf_k": "rrf_k", "extraction": "dialectic.extraction"},
    make_recipe,
    always=("mode",),
)


@dataclass(frozen=True)
class Rows:
    runs: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()


class Toy(PageState):
    PAGE: ClassVar[str] = "toy"

    view: Literal["first", "second"] = "first"
    search: str = Field(default="", max_length=20)
    number: int = Field(default=1, ge=1, le=999)
    low: float = Field(default=0.0, allow_inf_nan=False)
    shown: Annotated[bool, Param("show")] = False
    reads: tuple[LanguageCode, ...] = ()
    rows: Annotated[Rows, Flat({"run": "runs", "language": "languages"}, TypeAdapter(Rows).validate_python)] = Rows()
    recipe: Annotated[Recipe, RECIPE] = make_recipe({})
    others: Annotated[tuple[Recipe, ...], Packed("other", RECIPE, Recipe)] = ()


class Strict(PageState):
    PAGE: ClassVar[str] = "strict"
    STRICT: ClassVar[bool] = True

    name: str = ""


NUMBER = "“number” in the URL is "
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
RECIPES = st.builds(
    lambda **choices: make_recipe(choices),
    mode=st.sampled_from(["multirag", "trag", "drag"]),
    k=st.integers(1, 20),
    rrf_k=st.none() | st.integers(0, 1000),
    dialectic=st.fixed_dictionaries({"extraction": st.booleans()}),
).map(lambda recipe: recipe.with_(scope=make_recipe({"mode": recipe.mode}).scope))
STATES = st.builds(
    Toy,
    view=st.sampled_from(["first", "second"]),
    search=TEXT,
    number=st.integers(1, 999),
    low=st.floats(allow_nan=False, allow_infinity=False),
    shown=st.booleans(),
    reads=st.lists(st.sampled_from(["fi", "ar", "en"]), unique=True).map(tuple),
    rows=st.builds(
        Rows,
        runs=st.lists(st.integers(0, 99), unique=True).map(tuple),
        languages=st.lists(TEXT.filter(bool), unique=True).map(tuple),
    ),
    recipe=RECIPES,
    others=st.lists(RECIPES, max_size=3).map(tuple),
)


@given(STATES)
def test_a_link_shows_the_same(state: Toy) -> None:
    assert Toy.from_params(state.to_params()) == (state, ())


def test_defaults_are_left_out_but_for_what_is_always_written() -> None:
    assert Toy().to_params() == {"mode": ["multirag"]}
    assert Strict().to_params() == {}


@given(st.dictionaries(st.sampled_from([*Toy.parameters(), "x"]), st.lists(st.text(max_size=9), max_size=3)))
def test_no_url_fails_and_what_it_says_of_no_value_is_a_sentence(params: Mapping[str, Sequence[str]]) -> None:
    state, problems = Toy.from_params(params)
    assert Toy.from_params(state.to_params())[0] == state
    assert all(problem.strip() and "\n" not in problem.strip() for problem in problems)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"view": ["both"]}, "“view” in the URL is “both”. Allowed: first, second. For example: view=first"),
        ({"number": ["x"]}, "“number” in the URL is “x”. It must be a whole number, for example: number=1"),
        ({"number": ["0"]}, "“number” in the URL is “0”. It must be at least 1, for example: number=1"),
        ({"number": ["½" * 99]}, f"{NUMBER}“{'½' * 59}…”. It must be a whole number, for example: number=1"),
        ({"number": ["9" * 5000]}, f"{NUMBER}“{'9' * 59}…”. It must be a whole number, for example: number=1"),
        ({"number": ["1000"]}, "“number” in the URL is “1000”. It must be at most 999, for example: number=999"),
        ({"low": ["nan"]}, "“low” in the URL is “nan”. It must be a number, for example: low=1"),
        ({"show": ["perhaps"]}, "“show” in the URL is “perhaps”. It must be 0 or 1, for example: show=1"),
        ({"search": ["a" * 21]}, f"“search” in the URL is “{'a' * 21}”. At most 20 characters are allowed."),
        ({"run": ["x"]}, "“run” in the URL is “x”. It must be a whole number, for example: run=1"),
    ],
)  # fmt: skip
def test_a_bad_value_is_one_sentence_and_the_default_is_used(params: dict[str, list[str]], sentence: str) -> None:
    assert Toy.from_params(params) == (Toy(), (sentence,))


def test_of_a_sequence_the_good_values_count() -> None:
    state, problems = Toy.from_params({"run": ["3", "x", "4", "3"], "reads": ["fi", "klingon"]})
    assert (state.rows.runs, state.reads) == ((3, 4), ("fi",))
    assert len(problems) == 2
    assert "klingon" in problems[0]


def test_a_recipe_is_told_field_by_field() -> None:
    state, problems = Toy.from_params({"mode": ["rag"], "k": ["7"], "extraction": ["0"], "other": ["mode=trag&k=0"]})
    assert (state.recipe.mode, state.recipe.k, state.recipe.dialectic.extraction) == ("multirag", 7, False)
    assert state.others == (make_recipe({"mode": "trag"}),)
    assert len(problems) == 2
    assert "“rag”" in problems[0]


def test_a_value_must_exist_now() -> None:
    state, problems = Toy.from_params({"corpus": ["mine"]}, {"corpus": ["sample"]})
    assert state == Toy()
    assert problems == ("Unknown corpus “mine”. Allowed: sample. For example: sample",)


def test_parameters_of_trackers_are_ignored_but_for_a_strict_page() -> None:
    assert Toy.from_params({"utm_source": ["x"]}) == (Toy(), ())
    assert Strict.from_params({"utm": ["x"]})[1] == ("“utm” is not a parameter of this page.",)


STATES_OF_PAGES: tuple[type[PageState], ...] = (DashboardState, InspectState, OptimiseState, RunsState, Selection)


@pytest.mark.parametrize("kind", STATES_OF_PAGES)
@given(data=st.data())
def test_no_url_breaks_a_page_s_state_and_what_is_read_is_written_again(
    kind: type[PageState], data: st.DataObject
) -> None:
    texts = st.text(max_size=9) | st.sampled_from(
        ["deltas", "annotate", "corpora", "0-0.5", "mode=trag", "3", "9" * 5000]
    )
    params = data.draw(st.dictionaries(st.sampled_from([*kind.parameters(), "x"]), st.lists(texts, max_size=3)))
    state, _ = kind.from_params(params)
    assert kind.from_params(state.to_params()) == (state, ())
    assert kind().to_params() == {}


def test_a_field_at_any_depth_is_changed_and_checked() -> None:
    state = Toy().with_at("rows.runs", (3,)).with_at("recipe.k", 7).with_at("recipe.dialectic.extraction", False)
    assert (state.rows.runs, state.recipe.k, state.recipe.dialectic.extraction) == ((3,), 7, False)
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        state.with_(number=0)


PAGE = """
from __future__ import annotations
from typing import ClassVar, Literal

import streamlit as st

from workbench.ui.dashboard.dashboard_state import DashboardState
from workbench.ui.data.data_state import Selection
from workbench.ui.inspect.inspect_state import InspectState
from workbench.ui.optimise.search_view import OptimiseState
from workbench.ui.runs.jobs_view import RunsState
from workbench.ui.parts.page_state import PageSession, PageState

class Small(PageState):
    PAGE: ClassVar[str] = "small"

    view: Literal["first", "second"] = "first"
    number: int = 1
    names: tuple[str, ...] = ()

    def after(self, path: str) -> Small:
        return self.with_(number=1) if path == "view" else self

session = PageSession(Small)
st.session_state["visit"] = st.session_state.get("opened", 0)
session.restore(keep=("names",))
session.show_problems()
st.segmented_control("View", ["first", "second"], **session.control("view"))
st.number_input("Number", 0, 9, **session.control("number"))
st.multiselect("Names", ["a", "b"], **session.control("names", among=["a", "b"]))
st.button("Open", key="open_b", on_click=lambda: session.change(names=("b",)))
st.text(repr(session.current.to_params()))
session.remember()
"""


def _shown(app: AppTest) -> Any:
    """The parameters of the page's state, which the URL then has."""
    assert not app.exception
    params = ast.literal_eval(app.text[0].value)
    assert app.query_params == {name: values[0] if len(values) == 1 else values for name, values in params.items()}
    return params


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_string(PAGE).run()


def test_controls_change_the_state_and_the_url(app: AppTest) -> None:
    app.number_input[0].set_value(4).run()
    app.multiselect[0].set_value(["a"]).run()
    assert _shown(app) == {"number": ["4"], "names": ["a"]}
    app.button_group[0].set_value("second").run()
    assert _shown(app) == {"view": ["second"], "names": ["a"]}
    app.button[0].click().run()
    assert app.multiselect[0].value == ["b"]


def test_a_url_sets_the_controls_and_an_empty_one_on_the_same_visit_the_defaults(app: AppTest) -> None:
    app.query_params.update({"view": "second", "number": "3", "names": "z"})
    app.run()
    assert (app.button_group[0].value, app.number_input[0].value, app.multiselect[0].value) == ("second", 3, [])
    app.query_params.clear()
    app.run()
    assert (app.button_group[0].value, app.number_input[0].value) == ("first", 1)


def test_who_comes_back_from_another_page_has_the_state_as_they_left_it(app: AppTest) -> None:
    app.number_input[0].set_value(4).run()
    app.query_params.clear()
    app.session_state["opened"] = 2
    app.run()
    assert app.number_input[0].value == 4
    assert _shown(app) == {"number": ["4"]}


def test_an_old_url_that_comes_with_a_click_does_not_undo_it(app: AppTest) -> None:
    app.number_input[0].set_value(4).run()
    app.query_params.clear()  # As from a browser that has not heard of the new URL yet.
    app.number_input[0].set_value(5).run()
    assert app.number_input[0].value == 5
    assert _shown(app) == {"number": ["5"]}


def test_a_bad_link_is_told_until_somebody_chooses(app: AppTest) -> None:
    app.query_params.update({"number": "x"})
    app.run()
    assert "“number” in the URL is “x”" in app.get("html")[0].proto.body
    app.number_input[0].set_value(2).run()
    assert not app.get("html")


def test_what_is_kept_stays_where_a_link_does_not_name_it(app: AppTest) -> None:
    app.multiselect[0].set_value(["a"]).run()
    app.query_params.clear()
    app.query_params.update({"view": "second"})
    app.run()
    assert _shown(app) == {"view": ["second"], "names": ["a"]}


def test_parameters_that_a_page_set_after_somebody_left_it_are_not_taken_for_a_link(app: AppTest) -> None:
    app.number_input[0].set_value(4).run()
    app.session_state["addresses"] = {**app.session_state["addresses"], "ask": {"q": ["Who?"], "number": ["7"]}}
    app.session_state["opened"] = 2
    app.query_params.clear()
    app.query_params.update({"q": "Who?", "number": "7"})
    app.run()
    assert _shown(app) == {"number": ["4"]}
